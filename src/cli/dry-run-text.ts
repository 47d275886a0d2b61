import type { DryRunModels, DryRunPlan, NamedModel } from '../app/dry-run.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { usageText } from '../reports/model-usage.ts';
import { sanitizeLine, wrap } from '../reports/terminal-text.ts';

const COLUMNS = 80;

/** A planned run for a person. */
export function* dryRunText(plan: DryRunPlan, models: DryRunModels): Generator<string> {
  const { sessions, turns, files, metrics, thresholds } = plan;
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
  yield* namesSection(
    'Thresholds',
    Object.entries(thresholds).map(([name, value]) => `${name} ${String(value)}`),
  );
  yield* modelUsageText(plan, models);
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
