import * as z from 'zod/mini';
import { ESTIMATORS, HEADLINE_KINDS, OUTCOME_SOURCES, OUTCOME_STATUSES, VERDICTS } from '../statuses.ts';
import { baselineResultSchema } from './baseline.ts';
import { comparedMetricSchema } from './compared-metric.ts';
import { resultsByMetricSchema, severitySchema } from './result.ts';
import { pointerSchema, scenarioLocationSchema, sourceSchema } from './session.ts';

/** The JSON report. Scripts rely on it: keys may be added, none renamed. */

export const verdictSchema = z.enum(VERDICTS);

/** Something about the input that the user should know: a sentence with its location and a remedy. */
export const problemSchema = z.object({
  /** Empty where it is about several files. */
  file: z.string(),
  pointer: z.nullable(pointerSchema),
  /** One-based; null where the location has no line. */
  line: z.nullable(z.number()),
  /** An `error` makes the exit code 2; a `warning` does not change it. */
  severity: z.enum(['error', 'warning']),
  /** Kebab-case, stable. */
  code: z.string(),
  message: z.string(),
});

export const usageSchema = z.object({
  judgeCalls: z.number(),
  judgeCallsCached: z.number(),
  /** By `provider/model`, cached answers included; only where metrics have judges of their own. */
  judgeCallsOf: z.optional(z.record(z.string(), z.number())),
  promptTokens: z.number(),
  completionTokens: z.number(),
  embeddedTexts: z.number(),
  /** By the configured price, in its currency; absent where there is none, or where it does not apply to every model. */
  cost: z.optional(z.number()),
});

export const modelNameSchema = z.object({ provider: z.string(), model: z.string() });
export const embedderNameSchema = z.object({
  provider: z.string(),
  model: z.nullable(z.string()),
  /** Of a static model: a hash of its files. */
  version: z.optional(z.string()),
});

/** The part of a run that one machine evaluates. */
export const runShardSchema = z.object({
  /** From 1. */
  index: z.number(),
  /** How many parts there are. */
  of: z.number(),
  /** The same for all parts of a run: a hash of what is evaluated, how, and by which of them. */
  plan: z.string(),
});

export const runInfoSchema = z.object({
  id: z.string(),
  /** The folder that paths are relative to, from the root of the git work tree; absent where it is the root, or where there is none. */
  folder: z.optional(z.string()),
  /** Absent: it is all of the run. */
  shard: z.optional(runShardSchema),
  /** ISO 8601. */
  startedAt: z.string(),
  durationMs: z.number(),
  /** False when the run was interrupted, or when parts of it are missing: what had finished is in the report. */
  complete: z.boolean(),
  agentVersion: z.nullable(z.string()),
  judge: z.nullable(modelNameSchema),
  embedder: z.nullable(embedderNameSchema),
  questionsPerCall: z.number(),
  /** Turns that may share a call to the judge; absent: 1. */
  turnsPerCall: z.optional(z.number()),
  /** Metrics whose thresholds the configuration sets: a score below one is a problem. Absent where it sets none. */
  ownThresholds: z.optional(z.array(z.string())),
  /** Metrics whose judge was calibrated for this question and threshold, with the judge; absent where none is. */
  calibrated: z.optional(z.record(z.string(), z.string())),
  /** Metrics of `--metrics`, of which the table says why one has no score; absent without it. */
  namedMetrics: z.optional(z.array(z.string())),
  /** Only with `--since-run`: the run since which sessions are new, and how many were left out because they are not. */
  sinceRun: z.optional(z.object({ id: z.string(), leftOut: z.number() })),
  usage: usageSchema,
});

/** Something that leaves a run undecided, unless something else fails it. */
export const undecidedSchema = z.object({
  /** Stable; a warning about the same in `problems` has the same code. */
  code: z.enum([
    'judge-unanswered',
    'function-failed',
    'metric-failed',
    'interrupted',
    'incomplete-merge',
    'gate',
    'nothing-recorded',
    'no-session',
  ]),
  /** A sentence: what is missing and how often, of which metrics, and why. */
  reason: z.string(),
  /** Why, in the words of the results' reasons; null where there is more than one reason, or none. */
  cause: z.nullable(z.string()),
  /** How many questions, results, sessions or gates the reason is about. */
  count: z.number(),
  /** How many of them each metric has, the most first. */
  metrics: z.record(z.string(), z.number()),
});

/** Whether the agent did its job. */
export const agentOutcomeSchema = z.object({
  status: z.enum(OUTCOME_STATUSES),
  /** The strongest source that decides; null where the status is unknown. */
  source: z.nullable(z.enum(OUTCOME_SOURCES)),
  /** What says so; of an unknown outcome, why it is unknown. */
  reason: z.string(),
  /** Weaker sources that say the opposite. */
  disagrees: z.array(z.enum(OUTCOME_SOURCES)),
});

/** What every view says of a session first. */
export const headlineSchema = z.object({
  kind: z.enum(HEADLINE_KINDS),
  text: z.string(),
  /** Zero-based index of the turn to look at first; null where it is about the whole session. */
  turn: z.nullable(z.number()),
});

