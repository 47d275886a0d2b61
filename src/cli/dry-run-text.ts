import type { DryRunModels, DryRunPlan, NamedModel, PlannedTaskGates } from '../app/dry-run.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { usageText } from '../reports/model-usage.ts';
import { sanitizeLine, wrap } from '../reports/terminal-text.ts';

const COLUMNS = 80;

/** A planned run for a person. */
export function* dryRunText(plan: DryRunPlan, models: DryRunModels): Generator<string> {
  const { sessions, turns, files, metrics, thresholds, taskGates } = plan;
  yield `Plan: ${pluralize(sessions, 'session')}, ${pluralize(turns, 'turn')}. Nothing is evaluated and no model is called.\n`;
  for (const { file, format, sessions: count, turns: ofFile } of files) {
    yield `  ${sanitizeLine(file)}  ${format}, ${pluralize(count, 'session')}, ${pluralize(ofFile, 'turn')}\n`;
  }
  yield* namesSection('Run', metrics.run);
  yield* namesSection('Run for other metrics', metrics.implied);
  if (models.judge || models.byMetric.size > 0) {
    yield* namesSection('Need the judge', metrics.judge);
  } else {
    yield* namesSection('Need a judge, unless a rule proves a finding', metrics.judge);
  }
  yield* namesSection('Need a reference in the trace', metrics.reference);
  yield* namesSection('Thresholds', thresholdTexts(thresholds));
  if (taskGates.length > 0) {
    yield '\nInstead for some tasks or tags; of several that match, the last one counts\n';
    for (const gates of taskGates) yield* indented(taskGatesText(gates));
  }
  yield* modelUsageText(plan, models);
}

function thresholdTexts(thresholds: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(thresholds).map(([name, value]) => `${name} ${String(value)}`);
}

/** `"refund-*" (3 tasks): loop_detection 0.9, fails on medium`; of a tag, `tag "beta" (4 sessions): …`. */
function taskGatesText({ task, tag, tasks, sessions, thresholds = {}, failOn }: PlannedTaskGates): string {
  const level = failOn === 'never' ? ['fails on no severity'] : failOn ? [`fails on ${failOn}`] : [];
  const gates = [...thresholdTexts(thresholds), ...level].join(', ');
  const subject =
    task === undefined
      ? `tag "${sanitizeLine(tag ?? '')}" (${pluralize(sessions, 'session')})`
      : `"${sanitizeLine(task)}" (${pluralize(tasks, 'task')})`;
  return `${subject}: ${gates}`;
}

/** The estimate for each model, with its caveats. */
function* modelUsageText(
  plan: DryRunPlan,
  { judge, byMetric: ofMetrics, embedder, maxCalls }: DryRunModels,
): Generator<string> {
  const judges = new Set([judge, ...ofMetrics.values()].flatMap((model) => (model ? [modelName(model)] : [])));
  if (judges.size > 0) {
    yield `\n${[...judges].join(', ')}: about ${usageText(plan)}\n`;
    yield* indented('Tokens are an estimate. Reasoning tokens and retries are not included.');
  }
  if (maxCalls !== undefined && plan.judgeCalls > maxCalls) {
    yield* indented(
      `The limit of ${pluralize(maxCalls, 'call')} stops the run early: the other questions get no answer.`,
    );
  }
  if (embedder) yield `\n${modelName(embedder)}: about ${pluralize(plan.embeddedTexts, 'text')} to embed\n`;
}

function modelName({ provider, model }: NamedModel): string {
  return `${provider}/${sanitizeLine(model)}`;
}

function* indented(text: string): Generator<string> {
  for (const line of wrap(text, COLUMNS - 2)) yield `  ${line}\n`;
}

function* namesSection(title: string, names: readonly string[]): Generator<string> {
  if (names.length === 0) return;
  yield `\n${title} (${names.length})\n`;
  yield* indented(names.join(', '));
}
