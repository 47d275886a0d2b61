import * as z from 'zod/mini';
import { verdictSchema } from './report.ts';
import { scoreRangeSchema, severitySchema } from './result.ts';
import { gitStateSchema, recordedSessionSchema, runManifestSchema } from './run-record.ts';

/** What recorded runs say of one subject over time, of one subject within a run, and which sessions and tasks are the worst. */

export const TREND_SUBJECTS = ['metric', 'measure', 'rule', 'label'] as const;

/** What one value is. `share`: of sessions, from 0 to 1. */
const TREND_UNITS = ['score', 'share', 'usd', 'tokens', 'ms', 'count'] as const;

export const trendSubjectSchema = z.object({
  /** A rule or label is the share of sessions that have such a problem. `measure`: cost, duration and what else is no metric. */
  kind: z.enum(TREND_SUBJECTS),
  name: z.string(),
  unit: z.enum(TREND_UNITS),
  /** Of a metric, in the newest run; null where it has none. */
  scale: z.nullable(scoreRangeSchema),
  threshold: z.nullable(z.number()),
  lowerIsBetter: z.boolean(),
  /** Only sessions of this task; null: all. */
  task: z.nullable(z.string()),
});

const intervalSchema = z.tuple([z.number(), z.number()]);

/** Which run a value belongs to, as an axis shows it. */
export const runLabelSchema = z.object({
  run: runManifestSchema.shape.id,
  name: runManifestSchema.shape.name,
  startedAt: runManifestSchema.shape.startedAt,
  git: z.nullable(gitStateSchema),
  agentVersion: z.nullable(z.string()),
  /** False where it was stopped, or is still running. */
  complete: z.boolean(),
});

export const trendPointSchema = z.object({
  ...runLabelSchema.shape,
  /** The mean over tasks of the mean over their sessions; null where no session has a value. */
  value: z.nullable(z.number()),
  /** 95% of the mean; null where fewer than two tasks or sessions have a value. */
  interval: z.nullable(intervalSchema),
  /** Sessions with a value that count. */
  n: z.number(),
  /** Their tasks; null where the sessions of the runs are no attempts of the same tasks. */
  tasks: z.nullable(z.number()),
  /** Sessions of tasks that other runs of the segment do not have: they do not count. */
  leftOut: z.number(),
  /** Index into `segments`. */
  segment: z.number(),
});

/** Consecutive runs whose values can be compared. */
export const trendSegmentSchema = z.object({
  /** Indices into `points`, both inclusive. */
  from: z.number(),
  to: z.number(),
  /** Why it is not comparable with the one before, as sentences; empty for the first one. */
  reasons: z.array(z.string()),
  /** Whether each value is over the same tasks, or each run has sessions of its own. */
  pairing: z.enum(['tasks', 'sessions']),
});

/** A change that chance does not explain: all positions of a segment were searched, and `p` is corrected for that. */
export const trendChangeSchema = z.object({
  /** Index into `points`: the first run after it. */
  at: z.number(),
  /** Means of the runs of its two sides. */
  before: z.number(),
  after: z.number(),
  /** Indices into `points` where the two sides begin and end. */
  from: z.number(),
  to: z.number(),
  p: z.number(),
  conclusion: z.enum(['better', 'worse']),
  /** A sentence. */
  text: z.string(),
});

/** The runs of one version of the agent, within one segment. */
export const trendVersionSchema = z.object({
  version: z.nullable(z.string()),
  /** Null: all tasks together. */
  task: z.nullable(z.string()),
  segment: z.number(),
  runs: z.number(),
  /** Sessions with a value. */
  n: z.number(),
  mean: z.number(),
  /** Of single sessions. */
  minimum: z.number(),
  maximum: z.number(),
  /** Mean minus the mean of all earlier versions of the segment; null for the first. */
  deviation: z.nullable(z.number()),
});

export const runTrendSchema = z.object({
  schemaVersion: z.literal(1),
  subject: trendSubjectSchema,
  /** The oldest run first. */
  points: z.array(trendPointSchema),
  segments: z.array(trendSegmentSchema),
  changes: z.array(trendChangeSchema),
  versions: z.array(trendVersionSchema),
  /** What to know before reading it, as sentences. */
  notes: z.array(z.string()),
});

export const metricDistributionSchema = z.object({
  schemaVersion: z.literal(1),
  subject: trendSubjectSchema,
  run: runLabelSchema,
  /** Sessions with a value, and without. */
  n: z.number(),
  missing: z.number(),
  /** Null where no session has a value. */
  mean: z.nullable(z.number()),
  median: z.nullable(z.number()),
  standardDeviation: z.nullable(z.number()),
  interval: z.nullable(intervalSchema),
  /** Sessions that miss the threshold; null without one. */
  missed: z.nullable(z.number()),
  /** Of the same width; the last one contains its end. */
  bins: z.array(z.object({ from: z.number(), to: z.number(), count: z.number() })),
});

/** A session of a leaderboard, the riskiest first. */
export const riskySessionSchema = z.object({
  ...z.pick(recordedSessionSchema, { id: true, file: true, line: true, headline: true }).shape,
  run: z.string(),
  task: z.nullable(z.string()),
  verdict: verdictSchema,
  /** `session_risk`, from 0 to 1; null where it says nothing. */
  risk: z.nullable(z.number()),
  severity: z.nullable(severitySchema),
});

/** A task of a leaderboard, the least reliable first. */
export const unreliableTaskSchema = z.object({
  task: z.string(),
  /** Runs that have attempts of it. */
  runs: z.number(),
  /** Attempts whose correctness is known. */
  attempts: z.number(),
  correct: z.number(),
  /** 95% interval of the share of correct attempts. */
  interval: intervalSchema,
  /** Whether attempts of one run disagree. */
  flaky: z.boolean(),
  /** The newest attempt that was not correct; null where all were. */
  example: z.nullable(
    z.object({ run: z.string(), ...z.pick(recordedSessionSchema, { id: true, file: true, line: true }).shape }),
  ),
});

export const leaderboardSchema = z.object({
  schemaVersion: z.literal(1),
  /** Of the newest run. */
  sessions: z.array(riskySessionSchema),
  /** Over all runs. */
  tasks: z.array(unreliableTaskSchema),
});