export const gateSchema = z.object({
  scope: z.enum(['run', 'scenario', 'session']),
  /** Session id or task name; null for the run. */
  subject: z.nullable(z.string()),
  /** A metric's name, `severity` or `outcome`. */
  metric: z.string(),
  /** Of the outcome, `succeeded`. */
  threshold: z.union([z.number(), severitySchema, z.enum(OUTCOME_STATUSES)]),
  actual: z.nullable(z.union([z.number(), severitySchema, z.enum(OUTCOME_STATUSES)])),
  scored: z.number(),
  of: z.number(),
  met: z.nullable(z.boolean()),
  reason: z.string(),
  /** An alert that gates; its threshold is the mean of earlier runs. Absent for others. */
  alert: z.optional(z.literal(true)),
});

/** Of a compact report: metrics by the status of the result that is left out. */
const omittedSchema = z.optional(z.record(z.string(), z.array(z.string())));

export const turnReportSchema = z.object({
  id: z.string(),
  index: z.number(),
  pointer: pointerSchema,
  /** One-based line of the turn in its file; null when the file has no lines. */
  line: z.nullable(z.number()),
  /** Only where it is another file than the session's. */
  file: z.optional(z.string()),
  metrics: resultsByMetricSchema,
  omitted: omittedSchema,
});

export const sessionReportSchema = z.object({
  id: z.string(),
  source: sourceSchema,
  task: z.nullable(
    z.object({
      id: z.string(),
      trial: z.nullable(z.string()),
      dataset: z.nullable(z.string()),
      agent: z.nullable(z.string()),
      /** A sidecar, `--task-by` or the configuration gave the id; absent where the trace did. */
      declared: z.optional(z.literal(true)),
    }),
  ),
  /** Absent where it has none. */
  tags: z.optional(z.array(z.string())),
  /** The scenario that it is an attempt at; absent where the run did not make the attempt. */
  scenario: z.optional(scenarioLocationSchema),
  /** The files beside the trace that say what is expected of it, or how it ended; absent where there is none. */
  expectations: z.optional(z.array(z.string())),
  /** Of its gates. */
  verdict: verdictSchema,
  outcome: agentOutcomeSchema,
  headline: headlineSchema,
  /** Why it does not pass though nothing fails it, a sentence each; absent where it is decided. */
  undecided: z.optional(z.array(z.string())),
  /** Session metrics, and the mean of each turn metric over its scored turns (source `aggregate`). */
  metrics: resultsByMetricSchema,
  omitted: omittedSchema,
  /** Those that the session and all its turns leave out with this status; they do not name them in `omitted`. */
  omittedEverywhere: omittedSchema,
  turns: z.array(turnReportSchema),
});

/** One metric over the attempts of a task, in its own scale. */
export const attemptStatisticsSchema = z.object({
  /** Attempts that have a score. */
  n: z.number(),
  /** One score per attempt, in the order of the attempts; of a turn metric, the mean over the turns. */
  scores: z.array(z.number()),
  mean: z.number(),
  /** Of the population: the attempts are all there are. */
  standardDeviation: z.number(),
  /** Where 95% of single runs would fall if they were normal: mean -+ 1.96 standard deviations. */
  spreadOfSingleRuns: z.tuple([z.number(), z.number()]),
  /** Where the true mean lies with 95% confidence, by Student's t; null for a single attempt. */
  meanInterval: z.nullable(z.tuple([z.number(), z.number()])),
});

const intervalSchema = z.tuple([z.number(), z.number()]);

const estimateSchema = z.object({
  k: z.number(),
  value: z.number(),
  /** 95% interval of the Bayesian posterior; an unbiased value can lie outside. */
  ci: intervalSchema,
});

/** The attempts of one task. The report calls it a scenario. */
export const taskSummarySchema = z.object({
  name: z.string(),
  file: z.string(),
  line: z.nullable(z.number()),
  verdict: verdictSchema,
  assessment: z.nullable(z.string()),
  attempts: z.number(),
  correct: z.number(),
  /** Attempts whose correctness is unknown: they count neither as tried nor as correct. */
  leftOut: z.number(),
  passAtK: z.array(estimateSchema),
  passPowK: z.array(estimateSchema),
  metrics: resultsByMetricSchema,
  /** Of the turn and session metrics that have scores in at least two attempts; absent where none has. */
  statistics: z.optional(z.record(z.string(), attemptStatisticsSchema)),
  /** How far its attempts and those of other agents made the same changes; absent where none changed anything. */
  agreement: z.optional(
    z.object({
      /** Attempts that were compared: a session that was read twice counts once, one that ended early does not count. */
      attempts: z.number(),
      /** The largest number of them that made the same changes. */
      agreeing: z.number(),
      /** What those changed, which is likely and not known to be right; null where they are no more than half. */
      likely: z.nullable(z.array(z.string())),
      /** Ids of the sessions of this task that a clear majority contradicts. */
      standOut: z.array(z.string()),
    }),
  ),
  /** Ids of its sessions. */
  sessions: z.array(z.string()),
  traceFiles: z.array(z.string()),
});

