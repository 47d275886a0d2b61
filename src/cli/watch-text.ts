import type { SessionReport } from '../core/report.ts';
import { HEADLINE_KINDS } from '../core/statuses.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { summarizeHeadlines } from '../report-model/headline-counts.ts';
import { headlineLines } from '../reports/terminal/sessions.ts';
import { createTableStyle } from '../reports/terminal/style.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { type CommandHost, supportsColor } from './host.ts';
import type { SessionChange } from './watched-sessions.ts';

/** Limit of the sessions that are listed without --verbose. */
const LISTED = 60;

/** Those that tell something new come first, then the worst. */
const KINDS = ['worse', 'new', 'changed', 'better', 'same'] as const;

interface ChangeTextOptions extends Pick<CommandHost, 'stdout' | 'env'> {
  readonly verbose?: boolean;
  /** What else is to be noted of a session. */
  readonly notesOf?: (report: SessionReport) => readonly string[];
}

/**
 * A headline for each session that was evaluated, and what has changed: `3 sessions: 1 worse, 1 new, 1 unchanged. Now 12
 * sessions: 3 failed, 9 succeeded.`
 *
 * @param all the headlines of all sessions.
 */
export function changeLines(
  changes: readonly SessionChange[],
  all: readonly Pick<SessionReport, 'headline'>[],
  { stdout, env, verbose = false, notesOf = () => [] }: ChangeTextOptions,
): string[] {
  const color = supportsColor(stdout, env);
  const style = createTableStyle({ color, columns: stdout.columns, terminal: stdout.terminal, verbose });
  const sorted = changes.toSorted((a, b) => rank(a) - rank(b));
  const listed = verbose ? sorted : sorted.slice(0, LISTED);
  const left = sorted.slice(listed.length);
  const counts = KINDS.flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? [] : [`${count} ${KIND_TEXT[kind]}`];
  });
  return [
    ...listed.flatMap(({ report, kind, before }) => {
      const notes = kind === 'new' ? ['new'] : before && kind !== 'same' ? [`was: ${sanitizeLine(before.text)}`] : [];
      return [...headlineLines({ report }, style, [...notes, ...notesOf(report)])];
    }),
    ...(left.length === 0 ? [] : [`and ${pluralize(left.length, 'more session')}; --verbose lists them`]),
    style.paint(
      `${pluralize(changes.length, 'session')}: ${counts.join(', ')}. Now ${summarizeHeadlines(all)}.`,
      'quiet',
    ),
    '',
  ];
}

const KIND_TEXT = { worse: 'worse', new: 'new', changed: 'changed', better: 'better', same: 'unchanged' } as const;

function rank({ kind, report }: SessionChange): number {
  return KINDS.indexOf(kind) * HEADLINE_KINDS.length + HEADLINE_KINDS.indexOf(report.headline.kind);
}
