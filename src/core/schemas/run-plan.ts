import * as z from 'zod/mini';
import { LEVELS, SEVERITIES } from '../severity.ts';
import { ESTIMATORS } from '../statuses.ts';
import { judgeCalibrationSchema } from './judge-labels.ts';
import { embedderNameSchema, modelNameSchema } from './report.ts';
import { resultTemplateSchema, severitySchema } from './result.ts';
import { riskCoefficientsSchema } from './risk-coefficients.ts';

const scopeSchema = z.enum(['turn', 'session', 'scenario', 'run']);

/** A metric of the run. Its function is bound by name when the plan is carried out. */
const metricEntrySchema = z.object({
  name: z.string(),
  scope: scopeSchema,
  /** Of its definition; absent in records of versions that did not have it. */
  version: z.optional(z.number()),
  /** As configured; the metric's own schema reads them when it is bound. */
  options: z.record(z.string(), z.unknown()),
  template: resultTemplateSchema,
  /** Whether the user set the threshold: a score that misses it is a problem then. */
  hasOwnThreshold: z.boolean(),
});

/** Which sessions and tasks a gate is for, where it replaces the one for all: at most one of these. None: all. */
const gateSubjectSchema = {
  /** A pattern of the ids of tasks. */
  task: z.optional(z.string()),
  /** A pattern of tags. */
  tag: z.optional(z.string()),
};

/** A threshold that gates: on the mean of a metric's scored results within a scope. */
export const gateThresholdSchema = z.object({
  /** What the gate is called: the metric, or a part of it. */
  name: z.string(),
  metric: z.object({ name: z.string(), scope: scopeSchema }),
  /** The part of the metric that is measured, a key of `parts` in its metadata; absent: its own score. */
  part: z.optional(z.string()),
  value: z.number(),
  lowerIsBetter: z.boolean(),
  /** What the threshold gates: a metric of several sessions cannot gate one of them. */
  gateScope: z.enum(['run', 'scenario', 'session']),
  ...gateSubjectSchema,
});

const failOnSchema = z.enum([...SEVERITIES, 'never']);

const levelSchema = z.enum([...LEVELS, 'off']);

/** A rule's level, or an object of its level and options. */
const ruleSettingSchema = z.union([levelSchema, z.catchall(z.object({ level: z.optional(levelSchema) }), z.unknown())]);

/** A minimum for pass@k or pass^k of each task. */
const attemptsGateSchema = z.object({
  k: z.number(),
  measure: z.enum(['pass@k', 'pass^k']),
  value: z.number(),
  /** Whether the estimate must reach it, or the lower end of its 95% interval. */
  bound: z.enum(['point', 'lower']),
});

/** Everything that decides what a run computes, as plain data: it can be stored, sent to a worker and resumed. */
export const runPlanSchema = z.object({
  schemaVersion: z.literal(1),
  id: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  version: z.string(),
  /** Of all rules, by id, and of what makes outcomes and verdicts; absent in records of versions that did not have it. */
  versions: z.optional(z.object({ rules: z.record(z.string(), z.number()), verdict: z.number() })),
  agentVersion: z.nullable(z.string()),
  /** In an order in which every metric comes after those that it uses. */
  metrics: z.array(metricEntrySchema),
  /**
   * Where tasks have metrics of their own: the first group with the id of a task counts, and null stands for all others. Absent:
   * all have the same.
   */
  metricsByTask: z.optional(
    z.array(z.object({ tasks: z.nullable(z.array(z.string())), metrics: z.array(metricEntrySchema) })),
  ),
  /** Metrics of `--metrics`, of which the table says why one has no score; absent without it. */
  namedMetrics: z.optional(z.array(z.string())),
  /** Metrics that answer with failure labels. */
  failureMetrics: z.array(z.string()),
  thresholds: z.array(gateThresholdSchema),
  gates: z.object({
    failOn: failOnSchema,
    /** For some sessions; the last that matches counts. Absent: none differs. */
    failOnByTask: z.optional(z.array(z.object({ ...gateSubjectSchema, failOn: failOnSchema }))),
    /** Whether a failed outcome fails its session: recorded, or by what a test expects. Also of a run that ended in an error. */
    outcome: z.boolean(),
    /** Share of the results that must be scored, from 0 to 1. */
    minCoverage: z.number(),
    /** What all attempts of a task gate together, instead of each of them; null: each of them. */
    attempts: z.nullable(attemptsGateSchema),
    /** Metrics whose judge is not calibrated, so that they inform and do not gate; absent: all gate. */
    informing: z.optional(z.array(z.string())),
  }),
  /** What labels say about the judges of this run, by which its shares are corrected; absent without any. */
  calibrations: z.optional(z.array(judgeCalibrationSchema)),
  /** False where the rules are off altogether. */
  rulesEnabled: z.boolean(),
  /** By rule id, as configured. */
  rules: z.record(z.string(), ruleSettingSchema),
  /** By failure label; they win over the built-in severities. */
  severities: z.record(z.string(), severitySchema),
  /** Patterns of names. */
  stateChangingTools: z.array(z.string()),
  /** The weights of the project; null: those that ship with Turnwise. */
  risk: z.nullable(riskCoefficientsSchema),
  judge: z.nullable(modelNameSchema),
  /** By metric, for metrics with a judge of their own. */
  judges: z.record(z.string(), modelNameSchema),
  /** Of the default judge's model, per million tokens; null where it is unknown. */
  price: z.nullable(z.object({ input: z.number(), output: z.number() })),
  embedder: z.nullable(embedderNameSchema),
  questionsPerCall: z.number(),
  /** Absent: 1. */
  turnsPerCall: z.optional(z.number()),
  concurrency: z.number(),
  /**
   * Base64; it draws the boundary between the passages of a prompt, so that a worker's prompts hit the same cache. It travels
   * with the plan and never with the record of the run. Null where no model is asked.
   */
  boundaryKey: z.nullable(z.string()),
  /** The only turn of each session to evaluate, zero-based; null: all. */
  turn: z.nullable(z.number()),
  /** Which k of pass@k and pass^k; null: 1 to the smallest number of attempts. */
  k: z.nullable(z.array(z.number())),
  /** Null: unbiased. */
  estimator: z.nullable(z.enum(ESTIMATORS)),
  /** `verdict` or a metric; null: an imported outcome, else the verdict. */
  correctBy: z.nullable(z.string()),
});
