import type * as vscode from 'vscode';
import { sanitizeText } from '../../core/sanitize.ts';
import type { ScenarioResult } from '../../protocol/scenarios.ts';
import { attemptOutcome, scenarioOutcome, shownAttemptOutcome, type TestOutcome } from './attempt-outcomes.ts';
import { attemptMessages, scenarioMessage } from './test-messages.ts';
import type { TestTree } from './test-tree.ts';

/** The longest output of an attempt that is shown. */
const MAX_OUTPUT = 100_000;

/** Reports a result that the tree shows, with its attempts, what they did not do, and what their code printed. */
export function reportResult(
  run: vscode.TestRun,
  tree: Pick<TestTree, 'attempt'>,
  scenario: vscode.TestItem,
  result: ScenarioResult,
): void {
  const { attempts } = result;
  for (const attempt of attempts) {
    if (attempt.output !== '') appendOutput(run, attempt.output, tree.attempt(scenario, attempt));
  }
  const [only, ...others] = attempts;
  if (only && others.length === 0) {
    report(run, scenario, scenarioOutcome(result), () => attemptMessages(only), only.durationMs);
    return;
  }
  report(run, scenario, scenarioOutcome(result), () => [scenarioMessage(result)]);
  for (const attempt of attempts) {
    const item = tree.attempt(scenario, attempt);
    const outcome = shownAttemptOutcome(attempt, result);
    if (outcome !== null) report(run, item, outcome, () => attemptMessages(attempt), attempt.durationMs);
    else appendOutput(run, `${item.label}: ${attemptOutcome(attempt)}: ${attempt.headline.text}\n`, item);
  }
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
