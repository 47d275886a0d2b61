import * as z from 'zod/mini';
import {
  COMPARABILITY_CODES,
  FLIP_DIRECTIONS,
  HEADLINE_KINDS,
  OUTCOME_STATUSES,
  PAIRED_BY,
  RUN_STATES,
} from '../statuses.ts';
import { comparedMetricSchema } from './compared-metric.ts';
import { modelNameSchema, verdictSchema } from './report.ts';
import { severitySchema } from './result.ts';

/** The comparison of runs, as `turnwise compare --format json` prints it. A run is referred to by its position in `runs`. */

const intervalSchema = z.tuple([z.number(), z.number()]);

const comparedRunSchema = z.object({
  id: z.string(),
  /** As views call it: its name, else its agent version, else its branch and commit, else its time; unique in the comparison. */
  label: z.string(),
  name: z.nullable(z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  state: z.enum(RUN_STATES),
  agent: z.object({ name: z.nullable(z.string()), version: z.nullable(z.string()) }),
  git: z.nullable(z.object({ commit: z.string(), branch: z.nullable(z.string()), dirty: z.boolean() })),
  sessions: z.number(),
  /** Tasks, and sessions without a task. */
  tasks: z.number(),
});

/** Something that differs between the manifests of a run and of the first. */
const comparabilityNoteSchema = z.object({
  code: z.enum(COMPARABILITY_CODES),
  /** The run that differs from the first. */
  run: z.number(),
  /** What cannot be compared for it: names of metrics; `all`; nothing where it only limits what a difference means. */
  withholds: z.union([z.literal('all'), z.array(z.string())]),
  /** A sentence: what differs. */
  reason: z.string(),
  /** A sentence: what to do; null where nothing helps. */
  remedy: z.nullable(z.string()),
  /** What it takes to judge a run with the judge of the other; absent unless another judge is the difference. */
  rejudge: z.optional(
    z.object({
      /** The run to be judged again. */
      run: z.number(),
      judge: modelNameSchema,
      /** How many of its sessions would be judged. */
      sessions: z.number(),
      of: z.number(),
      /** About how many tokens; null where the run of that judge does not say. */
      tokens: z.nullable(z.number()),
    }),
  ),
});

/** A session of one of the runs. */
const pairedSessionSchema = z.object({
  id: z.string(),
  file: z.string(),
  line: z.nullable(z.number()),
  trial: z.nullable(z.string()),
  verdict: verdictSchema,
  outcome: z.enum(OUTCOME_STATUSES),
  headline: z.object({ kind: z.enum(HEADLINE_KINDS), text: z.string(), turn: z.nullable(z.number()) }),
  severity: z.nullable(severitySchema),
});

const correctCountSchema = z.object({ correct: z.number(), of: z.number() });

const flipSchema = z.object({
  /** What the sessions are attempts of, as the second run names it; null for a session without a task. */
  task: z.nullable(z.string()),
  direction: z.enum(FLIP_DIRECTIONS),
  pairedBy: z.enum(PAIRED_BY),
  before: pairedSessionSchema,
  after: pairedSessionSchema,
  /** Of all attempts of the task, those that succeeded or passed, before and after; null for single sessions. */
  attempts: z.nullable(z.object({ before: correctCountSchema, after: correctCountSchema })),
});

/** A session of more than two runs that does not end the same in all of them. */
const changedSessionSchema = z.object({
  task: flipSchema.shape.task,
  /** In the order of the runs; null where a run has no such attempt. */
  sessions: z.array(z.nullable(pairedSessionSchema)),
});

/** What changed although the session did not: the judge answered differently. */
const judgeNoiseSchema = z.object({
  /** Pairs of sessions whose content is the same in both runs. */
  unchanged: z.number(),
  /** By judged metric: of unchanged sessions. */
  metrics: z.record(
    z.string(),
    z.object({ sessions: z.number(), changed: z.number(), meanChange: z.number(), largestChange: z.number() }),
  ),
  /** Unchanged sessions with another judged score or verdict, the largest change of a verdict or score first. */
  sessions: z.array(
    z.object({
      before: pairedSessionSchema,
      after: pairedSessionSchema,
      /** By metric: before and after. */
      scores: z.record(z.string(), z.tuple([z.number(), z.number()])),
    }),
  ),
});

const unpairedTaskSchema = z.object({
  /** Null for a session without a task. */
  task: z.nullable(z.string()),
  sessions: z.array(z.object({ id: z.string(), file: z.string(), line: z.nullable(z.number()) })),
});

const standingSchema = z.object({
  run: z.number(),
  mean: z.number(),
  ci95: intervalSchema,
  /** Sessions with a value. */
  n: z.number(),
  /** The best and the worst place that the run has in 95 % of the draws of tasks; 1 is best. */
  rank: intervalSchema,
});

const rankedMetricSchema = z.object({
  /** The run that is better than every other beyond chance; null where none is. */
  best: z.nullable(z.number()),
  /** Tasks that have a value in every run: what means, intervals and ranks are over. */
  tasks: z.number(),
  lowerIsBetter: comparedMetricSchema.shape.lowerIsBetter,
  unit: comparedMetricSchema.shape.unit,
  scale: comparedMetricSchema.shape.scale,
  /** The best mean first; empty where the metric cannot be compared. */
  standings: z.array(standingSchema),
  /** A sentence: why there is no best run, or what tells it from the others. */
  reason: z.string(),
});

export const runComparisonSchema = z.object({
  schemaVersion: z.literal(1),
  /** The first is what the others are compared with. */
  runs: z.array(comparedRunSchema),
  comparability: z.array(comparabilityNoteSchema),
  pairing: z.object({
    /** Tasks that all runs have. */
    tasks: z.number(),
    /** Pairs of sessions; of more than two runs, sessions of shared tasks. */
    sessions: z.number(),
    /** Of the tasks, those that were found by what their user writes: the name in the first run and in the second. */
    renamed: z.array(z.object({ before: z.string(), after: z.string() })),
    /** Tasks of the same name whose user writes something else in the second run. They are not compared. */
    changed: z.array(z.string()),
  }),
  /** By metric, the figures of a trace (`cost`, `tokens`, …), `verdict` and `correct` among them; of two runs, else empty. */
  metrics: z.record(z.string(), comparedMetricSchema),
  /** Sessions whose verdict or outcome changed, the worst first; of two runs, else empty. */
  flips: z.array(flipSchema),
  /** Of more than two runs: sessions whose verdict or outcome differs, those that fail in most runs first; else empty. */
  changedSessions: z.array(changedSessionSchema),
  /** Of two runs, else null. */
  noise: z.nullable(judgeNoiseSchema),
  /** By run: what some other run does not have. Counted and listed, never averaged. */
  onlyIn: z.array(z.object({ run: z.number(), tasks: z.array(unpairedTaskSchema) })),
  /** Of more than two runs, by metric; else null. */
  leaderboard: z.nullable(z.record(z.string(), rankedMetricSchema)),
});
