import * as z from 'zod/mini';
import { verdictSchema } from '../core/schemas/report.ts';
import { severitySchema } from '../core/schemas/result.ts';
import { INCOMPLETE_CAUSES, STATUSES } from '../core/statuses.ts';
import { TEXT_FIELDS } from '../core/text-field.ts';
import { reportGate } from './report.ts';
import { count, list } from './report-values.ts';
import { attemptEstimate, overviewScoreTotals, overviewSessionRow, overviewTotals } from './sessions-overview.ts';

/**
 * What an HTML report contains: the answers that the panel requests, made when the report was written. The values are in
 * compressed blocks, each a JSON list, so that a page reads only what it shows.
 */

/** Turns whose rows, and whose texts, are one value. */
export const TURNS_PER_VALUE = 100;

/** Rows of the timeline that are one value. */
export const TIMELINE_ROWS_PER_VALUE = 1000;

/** Where a value is: the number of its block, and its index in it. */
const place = z.readonly(z.tuple([count, count]));
export type ValuePlace = z.infer<typeof place>;

const occurrence = z.object({
  session: z.string(),
  turn: count,
  /** As `file:line`. */
  location: z.string(),
  reason: z.string(),
});

const problemGroup = z.object({
  title: z.string(),
  explanation: z.string(),
  severity: severitySchema,
  count,
  /** How many sessions have the problem. */
  sessions: count,
  /** The first ones. */
  occurrences: list(occurrence),
});
export type PageProblemGroup = z.infer<typeof problemGroup>;

const run = z.object({
  id: z.string(),
  version: z.string(),
  verdict: verdictSchema,
  /** Sentences: why it is undecided. */
  undecided: list(z.string()),
  /** Why there is no session though the run passed, as a sentence; null where there is one. */
  nothingNew: z.nullable(z.string()),
  /** How many gates, those of single sessions too, are met and not; null: undecided. */
  gateCounts: z.object({ met: count, unmet: count, undecided: count }),
  /** Of tasks and of the run. */
  gates: list(reportGate),
  gatesOmitted: count,
  /** A sentence each. */
  alerts: list(z.string()),
  startedAt: z.string(),
  durationMs: z.number(),
  /** Null where it is complete. */
  incomplete: z.nullable(z.enum(INCOMPLETE_CAUSES)),
  judge: z.nullable(z.string()),
  agentVersion: z.nullable(z.string()),
  /** Problems with which the run does not pass, whatever its verdict is: something could not be read, or does not exist. */
  errors: count,
  /** Of the run, and of its files; a sentence each, errors first. */
  problems: list(z.object({ severity: z.enum(['error', 'warning']), text: z.string() })),
  problemsOmitted: count,
  groups: list(problemGroup),
  groupsOmitted: count,
  /** Whether the run was recorded, so that its transcripts could be. */
  isRecorded: z.boolean(),
  /** How many sessions have their transcript in the report. */
  transcripts: count,
  /** Sessions without problems that were left out, so that the report does not become too large. */
  leftOut: count,
});
/** A run, as the first page of a report shows it. */
export type PageRun = z.infer<typeof run>;

const task = z.object({
  name: z.string(),
  sessions: list(z.string()),
  succeeded: count,
  known: count,
  estimates: list(attemptEstimate),
  strategy: z.nullable(z.number()),
  agreement: z.nullable(
    z.object({
      attempts: count,
      agreeing: count,
      standOut: list(z.string()),
      likely: z.nullable(list(z.string())),
    }),
  ),
});

const session = z.object({
  row: z.omit(overviewSessionRow, { isAttempt: true, standsOut: true }),
  /** The labels of its problems, and the rules that found them. */
  labels: list(z.string()),
  rules: list(z.string()),
  /** Null where it was left out. */
  report: z.nullable(place),
});
/** A session in the table. */
export type PageSession = z.infer<typeof session>;

export const pageIndex = z.object({
  run,
  summary: overviewTotals,
  scores: overviewScoreTotals,
  tasks: list(task),
  sessions: list(session),
});
export type PageIndex = z.infer<typeof pageIndex>;

/** The report of a session. Answers are checked when a request gets them. */
export const pageSession = z.object({
  /** By the method of the request, whose only parameter is the session. */
  answers: z.record(z.string(), z.unknown()),
  /** The problems of each kind. */
  occurrences: list(list(z.unknown())),
  /** The scores of every metric that a chart can show. */
  signals: list(z.looseObject({ metric: z.string() })),
  /** The metrics that it shows at first. */
  series: list(z.string()),
  /** By pages of `TURNS_PER_VALUE`. */
  turns: list(place),
  texts: list(place),
  /** By pages of `TIMELINE_ROWS_PER_VALUE`. */
  timeline: list(place),
  search: place,
  /** Null without sub-agents. */
  nested: z.nullable(place),
  /** By URI and pointer. */
  lines: z.record(z.string(), z.record(z.string(), count)),
  /** As Markdown. */
  issue: z.nullable(z.string()),
});
export type PageSessionReport = z.infer<typeof pageSession>;

/** Rows of turns, and the steps that do not come with them by the index of the turn. */
export const pageTurns = z.object({
  rows: list(z.unknown()),
  steps: z.record(z.string(), list(z.looseObject({ index: count }))),
});
export type PageTurns = z.infer<typeof pageTurns>;

/** The texts of turns in reading order. */
export const pageTexts = list(
  list(z.object({ text: z.string(), step: z.nullable(count), field: z.enum(TEXT_FIELDS), item: count })),
);

/** The turns of sub-agents, by the path to their step as JSON. */
export const pageNested = z.record(z.string(), z.object({ ...pageTurns.shape, texts: pageTexts }));

/** What a filter looks at. */
export const pageSearch = z.object({
  /** Different results of turns, and which of them each turn has; null: none. */
  results: list(z.record(z.string(), z.object({ status: z.enum(STATUSES), passed: z.nullable(z.boolean()) }))),
  turns: list(z.nullable(count)),
  problems: list(z.object({ turn: count, label: z.string(), severity: severitySchema, reason: z.string() })),
  observations: list(z.object({ turn: count, reason: z.string() })),
});
export type PageSearch = z.infer<typeof pageSearch>;
