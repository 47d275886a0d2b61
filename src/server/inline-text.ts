import { plain } from '../core/plain-text.ts';
import type { Result } from '../core/result.ts';
import type { Verdict } from '../core/verdict.ts';
import type { SessionRow } from '../protocol/messages.ts';
import type { TurnInFile } from './file-view.ts';

/** What lenses and hints say in a line: plain words, in which nothing of a trace can be more than it seems. */

const MARK = { passed: '✓', failed: '✗', undecided: '?' } as const satisfies Record<Verdict, string>;

/** No label or name takes more of a line than this. */
const LONGEST_NAME = 60;

/** `✗ failed · risk 0.71 · 3 failures` */
export function sessionTitle({ verdict, risk, failures, state, turnsDone, turns }: SessionRow): string {
  if (turnsDone !== null) return `evaluating: ${turnsDone} of ${turns} turns`;
  // A tick beside failures would say that all is well.
  const mark = verdict === 'passed' && failures > 0 ? '!' : MARK[verdict];
  return [
    `${mark} ${verdict}`,
    ...(risk === null ? [] : [`risk ${risk.toFixed(2)}`]),
    ...(failures === 0 ? [] : [failures === 1 ? '1 failure' : `${failures} failures`]),
    ...(state === 'stale' ? ['changed since it was evaluated'] : []),
  ].join(' · ');
}

/** `✗ repeated tool call · tool_correctness 0.50`, or `turn 3 · risk 0.04` where nothing is wrong with it. */
export function turnTitle({ index, risk, failures, worst }: TurnInFile): string {
  const labels = [...new Set(failures.map(({ label }) => named(label)))];
  const score = worst ? `${named(worst.metric)} ${scoreText(worst.result)}` : null;
  if (labels.length === 0 && score === null) {
    return [`turn ${index + 1}`, ...(risk === null ? [] : [`risk ${risk.toFixed(2)}`])].join(' · ');
  }
  return [`✗ ${labels.join(', ') || 'below its threshold'}`, ...(score === null ? [] : [score])].join(' · ');
}

/** A label or the name of a metric: those of custom metrics and of files are anybody's. */
export function named(name: string): string {
  const text = plain(name).replaceAll('$(', '$ (');
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME - 1)}…`;
}

export function scoreText({ score, label }: Pick<Result, 'score' | 'label'>): string {
  if (score !== null) return Number.isInteger(score) && score > 1 ? String(score) : score.toFixed(2);
  return label === null ? '–' : named(label);
}
