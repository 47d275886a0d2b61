import type { EstimateOptions, UsageEstimate } from '../app/estimate.ts';
import type { EvaluateFilesOptions } from '../app/evaluate-files.ts';
import { embedderFunction, judgeFunction } from '../app/function-models.ts';
import { loadRun } from '../app/load-run.ts';
import { type RequiredModel, requiredModels, requiresModels } from '../app/required-models.ts';
import type { Configuration } from '../config/schema.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { planMetrics } from '../engine/plan.ts';
import type { FileSummary } from '../input/load.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { usageText } from '../reports/model-usage.ts';
import { sanitizeLine, wrap } from '../reports/terminal-text.ts';

/** What a run evaluates, and an estimate of its model usage. */
interface DryRunPlan extends UsageEstimate {
  readonly sessions: number;
  readonly turns: number;
  readonly files: readonly Pick<FileSummary, 'file' | 'format' | 'sessions' | 'turns'>[];
  /** Names of metrics. `judge`: metrics that need a judge unless a rule proves a finding. */
  readonly metrics: {
    readonly run: string[];
    readonly implied: string[];
    readonly judge: string[];
    readonly reference: string[];
  };
  readonly thresholds: Readonly<Record<string, unknown>>;
}

type NamedModel = Pick<RequiredModel, 'model'> & { readonly provider: string };

/** The models that the run calls. */
interface DryRunModels {
  readonly judge: NamedModel | null;
  readonly byMetric: ReadonlyMap<string, NamedModel>;
  readonly embedder: NamedModel | null;
  readonly maxCalls: number | undefined;
}

const NO_MODEL_USAGE: UsageEstimate = {
  judgeCalls: 0,
  judgeCallsCached: 0,
  promptTokens: 0,
  completionTokens: 0,
  embeddedTexts: 0,
};

type DryRunOptions = EvaluateFilesOptions & Pick<EstimateOptions, 'env' | 'cache' | 'signal'>;

/** Reads the files and plans the run, without calling a model. Rejects only when the signal is aborted. */
export async function dryRun(
  paths: readonly string[],
  configuration: Configuration,
  options: DryRunOptions,
  format: 'text' | 'json',
): Promise<{ readonly chunks: Iterable<string>; readonly problems: readonly Problem[] }> {
  const { sessions, files, problems, configuration: settings } = await loadRun(paths, configuration, options);
  options.signal.throwIfAborted();
  const required = requiredModels(settings);
  const models = {
    judge: judgeFunction(settings) ?? required.judge,
    byMetric: required.byMetric,
    embedder: embedderFunction(settings) ?? required.embedder,
    maxCalls: settings.judge.maxCalls,
  };
  const plan = createPlan(
    files,
    sessions,
    settings,
    options.turn,
    await estimateModelUsage(sessions, settings, options),
  );
  const chunks = format === 'json' ? [`${JSON.stringify(plan, null, 2)}\n`] : planText(plan, models);
  return { chunks, problems };
}

async function estimateModelUsage(
  sessions: readonly Session[],
  configuration: Configuration,
  options: DryRunOptions,
): Promise<UsageEstimate> {
  const hasFunctions = judgeFunction(configuration) !== null || embedderFunction(configuration) !== null;
  if (!hasFunctions && !requiresModels(requiredModels(configuration))) return NO_MODEL_USAGE;
  const { estimateUsage } = await import('../app/estimate.ts');
  return estimateUsage(sessions, configuration, options);
}

function createPlan(
  files: readonly FileSummary[],
  sessions: readonly Session[],
  configuration: Configuration,
  turn: number | undefined,
  estimate: UsageEstimate,
): DryRunPlan {
  const turnsOf = ({ turns }: Session) => (turn === undefined ? turns.length : Number(turn < turns.length));
  const plan = planMetrics(allMetrics(configuration.custom), configuration);
  const planned = [...plan.turn, ...plan.session, ...plan.scenario, ...plan.run];
  const metrics = planned.filter(({ template: frame }) => !frame.implied).map(({ metric }) => metric);
  const judged = metrics.filter((metric) => metric.usesJudge);
  return {
    sessions: sessions.length,
    turns: sessions.reduce((sum, session) => sum + turnsOf(session), 0),
    files: files.flatMap(({ file, format, sessions: ofFile, turns }) =>
      format === null ? [] : [{ file, format, sessions: ofFile, turns }],
    ),
    metrics: {
      run: metrics.filter((metric) => !judged.includes(metric)).map(({ name }) => name),
      implied: planned.filter(({ template: frame }) => frame.implied).map(({ metric }) => metric.name),
      judge: judged.map(({ name }) => name),
      reference: metrics.filter(({ needs }) => needs.includes('reference')).map(({ name }) => name),
    },
    thresholds: configuration.gates.thresholds ?? {},
    ...estimate,
  };
}

const COLUMNS = 80;

function* planText(plan: DryRunPlan, models: DryRunModels): Generator<string> {
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