export const attemptsSummarySchema = z.object({
  estimator: z.enum(ESTIMATORS),
  correctBy: z.string(),
  /** Tasks with an attempt whose correctness is known. */
  scenarios: z.number(),
  /** Attempts of all tasks whose correctness is unknown. */
  leftOut: z.number(),
  table: z.array(
    z.object({
      k: z.number(),
      passAtK: z.number(),
      /** 95%: of several tasks by bootstrap over tasks, of one task that of its Bayesian posterior. */
      passAtKCi: intervalSchema,
      passPowK: z.number(),
      passPowKCi: intervalSchema,
    }),
  ),
  /** Values of k that were asked for and exceed the attempts of a task: the unbiased estimator cannot give them. */
  omittedK: z.array(z.number()),
});

/** Where something begins and ends in its file; `line` is null, and the others are absent, when the file has no lines. */
const range = {
  /** One-based line where it begins. */
  line: z.nullable(z.number()),
  /** One-based, in UTF-16 code units, as are the following. */
  column: z.optional(z.number()),
  endLine: z.optional(z.number()),
  /** Behind the last character. */
  endColumn: z.optional(z.number()),
};

export const locatedEvidenceSchema = z.object({ file: z.string(), pointer: pointerSchema, ...range, note: z.string() });

/** Where something was found. */
export const traceLocationSchema = z.object({
  /** Session id. */
  session: z.string(),
  /** Of the first evidence, as are the pointer and the range. */
  file: z.string(),
  /** Zero-based index of the turn. */
  turn: z.number(),
  pointer: pointerSchema,
  ...range,
  /** The first entry is the location to look at. */
  evidence: z.array(locatedEvidenceSchema),
});

export const problemOccurrenceSchema = z.object({
  ...traceLocationSchema.shape,
  /** Its own: problems of several labels can have one cause, and be in one group. */
  label: z.string(),
  severity: severitySchema,
  /** The metric whose result names it, and the rule that found it: one of them, or both. */
  metric: z.nullable(z.string()),
  rule: z.nullable(z.string()),
  reason: z.string(),
});

/** Problems of one kind; every problem is in exactly one group. */
export const failureGroupSchema = z.object({
  /** Of its most severe occurrence, as is the severity. */
  label: z.string(),
  severity: severitySchema,
  count: z.number(),
  title: z.string(),
  explanation: z.string(),
  occurrences: z.array(problemOccurrenceSchema),
});

export const observationSchema = z.object({
  ...traceLocationSchema.shape,
  rule: z.string(),
  /** The rule's title. */
  title: z.string(),
  reason: z.string(),
});

export const suppressedFindingSchema = z.object({
  ...traceLocationSchema.shape,
  rule: z.string(),
  /** What the rule found. */
  finding: z.string(),
  /** Why it was suppressed. */
  reason: z.string(),
});

/** An early warning: what moved away from earlier runs. */
export const alertSchema = z.object({
  /** As the configuration names it: a metric, a measure, a rule or a label. */
  metric: z.string(),
  kind: z.enum(['persistent', 'drift']),
  direction: z.enum(['rises', 'falls']),
  /** A sentence. */
  message: z.string(),
  /** In this run, and before the change. */
  value: z.number(),
  reference: z.number(),
  /** Ids of the runs since which it holds, the oldest first. */
  runs: z.array(z.string()),
  /** Whether it fails the run. */
  gate: z.boolean(),
});

export const reportSchema = z.object({
  schemaVersion: z.literal(1),
  tool: z.object({ name: z.literal('turnwise'), version: z.string() }),
  run: runInfoSchema,
  /** Of the gates. */
  verdict: verdictSchema,
  /** How many sessions have which outcome. */
  outcomes: z.object({ succeeded: z.number(), failed: z.number(), unknown: z.number() }),
  /** Why the run does not pass though nothing fails it; empty where it is decided. */
  undecided: z.array(undecidedSchema),
  /** Of the run as a whole. */
  metrics: resultsByMetricSchema,
  gates: z.array(gateSchema),
  /** Agents that tried the same scenarios, each against the first; absent unless the run was to compare agents. */
  agents: z.optional(
    z.object({
      base: z.string(),
      others: z.array(z.object({ agent: z.string(), metrics: z.record(z.string(), comparedMetricSchema) })),
    }),
  ),
  /** Absent where the configuration has no alerts, and where the run is not recorded. */
  alerts: z.optional(z.array(alertSchema)),
  /** Absent without `--baseline`. */
  baseline: z.optional(baselineResultSchema),
  sessions: z.array(sessionReportSchema),
  scenarios: z.array(taskSummarySchema),
  attempts: z.nullable(attemptsSummarySchema),
  failures: z.array(failureGroupSchema),
  /** Findings that do not count against the agent, by session and turn. */
  observations: z.array(observationSchema),
  /** Findings that a person decided not to count. */
  suppressed: z.array(suppressedFindingSchema),
  problems: z.array(problemSchema),
});
