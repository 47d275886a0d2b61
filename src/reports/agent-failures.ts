import type { ProblemOccurrence, Report, SessionReport } from '../core/report.ts';
import { isAtLeast, type Severity } from '../core/severity.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { problemText, runProblems, sessionText } from './agent-text.ts';
import { sessionSummaries } from './terminal/session-summary.ts';

/** A session as answers name it. */
export interface NumberedSession {
  /** One-based, in the run. */
  readonly number: number;
  readonly report: SessionReport;
  /** As it is shown. */
  readonly file: string;
}

interface FailureFilter {
  readonly severity: Severity;
  /** Null: all sessions. */
  readonly only: NumberedSession | null;
  /** Paths as they are shown. */
  shownFile(file: string): string;
}

/** What is wrong in a run: a line for each problem of the run, then for each session, the worst first, and each of its problems. */
export interface FailureLines {
  readonly items: readonly (() => string)[];
  /** Where each session begins among the lines, by its id. */
  readonly starts: ReadonlyMap<string, number>;
  readonly problems: number;
}

/** The lines of `find_failures` and of the report `agent`: one numbering for both. */
export function failureLines(
  report: Report,
  all: readonly NumberedSession[],
  { severity, only, shownFile }: FailureFilter,
): FailureLines {
  const numbered = new Map(all.map((session) => [session.report.id, session]));
  const items = only ? [] : runProblems(report, shownFile);
  const starts = new Map<string, number>();
  let problems = 0;
  for (const { report: summary, problems: found } of sessionSummaries(report)) {
    const session = numbered.get(summary.id);
    if (!session || (only && session !== only)) continue;
    const shown = found.filter((problem) => isAtLeast(problem.severity, severity));
    if (shown.length === 0 && !(only || NOT_PASSED.has(summary.headline.kind))) continue;
    starts.set(summary.id, items.length);
    problems += shown.length;
    items.push(() => `session ${session.number}, ${sessionText(summary, session.file)} (${countText(session, found)})`);
    for (const problem of shown) {
      items.push(() => `session ${session.number}: ${problemText(problem, shownFile(problem.file))}`);
    }
  }
  return { items, starts, problems };
}

const NOT_PASSED: ReadonlySet<string> = new Set(['failed', 'undecided']);

function countText({ report }: NumberedSession, problems: readonly ProblemOccurrence[]): string {
  const turns = new Set(problems.map(({ turn }) => turn)).size;
  return `${pluralize(problems.length, 'problem')} in ${turns} of ${pluralize(report.turns.length, 'turn')}`;
}
