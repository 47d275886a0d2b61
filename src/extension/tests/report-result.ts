import type * as vscode from 'vscode';
import { sanitizeText } from '../../core/sanitize.ts';
import type { AttemptRow, RunningScenario } from '../../protocol/scenarios.ts';
import { attemptOutcome, scenarioOutcome, shownAttemptOutcome, type TestOutcome } from './attempt-outcomes.ts';
import { attemptMessages, scenarioMessage } from './test-messages.ts';
import type { TestTree } from './test-tree.ts';

/** The longest output of an attempt that is shown. */
const MAX_OUTPUT = 100_000;

/**
 * Reports a result that the tree shows, with its attempts, what they did not do, and what their code printed.
 *
 * @param before what was reported of the scenario in the same run: only what differs is reported.
 */
export function reportResult(
  run: vscode.TestRun,
  tree: Pick<TestTree, 'attempt'>,
  scenario: vscode.TestItem,
  result: RunningScenario,
  before?: RunningScenario,
): void {
  const { attempts, pending = 0 } = result;
  for (const attempt of attempts) {
    if (attempt.output === '' || (before && findAttempt(before, attempt))) continue;
    appendOutput(run, attempt.output, tree.attempt(scenario, attempt));
  }
  const outcome = shownScenarioOutcome(result);
  const isNew = outcome !== null && outcome !== (before ? shownScenarioOutcome(before) : null);
  const [only, ...others] = attempts;
  if (only && others.length === 0 && pending === 0) {
    if (isNew) report(run, scenario, outcome, () => attemptMessages(only), only.durationMs);
    return;
  }
  if (isNew) report(run, scenario, outcome, () => [scenarioMessage(result)]);
  for (const attempt of attempts) {
    const item = tree.attempt(scenario, attempt);
    const shown = attemptOutcomeIn(result, attempt);
    if (shown !== null) {
      const isKnown = before && attemptOutcomeIn(before, attempt) === shown;
      if (!isKnown) report(run, item, shown, () => attemptMessages(attempt), attempt.durationMs);
    } else if (isNew) {
      appendOutput(run, `${item.label}: ${attemptOutcome(attempt)}: ${attempt.headline.text}\n`, item);
    }
  }
}

/** Null while attempts are pending. */
function shownScenarioOutcome(result: RunningScenario): TestOutcome | null {
  return result.pending ? null : scenarioOutcome(result);
}

/**
 * What the item of an attempt shows; null: nothing. An error waits for the end: VS Code would show it for a scenario that then
 * fails.
 */
function attemptOutcomeIn(result: RunningScenario, of: AttemptRow): TestOutcome | null {
  const attempt = findAttempt(result, of);
  const outcome = attempt ? shownAttemptOutcome(attempt, result) : null;
  return result.pending && outcome === 'errored' ? null : outcome;
}

function findAttempt({ attempts }: RunningScenario, { trial, agent }: AttemptRow): AttemptRow | undefined {
  return attempts.find((attempt) => attempt.trial === trial && attempt.agent === agent);
}

/** Text of the user's code, as a terminal wants it. */
export function appendOutput(run: vscode.TestRun, output: string, item?: vscode.TestItem): void {
  const text = sanitizeText(output, MAX_OUTPUT);
  const lines = text.endsWith('\n') ? text : `${text}\n`;
  run.appendOutput(lines.replaceAll('\n', '\r\n'), undefined, item);
}

function report(
  run: vscode.TestRun,
  item: vscode.TestItem,
  outcome: TestOutcome,
  messages: () => vscode.TestMessage[],
  durationMs?: number,
): void {
  if (outcome === 'passed') run.passed(item, durationMs);
  else if (outcome === 'skipped') run.skipped(item);
  else run[outcome](item, messages(), durationMs);
}
