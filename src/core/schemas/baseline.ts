import * as z from 'zod/mini';
import { BASELINE_ANSWERS, BASELINE_FINDINGS } from '../statuses.ts';

/** `turnwise.baseline.json`, which a team commits and reviews, and what a run answers to it. */

const count = z.int().check(z.minimum(0));
const date = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a date such as 2026-12-31'));
const names = z.array(z.string());

/** Of a column: of all attempts; or of those that are known, `[passed, known]`; null where nothing is known. */
const countOf = z.union([count, z.tuple([count, count]), z.null()]);

/** The columns are named once, under `columns`; zeros at the end of a list of problems are left out. */
const baselineTaskSchema = z.strictObject({
  attempts: count,
  /** The beginning of the hash of what the user writes, where all attempts agree. */
  inputs: z.optional(z.string()),
  passed: z.array(countOf),
  means: z.optional(z.array(z.nullable(z.number()))),
  /** Attempts with the failure label, or with a finding of the rule. */
  labels: z.optional(z.array(countOf)),
  rules: z.optional(z.array(countOf)),
});

/** What figures of two runs must have in common to be compared. */
const baselineIdentitySchema = z.strictObject({
  tool: z.string(),
  /** `provider/model`, as are the others. */
  judge: z.nullable(z.string()),
  judges: z.record(z.string(), z.string()),
  modelVersions: z.record(z.string(), z.string()),
  sampling: z.nullable(z.object({ temperature: z.number(), samples: z.number() })),
  embedder: z.nullable(z.string()),
  correctBy: z.nullable(z.string()),
  /** A hash of what verdicts and problems rest on: gates, rules, severities. */
  gates: z.string(),
  /** A hash of the versions of all rules, and the version of outcomes and verdicts; absent in older files. */
  versions: z.optional(z.strictObject({ rules: z.string(), verdict: z.number() })),
  /** By metric: a hash of its question, options, threshold and version. */
  metrics: z.record(z.string(), z.string()),
});

export const baselineSchema = z.strictObject({
  $schema: z.optional(z.string()),
  schemaVersion: z.literal(1),
  reason: z.string().check(z.minLength(1)),
  accepted: date,
  run: z.strictObject({
    id: z.string(),
    startedAt: z.string(),
    agent: z.strictObject({ name: z.nullable(z.string()), version: z.nullable(z.string()) }),
    commit: z.nullable(z.string()),
  }),
  /** The runs whose better figures were taken over since, by `--raise`. */
  raised: z.optional(
    z.array(z.strictObject({ run: z.string(), on: date, reason: z.string(), columns: z.array(z.string()) })),
  ),
  identity: baselineIdentitySchema,
  columns: z.strictObject({ passed: names, means: names, labels: names, rules: names }),
  /** Tasks that do not count until a date. */
  quarantine: z.optional(
    z.record(z.string(), z.strictObject({ until: date, reason: z.string().check(z.minLength(1)) })),
  ),
  /** By name, sorted. */
  tasks: z.record(z.string(), baselineTaskSchema),
});

const answerSchema = z.enum(BASELINE_ANSWERS);
const findingSchema = z.nullable(z.enum(BASELINE_FINDINGS));

/** A share of attempts, or a mean of tasks. */
const baselineFigureSchema = z.object({
  value: z.number(),
  /** Attempts that passed, or have the problem; absent of a mean. */
  count: z.optional(z.number()),
  /** Attempts; of a mean, tasks. */
  of: z.number(),
});

const baselineGateSchema = z.object({
  /** `correct`, `verdict`, a metric, a failure label or a rule. */
  name: z.string(),
  kind: z.enum(['passed', 'mean', 'label', 'rule']),
  answer: answerSchema,
  /** How sure it is that it is worse; null where nothing suggests it. */
  finding: findingSchema,
  before: z.nullable(baselineFigureSchema),
  after: z.nullable(baselineFigureSchema),
  /** Tasks that both have. */
  tasks: z.number(),
  /** One-sided, of the test alone; null where nothing was compared. */
  p: z.nullable(z.number()),
  /** Adjusted to all gates of the baseline: at most 0.01 is worse. */
  pAdjusted: z.nullable(z.number()),
  reason: z.string(),
  /** What would settle it: so many more attempts of each of these tasks; null where it is settled, or nobody knows. */
  settle: z.nullable(z.object({ attempts: z.number(), tasks: z.array(z.string()) })),
});

/** A task that fell. */
const baselineTaskFindingSchema = z.object({
  task: z.string(),
  gate: z.string(),
  finding: z.enum(BASELINE_FINDINGS),
  /** Its own attempts in the baseline disagree. */
  flaky: z.boolean(),
  before: z.tuple([z.number(), z.number()]),
  after: z.tuple([z.number(), z.number()]),
  p: z.number(),
});

/** What a run answers to a baseline: the key `baseline` of its report. */
export const baselineResultSchema = z.object({
  file: z.string(),
  /** Id of the run of the baseline; null where the file cannot be used. */
  run: z.nullable(z.string()),
  accepted: z.nullable(z.string()),
  answer: answerSchema,
  gates: z.array(baselineGateSchema),
  /** The surest first. */
  tasks: z.array(baselineTaskFindingSchema),
  /** Tasks whose attempts in the baseline disagree, in one of its columns `correct` and `verdict`. */
  flaky: z.array(z.object({ task: z.string(), before: z.tuple([z.number(), z.number()]) })),
  quarantined: z.array(z.object({ task: z.string(), until: z.string(), reason: z.string() })),
  /** Tasks that only the baseline has, and only the run. */
  missing: z.array(z.string()),
  added: z.array(z.string()),
  /** Sentences: why it is undecided as a whole. */
  undecided: z.array(z.string()),
  /** Sentences that change no answer, such as that a quarantine has ended. */
  notes: z.array(z.string()),
});
