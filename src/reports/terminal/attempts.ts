import type { AttemptsSummary, TaskSummary } from '../../core/report.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { padStart, sanitizeLine, truncate, wrap } from '../terminal-text.ts';
import type { TableStyle } from './style.ts';

const SCENARIOS = 10;

/** pass@k and pass^k, the attempts that are left out, and the tasks with mixed results. */
export function* attemptLines(
  attempts: AttemptsSummary | null,
  scenarios: readonly TaskSummary[],
  style: TableStyle,
): Generator<string> {
  if (!attempts || attempts.table.length === 0) {
    yield* noEstimate(scenarios, style);
    return;
  }
  yield '';
  const how = `${pluralize(attempts.scenarios, 'task')}, correct by ${sanitizeLine(attempts.correctBy)}, ${attempts.estimator} estimator`;
  yield `${style.paint('Attempts', 'strong')}  ${truncate(how, style.columns - 10)}`;
  yield style.paint('   k  pass@k  pass^k', 'quiet');
  for (const { k, passAtK, passPowK } of attempts.table) {
    yield `${padStart(String(k), 4)}  ${passAtK.toFixed(2)}    ${passPowK.toFixed(2)}`;
  }
  if (attempts.leftOut > 0) yield* leftOutLines(attempts.leftOut, style);
  const mixed = scenarios.filter(({ correct, attempts: all, leftOut }) => correct > 0 && correct < all - leftOut);
  const room = style.columns - 14;
  for (const { name, correct, attempts: all, leftOut } of mixed.slice(0, SCENARIOS)) {
    yield `  ${style.paint(padStart(`${correct} of ${all - leftOut}`, 8), 'quiet')}  ${truncate(sanitizeLine(name), room)}`;
  }
  const left = mixed.length - SCENARIOS;
  if (left > 0) yield style.paint(`  and ${pluralize(left, 'more task')} with mixed results`, 'quiet');
}

/** Without a single attempt of known correctness there is no estimate. */
function* noEstimate(scenarios: readonly TaskSummary[], style: TableStyle): Generator<string> {
  const leftOut = scenarios.reduce((sum, scenario) => sum + scenario.leftOut, 0);
  if (leftOut === 0) return;
  yield '';
  yield `${style.paint('Attempts', 'strong')}  no estimate for ${pluralize(scenarios.length, 'task')}`;
  yield* leftOutLines(leftOut, style);
}

function* leftOutLines(leftOut: number, style: TableStyle): Generator<string> {
  const text = `${pluralize(leftOut, 'attempt')} left out: not known whether correct`;
  for (const line of wrap(text, style.columns - 2)) yield `  ${style.paint(line, 'quiet')}`;
}
