import type { AttemptsSummary, TaskSummary } from '../../core/report.ts';
import { formatScore } from '../../core/score-text.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { padStart, sanitizeLine } from '../terminal-text.ts';
import { markedLines, quietLines } from './layout.ts';
import type { TableStyle } from './style.ts';

/** Limit of the tasks that are listed. */
const TASKS = 10;

/** pass@k and pass^k with their intervals, what is left out, and the tasks with several attempts. */
export function* attemptLines(
  attempts: AttemptsSummary | null,
  tasks: readonly TaskSummary[],
  style: TableStyle,
): Generator<string> {
  const leftOut = tasks.reduce((sum, task) => sum + task.leftOut, 0);
  if (!attempts && leftOut === 0) return;
  yield '';
  yield style.paint('Attempts', 'strong');
  if (attempts) yield* tableLines(attempts, style);
  else yield* quietLines('  ', `no estimate for ${pluralize(tasks.length, 'task')}`, style);
  if (leftOut > 0)
    yield* quietLines('  ', `${pluralize(leftOut, 'attempt')} left out: not known whether correct`, style);
  const several = tasks.filter((task) => task.attempts > 1).sort((a, b) => disagreement(b) - disagreement(a));
  const shown = style.verbose ? several : several.slice(0, TASKS);
  for (const task of shown) yield* taskLines(task, attempts?.estimator ?? '', style);
  const left = several.length - shown.length;
  if (left > 0) yield* quietLines('  ', `and ${pluralize(left, 'more task')}; --verbose lists them`, style);
}

function* tableLines(
  { scenarios, correctBy, estimator, table, omittedK }: AttemptsSummary,
  style: TableStyle,
): Generator<string> {
  const what = `${pluralize(scenarios, 'task')}, correct by ${sanitizeLine(correctBy)}, ${estimator} estimator, 95% intervals`;
  yield* quietLines('  ', what, style);
  if (table.length > 0) yield style.paint('     k  pass@k              pass^k', 'quiet');
  for (const { k, passAtK, passAtKCi, passPowK, passPowKCi } of table)
    yield `${padStart(String(k), 6)}  ${figure(passAtK, passAtKCi)}    ${figure(passPowK, passPowKCi)}`;
  if (omittedK.length === 0) return;
  const list = omittedK.join(', ');
  const text = `k = ${list} left out: the unbiased estimator needs that many attempts of every task; --estimator plug-in or bayesian estimates any k.`;
  yield* quietLines('  ', text, style);
}

/** `3 of 4 succeeded · pass^2 0.50 [0.08–0.90] · Inconsistent · agreement 0.87`. */
function* taskLines(task: TaskSummary, estimator: string, style: TableStyle): Generator<string> {
  const { name, correct, assessment, metrics } = task;
  const known = task.attempts - task.leftOut;
  const estimate = task.passPowK.find(({ k }) => k === 2) ?? task.passPowK.at(-1);
  const { status, score = null, scale = null } = metrics.strategy_consistency ?? {};
  const parts = [
    `${correct} of ${known} succeeded`,
    ...(estimate ? [`pass^${estimate.k} ${figure(estimate.value, estimate.ci)} ${estimator}`] : []),
    ...(assessment ? [assessment] : []),
    ...(status === 'scored' && score !== null ? [`agreement ${formatScore(score, scale)}`] : []),
  ];
  const isMixed = correct > 0 && correct < known;
  const mark = correct === known && known > 0 ? '✓' : isMixed ? '!' : known === 0 ? '?' : '✗';
  const tone = mark === '✓' ? 'good' : mark === '✗' ? 'bad' : 'doubtful';
  yield* markedLines('  ', mark, tone, `${sanitizeLine(name)}: ${parts.join(' · ')}`, style);
}

function figure(value: number, [low, high]: readonly [number, number]): string {
  return `${value.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
}

/** Tasks with mixed results first, then those that fail, then the rest. */
function disagreement({ correct, attempts, leftOut }: TaskSummary): number {
  const known = attempts - leftOut;
  if (correct > 0 && correct < known) return 2;
  return correct < known ? 1 : 0;
}
