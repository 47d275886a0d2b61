import { get, getArray, getNumber, getString } from '../../core/json.ts';
import type { AttemptsSummary, Report, TaskSummary } from '../../core/report.ts';
import { formatScore } from '../../core/score-text.ts';
import { listSome } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { figureText, successText } from '../../report-model/session-attempts.ts';
import { padStart, sanitizeLine } from '../terminal-text.ts';
import { markedLines, quietLines } from './layout.ts';
import type { TableStyle } from './style.ts';

/** Limit of the tasks that are listed. */
const TASKS = 10;
/** Limit of the attempts that are named as standing out. */
const NAMED = 2;

const UNKNOWN = 'no outcome says whether they succeeded. --correct-by verdict counts those that pass their gates.';

/**
 * pass@k and pass^k with their intervals, what is left out, the tasks with several attempts or with one that stands out among
 * those of other agents, and Fair Forge's estimates.
 */
export function* attemptLines(
  { attempts, scenarios: tasks, metrics }: Pick<Report, 'attempts' | 'scenarios' | 'metrics'>,
  style: TableStyle,
): Generator<string> {
  const leftOut = tasks.reduce((sum, task) => sum + task.leftOut, 0);
  const conversations = getArray(metrics.agentic?.metadata, 'conversations') ?? [];
  if (!attempts && leftOut === 0 && conversations.length === 0) return;
  yield '';
  yield style.paint('Attempts', 'strong');
  if (attempts) yield* tableLines(attempts, style);
  else if (leftOut > 0) yield* quietLines('  ', `no estimate for ${pluralize(tasks.length, 'task')}`, style);
  if (leftOut > 0) yield* quietLines('  ', `${pluralize(leftOut, 'attempt')} left out: ${UNKNOWN}`, style);
  const across = tasks.filter((task) => (task.agreement?.attempts ?? 0) > task.attempts).length;
  if (across > 0) {
    const have = across === 1 ? '1 task has' : `${across} tasks have`;
    yield* quietLines(
      '  ',
      `${have} attempts of other agents: attempt_agreement and session_risk count them, pass@k does not`,
      style,
    );
  }
  const several = tasks
    .filter(({ attempts: of, agreement }) => of > 1 || (agreement?.standOut.length ?? 0) > 0)
    .sort((a, b) => disagreement(b) - disagreement(a));
  const shown = style.verbose ? several : several.slice(0, TASKS);
  for (const task of shown) yield* taskLines(task, attempts?.estimator ?? '', style);
  const left = several.length - shown.length;
  if (left > 0) yield* quietLines('  ', `and ${pluralize(left, 'more task')}; --verbose lists them`, style);
  for (const estimate of conversations) yield* conversationLines(estimate, style);
}

function* tableLines(
  { scenarios, correctBy, estimator, table, omittedK }: AttemptsSummary,
  style: TableStyle,
): Generator<string> {
  const what = `${pluralize(scenarios, 'task')}, correct by ${sanitizeLine(correctBy)}, ${estimator} estimator, 95% intervals`;
  yield* quietLines('  ', what, style);
  if (table.length > 0) yield style.paint('     k  pass@k              pass^k', 'quiet');
  for (const { k, passAtK, passAtKCi, passPowK, passPowKCi } of table)
    yield `${padStart(String(k), 6)}  ${figureText(passAtK, passAtKCi)}    ${figureText(passPowK, passPowKCi)}`;
  if (omittedK.length === 0) return;
  const list = omittedK.join(', ');
  const text = `k = ${list} left out: the unbiased estimator needs that many attempts of every task; --estimator plug-in or bayesian estimates any k.`;
  yield* quietLines('  ', text, style);
}

/** `3 of 4 agree, trial-2 stands out · 3 of 4 succeeded · pass^4 0.00 [0.01–0.72] unbiased: Inconsistent · strategy 0.87`. */
function* taskLines(task: TaskSummary, estimator: string, style: TableStyle): Generator<string> {
  const { name, correct, metrics } = task;
  const known = task.attempts - task.leftOut;
  const { status, score = null, scale = null } = metrics.strategy_consistency ?? {};
  const parts = [
    ...agreementParts(task),
    successText({ attempts: task.attempts, known, succeeded: correct }),
    ...(task.attempts === 1 ? [] : largestEstimate(task, estimator)),
    ...(status === 'scored' && score !== null ? [`strategy ${formatScore(score, scale)}`] : []),
  ];
  const isMixed = correct > 0 && correct < known;
  const mark = correct === known && known > 0 ? '✓' : isMixed ? '!' : known === 0 ? '?' : '✗';
  const tone = mark === '✓' ? 'good' : mark === '✗' ? 'bad' : 'doubtful';
  yield* markedLines('  ', mark, tone, `${sanitizeLine(name)}: ${parts.join(' · ')}`, style);
}

/** How many attempts made the same changes, and which ones a clear majority contradicts. */
function agreementParts({ attempts: own, agreement }: TaskSummary): string[] {
  if (!agreement) return [];
  const { attempts, agreeing, standOut } = agreement;
  if (own === 1 && standOut.length === 1) return [`stands out, ${agreeing} of ${attempts} agree`];
  const named = listSome(standOut.map(sanitizeLine), NAMED);
  const verb = standOut.length === 1 ? 'stands out' : 'stand out';
  return [`${agreeing} of ${attempts} agree${standOut.length === 0 ? '' : `, ${named} ${verb}`}`];
}

/** Of the largest k, which the assessment is about. */
function largestEstimate({ passPowK, assessment }: TaskSummary, estimator: string): string[] {
  const estimate = passPowK.at(-1);
  if (!estimate) return [];
  const text = `pass^${estimate.k} ${figureText(estimate.value, estimate.ci)} ${estimator}`;
  return [assessment ? `${text}: ${assessment}` : text];
}

/** `agentic, v2: 3 of 4 conversations correct · pass@3 0.98, pass^3 0.42 plug-in: mixed`. */
function* conversationLines(entry: unknown, style: TableStyle): Generator<string> {
  const assistant = getString(entry, 'assistant_id');
  const [k, atK, powK] = ['k', 'pass_at_k', 'pass_pow_k'].map((key) => getNumber(entry, key));
  const total = getNumber(entry, 'total_conversations') ?? 0;
  const counts = `${getNumber(entry, 'correct_conversations') ?? 0} of ${pluralize(total, 'conversation')} correct in every turn`;
  const estimates =
    atK === undefined || powK === undefined
      ? `no estimate: the unbiased estimator needs ${k} conversations`
      : `pass@${k} ${figureText(atK, interval(entry, 'pass_at_k'))}, pass^${k} ${figureText(powK, interval(entry, 'pass_pow_k'))} ${getString(entry, 'estimator')}: ${getString(entry, 'assessment')}`;
  const name = assistant === undefined ? 'agentic' : `agentic, ${sanitizeLine(assistant)}`;
  yield* markedLines('  ', '·', 'quiet', `${name}: ${counts} · ${estimates}`, style);
}

function interval(entry: unknown, measure: string): readonly [number, number] {
  const [low, high] = getArray(get(entry, 'credible'), measure) ?? [];
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : [0, 1];
}

/** Tasks with attempts that stand out first, then those with mixed results, then those that fail, then the rest. */
function disagreement({ correct, attempts, leftOut, agreement }: TaskSummary): number {
  if (agreement && agreement.standOut.length > 0) return 3;
  const known = attempts - leftOut;
  if (correct > 0 && correct < known) return 2;
  return correct < known ? 1 : 0;
}
