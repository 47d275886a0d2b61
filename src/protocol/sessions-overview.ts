import * as z from 'zod/mini';
import { attemptsSummarySchema, headlineSchema } from '../core/schemas/report.ts';
import { scoreRangeSchema, severitySchema } from '../core/schemas/result.ts';
import { HEADLINE_KINDS, RISK_LEVELS } from '../core/statuses.ts';
import { fileUri, pageParams } from './messages.ts';
import { count, list } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** The table of the sessions of a file, a folder or the workspace. */

/** The URI of the file or the folder; null: all results. */
const scope = z.nullable(fileUri);

const SESSION_COLUMNS = [
  'session',
  'task',
  'outcome',
  'problem',
  'turns',
  'calls',
  'tokens',
  'cost',
  'duration',
  'risk',
] as const;
const column = z.enum(SESSION_COLUMNS);
export type OverviewColumn = z.infer<typeof column>;

export const MAX_FILTER_LENGTH = 1000;
const name = z.string().check(z.maxLength(MAX_FILTER_LENGTH));

const sort = z.object({
  column,
  /** By default the worst and the largest come first, and names go from A to Z. */
  isReversed: z.boolean(),
});
export type OverviewSort = z.infer<typeof sort>;

/** All criteria must match. */
const filter = z.object({
  /** Any of these kinds of headline. */
  kinds: z.optional(list(z.enum(HEADLINE_KINDS))),
  /** The label of a problem. */
  label: z.optional(name),
  /** The rule that found a problem. */
  rule: z.optional(name),
  /** In names, headlines and labels, ignoring case. */
  text: z.optional(name),
});
export type OverviewFilter = z.infer<typeof filter>;

export const overviewQuery = z.object({
  sort,
  filter,
  /** Whether the attempts of one task are in one row. */
  isGrouped: z.boolean(),
  /** The tasks whose attempts are listed below them. */
  expanded: list(z.string()),
});
export type OverviewQuery = z.infer<typeof overviewQuery>;

export const overviewSessionRow = z.object({
  type: z.literal('session'),
  key: z.string(),
  /** Whether it is listed below its task. */
  isAttempt: z.boolean(),
  /** Whether a clear majority of the attempts of its task made other changes. */
  standsOut: z.boolean(),
  id: z.string(),
  file: z.string(),
  /** The folder of the file, relative to what is shown; null: the same. */
  folder: z.nullable(z.string()),
  /** `of`: its data set and agent. */
  task: z.nullable(z.object({ name: z.string(), of: z.nullable(z.string()), attempt: z.nullable(z.string()) })),
  headline: headlineSchema,
  /** The most severe problem; null without problems. */
  worst: z.nullable(z.object({ severity: severitySchema, title: z.string() })),
  problems: count,
  turns: count,
  calls: z.nullable(count),
  tokens: z.nullable(z.number()),
  /** In US dollars. */
  cost: z.nullable(z.number()),
  durationMs: z.nullable(z.number()),
  risk: z.nullable(z.number()),
  riskLevel: z.nullable(z.enum(RISK_LEVELS)),
  /** How it stands to its file. */
  state: z.enum(['fresh', 'stale', 'gone']),
  /** Whether it is being evaluated now. */
  isRunning: z.boolean(),
});
export type OverviewSessionRow = z.infer<typeof overviewSessionRow>;

const interval = z.nullable(z.readonly(z.tuple([z.number(), z.number()])));
export const attemptEstimate = z.object({
  k: count,
  passAtK: z.number(),
  passPowK: z.number(),
  /** 95% of the Bayesian posterior. */
  passAtKInterval: interval,
  passPowKInterval: interval,
});
export type OverviewEstimate = z.infer<typeof attemptEstimate>;

/** The attempts of one task. */
const taskRow = z.object({
  type: z.literal('task'),
  key: z.string(),
  name: z.string(),
  /** The headline kind of its worst attempt. */
  kind: z.enum(HEADLINE_KINDS),
  attempts: count,
  /** How many attempts match the filter. */
  matching: count,
  succeeded: count,
  /** Attempts of which it is known whether they succeeded. */
  known: count,
  /** By k; empty where nothing is known. */
  estimates: list(attemptEstimate),
  /** How far its attempts and those of other agents made the same changes; null where there was nothing to compare. */
  agreement: z.nullable(
    z.object({ attempts: count, agreeing: count, standOut: count, likely: z.nullable(list(z.string())) }),
  ),
  /** `strategy_consistency`; null where no attempt calls a tool. */
  strategy: z.nullable(z.number()),
  isExpanded: z.boolean(),
});
export type OverviewTaskRow = z.infer<typeof taskRow>;

