import * as z from 'zod/mini';
import { BASELINE_ANSWERS, OUTCOME_SOURCES, OUTCOME_STATUSES, RUN_STATES, VERSION_SOURCES } from '../statuses.ts';
import {
  alertSchema,
  headlineSchema,
  runShardSchema,
  sessionReportSchema,
  usageSchema,
  verdictSchema,
} from './report.ts';
import { severitySchema } from './result.ts';
import { runPlanSchema } from './run-plan.ts';
import { sessionFactsSchema } from './session-outcome.ts';

/** The record of a run: `manifest.json` says what makes it comparable, `sessions.jsonl` what it found. */

/** Where the code of the agent stood; null outside of a git work tree. */
export const gitStateSchema = z.object({
  commit: z.string(),
  /** Null for a detached commit. */
  branch: z.nullable(z.string()),
  /** Whether tracked files had uncommitted changes. */
  dirty: z.boolean(),
});

/** The agent that was evaluated. */
export const recordedAgentSchema = z.object({
  /** As the traces name it; null where they do not, or name several. */
  name: z.nullable(z.string()),
  version: z.nullable(z.string()),
  /** What says the version; null where nothing does. */
  versionFrom: z.nullable(z.enum(VERSION_SOURCES)),
  /** The models that its calls name, sorted. */
  models: z.array(z.string()),
});

/** A metric over a run: the mean of its scored sessions. */
const recordedMeanSchema = z.object({
  mean: z.number(),
  /** Sessions with a score. */
  n: z.number(),
});

/** What lists of runs show, so that none of them reads results. */
export const runTotalsSchema = z.object({
  sessions: z.number(),
  turns: z.number(),
  tasks: z.number(),
  /** With the gates of a baseline and of alerts, if the run had them. */
  verdict: verdictSchema,
  /** What the baseline said; absent without `--baseline`. */
  baseline: z.optional(z.enum(BASELINE_ANSWERS)),
  outcomes: z.object({ succeeded: z.number(), failed: z.number(), unknown: z.number() }),
  verdicts: z.object({ passed: z.number(), failed: z.number(), undecided: z.number() }),
  /** Problems by severity. */
  problems: z.record(z.string(), z.number()),
  /** Share of the applicable results that were scored; null where none applies. */
  coverage: z.nullable(z.number()),
  usage: usageSchema,
  /** By metric. */
  means: z.record(z.string(), recordedMeanSchema),
});

export const runManifestSchema = z.object({
  schemaVersion: z.literal(1),
  id: z.string(),
  /** As its user named it. */
  name: z.optional(z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  /** ISO 8601; null while it runs, and after a crash. */
  endedAt: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  tool: z.object({ name: z.literal('turnwise'), version: z.string() }),
  /** Absolute path of the project: the root of the git work tree, else the folder of the run. */
  project: z.string(),
  /** The folder that paths are relative to, from the project; absent where it is the project itself. */
  folder: z.optional(z.string()),
  /** The paths as they were given. */
  inputs: z.array(z.string()),
  /** What the command selected of them; absent: everything. */
  selection: z.optional(
    z.object({
      session: z.optional(z.string()),
      sample: z.optional(z.number()),
      /** The id of the run since which they are new; null where it was the first. */
      sinceRun: z.optional(z.nullable(z.string())),
    }),
  ),
  /** Absent: it is all of the run. */
  shard: z.optional(runShardSchema),
  /** What is computed; the key of the prompts stays with the installation. */
  plan: z.omit(runPlanSchema, { boundaryKey: true }),
  /** By metric: a hash of all that it asks a model, its instructions and the schema of its answer; absent for others. */
  questions: z.record(z.string(), z.string()),
  /** Settings that decide what a judge answers; null without one. */
  sampling: z.nullable(z.object({ temperature: z.number(), samples: z.number() })),
  /** The versions that model servers reported, by `provider/model`; empty where none did. */
  modelVersions: z.record(z.string(), z.string()),
  /** A hash of the configuration as it was applied. */
  configuration: z.string(),
  agent: recordedAgentSchema,
  git: z.nullable(gitStateSchema),
  /** `complete`: everything was evaluated and reduced. */
  state: z.enum(RUN_STATES),
  /** Who or what stopped it, as a sentence; absent unless it was stopped. */
  stoppedBy: z.optional(z.string()),
  /** What moved away from the runs before; absent where no alert is configured, or where none was raised. */
  alerts: z.optional(z.array(alertSchema)),
  /** Of the tasks of its sessions, sorted: runs with the same hash evaluated the same tasks. Null until it is complete. */
  tasksHash: z.nullable(z.string()),
  /** Null until it is complete or stopped. */
  totals: z.nullable(runTotalsSchema),
});

/** A session as an attempt of its task, without texts of the trace. */
export const recordedAttemptSchema = z.object({
  /** A hash, equal for attempts of one task. */
  group: z.string(),
  /** Keys of what it changed, with the name of the tool and the number of its arguments. */
  changes: z.array(z.tuple([z.string(), z.string(), z.number()])),
  ...z.pick(sessionFactsSchema, { unknownCalls: true, endedEarly: true, fingerprint: true }).shape,
});

/** What comparisons, trends and baselines read of a session: small, and without any text of the trace but names. */
export const recordedSessionSchema = z.object({
  id: z.string(),
  /** Relative to the project where it is inside it. */
  file: z.string(),
  line: z.nullable(z.number()),
  task: sessionReportSchema.shape.task,
  tags: sessionReportSchema.shape.tags,
  /** Hashes: of what the user wrote, and of the whole session as it was read. */
  inputs: z.string(),
  content: z.string(),
  verdict: verdictSchema,
  outcome: z.object({ status: z.enum(OUTCOME_STATUSES), source: z.nullable(z.enum(OUTCOME_SOURCES)) }),
  headline: headlineSchema,
  /** Whether the attempt was correct, as pass@k counts it; null where it is not known. */
  correct: z.nullable(z.boolean()),
  /** Scored results by metric: of a turn metric the mean over its turns. */
  scores: z.record(z.string(), z.number()),
  /** Of `scores`, those that a judge gave, at least in part. */
  judged: z.array(z.string()),
  /** Of `scores`, those with a threshold. */
  passed: z.record(z.string(), z.boolean()),
  /** Problems by failure label and by rule, and the worst severity among them. */
  labels: z.record(z.string(), z.number()),
  rules: z.record(z.string(), z.number()),
  severity: z.nullable(severitySchema),
  turns: z.number(),
  calls: z.number(),
  tokens: z.nullable(z.number()),
  /** In US dollars, as the trace says. */
  cost: z.nullable(z.number()),
  durationMs: z.nullable(z.number()),
  /** What it changed, to compare later attempts with it; absent without a task or content, and in older records. */
  attempt: z.optional(recordedAttemptSchema),
});
