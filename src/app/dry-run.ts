import type { Configuration, TaskGates } from '../config/schema.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { type GatedLabels, isSubject } from '../core/task-gates.ts';
import { planMetrics } from '../engine/plan.ts';
import type { FileSummary } from '../input/load.ts';
import type { EstimateOptions, UsageEstimate } from './estimate.ts';
import { embedderFunction, judgeFunction } from './function-models.ts';
import { type LoadRunOptions, loadRun } from './load-run.ts';
import { metricsWith } from './plug-ins.ts';
import { type RequiredModel, requiredModels, requiresModels } from './required-models.ts';

/** What a run evaluates, and an estimate of its model usage. */
export interface DryRunPlan extends UsageEstimate {
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
  /** Gates that differ for some tasks or tags. */
  readonly taskGates: readonly PlannedTaskGates[];
}

/** An entry of `gates.for`, and how many tasks and sessions it is for. */
export interface PlannedTaskGates extends TaskGates {
  readonly tasks: number;
  readonly sessions: number;
}

export type NamedModel = Pick<RequiredModel, 'model'> & { readonly provider: string };

/** The models that the run calls. */
export interface DryRunModels {
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

export type DryRunOptions = LoadRunOptions & EstimateOptions;

/** A planned run. */
export interface DryRun {
  readonly plan: DryRunPlan;
  readonly models: DryRunModels;
  /** What decides which gates the sessions have. */
  readonly labels: readonly GatedLabels[];
  readonly problems: readonly Problem[];
}

/** Reads the files and plans the run, without calling a model. Rejects only when the signal is aborted. */
export async function dryRun(
  paths: readonly string[],
  configuration: Configuration,
  options: DryRunOptions,
): Promise<DryRun> {
  const { sessions, files, problems, configuration: settings } = await loadRun(paths, configuration, options);
  options.signal.throwIfAborted();
  const required = requiredModels(settings);
  const estimate = await estimateModelUsage(sessions, settings, options);
  return {
    plan: createDryRunPlan(files, sessions, settings, options, estimate),
    labels: sessions.map(({ task, tags }) => ({ task, tags })),
    models: {
      judge: judgeFunction(settings) ?? required.judge,
      byMetric: required.byMetric,
      embedder: embedderFunction(settings) ?? required.embedder,
      maxCalls: settings.judge.maxCalls,
    },
    problems,
  };
}

async function estimateModelUsage(
  sessions: readonly Session[],
  configuration: Configuration,
  options: DryRunOptions,
): Promise<UsageEstimate> {
  const hasFunctions = judgeFunction(configuration) !== null || embedderFunction(configuration) !== null;
  if (!hasFunctions && !requiresModels(requiredModels(configuration))) return NO_MODEL_USAGE;
  const { estimateUsage } = await import('./estimate.ts');
  return estimateUsage(sessions, configuration, options);
}

function createDryRunPlan(
  files: readonly FileSummary[],
  sessions: readonly Session[],
  configuration: Configuration,
  { turn, ...options }: DryRunOptions,
  estimate: UsageEstimate,
): DryRunPlan {
  const turnsOf = ({ turns }: Session) => (turn === undefined ? turns.length : Number(turn < turns.length));
  const byFile = Map.groupBy(sessions, ({ source }) => source.file);
  const plan = planMetrics(metricsWith(configuration, options), configuration);
  const planned = [...plan.turn, ...plan.session, ...plan.scenario, ...plan.run];
  const metrics = planned.filter(({ template: frame }) => !frame.implied).map(({ metric }) => metric);
  const judged = metrics.filter((metric) => metric.usesJudge);
  return {
    sessions: sessions.length,
    turns: sumOf(sessions, turnsOf),
    files: files.flatMap(({ file, format }) => {
      const selected = byFile.get(file) ?? [];
      if (format === null || selected.length === 0) return [];
      return [{ file, format, sessions: selected.length, turns: sumOf(selected, turnsOf) }];
    }),
    metrics: {
      run: metrics.filter((metric) => !judged.includes(metric)).map(({ name }) => name),
      implied: planned.filter(({ template: frame }) => frame.implied).map(({ metric }) => metric.name),
      judge: judged.map(({ name }) => name),
      reference: metrics.filter(({ needs }) => needs.includes('reference')).map(({ name }) => name),
    },
    thresholds: configuration.gates.thresholds ?? {},
    taskGates: (configuration.gates.for ?? []).map((own) => {
      const matching = sessions.filter((session) => isSubject(own, session));
      const tasks = new Set(matching.flatMap(({ task }) => task?.id ?? []));
      return { ...own, tasks: tasks.size, sessions: matching.length };
    }),
    ...estimate,
  };
}

function sumOf(sessions: readonly Session[], of: (session: Session) => number): number {
  return sessions.reduce((sum, session) => sum + of(session), 0);
}