const row = z.discriminatedUnion('type', [overviewSessionRow, taskRow]);
export type OverviewRow = z.infer<typeof row>;

/** The sessions that match, and their tasks, in the order of the sort. A task stands where its first attempt would. */
export const overviewRows = defineRequest(
  'turnwise/overview/rows',
  z.object({ scope, ...overviewQuery.shape, ...pageParams }),
  z.object({
    total: count,
    /** Sessions that match. */
    matching: count,
    rows: list(row),
  }),
);

/** A filter choice with the number of sessions. */
const choice = z.object({ name: z.string(), sessions: count });
export type OverviewChoice = z.infer<typeof choice>;

export const overviewTotals = z.object({
  sessions: count,
  /** Sessions by the kind of their headline. */
  kinds: z.object({
    failed: count,
    undecided: count,
    problems: count,
    'not-run': count,
    clean: count,
    succeeded: count,
  }),
  /** How many sessions are being evaluated. */
  running: count,
  labels: list(choice),
  rules: list(choice),
  /** The columns in which any session has a value. */
  columns: list(column),
  /** Tasks with at least two attempts. */
  tasks: count,
});
export type OverviewSummary = z.infer<typeof overviewTotals>;

export const EMPTY_SUMMARY: OverviewSummary = {
  sessions: 0,
  kinds: { failed: 0, undecided: 0, problems: 0, 'not-run': 0, clean: 0, succeeded: 0 },
  running: 0,
  labels: [],
  rules: [],
  columns: [],
  tasks: 0,
};

/** What all sessions of the scope add up to. */
export const overviewSummary = defineRequest('turnwise/overview', z.object({ scope }), overviewTotals);

const distribution = z.object({
  metric: z.string(),
  unit: z.enum(['turn', 'session']),
  n: count,
  mean: z.number(),
  standardDeviation: z.nullable(z.number()),
  /** The 95% interval of the mean. */
  interval,
  scale: z.nullable(z.readonly(scoreRangeSchema)),
  threshold: z.nullable(z.number()),
  lowerIsBetter: z.boolean(),
  bins: list(z.object({ from: z.number(), to: z.number(), count })),
});
export type OverviewDistribution = z.infer<typeof distribution>;

export const overviewScoreTotals = z.object({
  distributions: list(distribution),
  /** What people would pass of the run by their labels, or why that is not known, beside the mean of the metric. */
  correctedShares: list(z.object({ metric: z.string(), text: z.string() })),
  /** `completion_rate`, or why it is unknown. */
  completion: z.object({ score: z.nullable(z.number()), reason: z.nullable(z.string()) }),
  /** Means over all tasks with several attempts; null without any. */
  attempts: z.nullable(
    z.object({
      ...z.pick(attemptsSummarySchema, { estimator: true, correctBy: true, scenarios: true, leftOut: true }).shape,
      table: list(z.object({ k: count, passAtK: z.number(), passPowK: z.number() })),
    }),
  ),
});
export type OverviewScores = z.infer<typeof overviewScoreTotals>;

/** What the scores of all sessions of the scope add up to. */
export const overviewScores = defineRequest('turnwise/overview/scores', z.object({ scope }), overviewScoreTotals);

/** Shows the report of a session. */
export const openSessionReport = defineRequest(
  'turnwise/panel/openReport',
  z.object({ session: z.string() }),
  z.object({}),
);

/** Evaluates what the panel shows; answers when it has finished. */
export const evaluateScope = defineRequest('turnwise/panel/evaluateScope', z.object({}), z.object({}));

/** The state of the panel, restored after a reload. */
export const overviewState = z.object({
  scope,
  /** Absent: as it opens. */
  query: z.optional(overviewQuery),
});
export type OverviewState = z.infer<typeof overviewState>;
