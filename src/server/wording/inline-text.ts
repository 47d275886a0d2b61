import type { Result } from '../../core/result.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Change, SessionRow } from '../../protocol/messages.ts';
import type { TurnFacts } from '../held/turn-facts.ts';
import { visible } from './visible.ts';

/** What lenses and hints say in a line: plain words, in which nothing of a trace can be more than it seems. */

const MARK = { passed: '✓', failed: '✗', undecided: '?' } as const satisfies Record<Verdict, string>;

/** No label or name takes more of a line than this. */
const LONGEST_NAME = 60;
/** A sentence that is longer is read in the results. */
const LONGEST_WHY = 120;
/** More labels than these say no more. */
const MOST_LABELS = 4;

const CHANGED = {
  file: 'changed',
  configuration: 'configuration changed',
  sidecar: 'sidecar changed',
  unknown: 'file or configuration changed',
} as const satisfies Record<NonNullable<Change> | 'unknown', string>;

/** `✗ failed · risk 0.71 · 3 failures` */
export function sessionTitle({ verdict, risk, failures, state, changed, turnsDone, turns }: SessionRow): string {
  if (turnsDone !== null) return `evaluating: ${turnsDone} of ${counted(turns, 'turn')}`;
  // A tick beside failures would say that all is well.
  const mark = verdict === 'passed' && failures > 0 ? '!' : MARK[verdict];
  return [
    `${mark} ${verdict}`,
    ...(risk === null ? [] : [`risk ${risk.toFixed(2)}`]),
    ...(failures === 0 ? [] : [counted(failures, 'failure')]),
    ...(state === 'stale' ? [`${CHANGED[changed ?? 'unknown']} since it was evaluated`] : []),
  ].join(' · ');
}

/** `: 2 questions got no answer`, behind the title of a session that is undecided. */
export function whyUndecided({ verdict, why: [first], turnsDone }: SessionRow): string {
  if (verdict !== 'undecided' || turnsDone !== null || first === undefined) return '';
  return `: ${plainWords(first, LONGEST_WHY)}`;
}

/** `✗ repeated tool call · tool_correctness 0.50`, or `turn 3 · risk 0.04` where nothing is wrong with it. */
export function turnTitle({ index, risk, failures, worst }: TurnFacts): string {
  const labels = labelsOf(failures.map(({ label }) => named(label)));
  const score = worst ? `${named(worst.metric)} ${scoreText(worst.result)}` : null;
  if (labels === null && score === null) {
    return [`turn ${index + 1}`, ...(risk === null ? [] : [`risk ${risk.toFixed(2)}`])].join(' · ');
  }
  return [`✗ ${labels ?? 'below its threshold'}`, ...(score === null ? [] : [score])].join(' · ');
}

function labelsOf(all: readonly string[]): string | null {
  const labels = [...new Set(all)];
  const more = labels.length - MOST_LABELS;
  return labels.length === 0
    ? null
    : [...labels.slice(0, MOST_LABELS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** A label or the name of a metric: those of custom metrics and of files are anybody's. */
export function named(name: string): string {
  return plainWords(name, LONGEST_NAME);
}

/** Editors draw an icon for `$(name)`. */
function plainWords(text: string, longest: number): string {
  return visible(text, longest).replaceAll('$(', '$ (');
}

export function scoreText({ score, label }: Pick<Result, 'score' | 'label'>): string {
  if (score !== null) return Number.isInteger(score) && score > 1 ? String(score) : score.toFixed(2);
  return label === null ? '–' : named(label);
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
