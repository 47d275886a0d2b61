import * as z from 'zod/mini';
import {
  agentOutcomeSchema,
  failureGroupSchema,
  gateSchema,
  headlineSchema,
  problemSchema,
  runInfoSchema,
  usageSchema,
  verdictSchema,
} from '../core/schemas/report.ts';
import { scoreRangeSchema, severitySchema } from '../core/schemas/result.ts';
import { OUTCOME_STATUSES } from '../core/statuses.ts';
import { fileLocation, fileUri, pageParams, staleCause } from './messages.ts';
import {
  count,
  expectedCalls,
  list,
  reportFeedback,
  reportProblem,
  score,
  target,
  unscoredGroup,
} from './report-values.ts';
import { defineRequest } from './rpc.ts';

/**
 * The report of one session: a small header, and further data on demand. Turns are in `turn-rows.ts`, filter and search in
 * `turn-search.ts`, editor actions in `panel.ts`.
 */

const session = z.string();

export const reportGate = z.pick(gateSchema, {
  scope: true,
  metric: true,
  threshold: true,
  actual: true,
  met: true,
  reason: true,
});
export type ReportGate = z.infer<typeof reportGate>;

/** `waiting`: not evaluated yet; `failed`: a model call failed, and results are missing. */
const turnCoverage = z.enum(['waiting', 'rules', 'judged', 'failed']);

/** One list per column, with an entry per turn; there may be ten thousand. */
const problemStrip = z.object({
  turns: count,
  /** The severity of the worst problem; null without problems. */
  severity: list(z.nullable(severitySchema)),
  problems: list(count),
  coverage: list(turnCoverage),
  /** The first problems, in the order of turns, and of each turn as its row lists them. */
  marks: list(z.object({ turn: count, severity: severitySchema })),
});
export type ProblemStrip = z.infer<typeof problemStrip>;

const run = z.object({
  ...z.pick(runInfoSchema, { complete: true }).shape,
  ...z.pick(usageSchema, { judgeCalls: true, judgeCallsCached: true, promptTokens: true, completionTokens: true })
    .shape,
  /** ISO 8601; null when unknown. */
  startedAt: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  /** In the currency of the configured price; null without one. */
  cost: z.nullable(z.number()),
  /** Why the session or its run is undecided, a sentence each. */
  undecided: z.optional(list(z.string())),
});
/** The evaluation that the session was part of. */
export type ReportRun = z.infer<typeof run>;

/** A filter choice with the number of matching turns. */
const facetChoice = z.object({ name: z.string(), turns: count });
const facets = z.object({
  /** Metrics with turn scores, those that miss their threshold most often first. */
  metrics: list(facetChoice),
  labels: list(facetChoice),
  severities: list(facetChoice),
  /** Result statuses. */
  statuses: list(facetChoice),
  belowThreshold: count,
});
export type Facets = z.infer<typeof facets>;

const headerProblem = z.object({
  /** Of its kind; the row of the turn has the reason. */
  title: z.string(),
  /** Zero-based. */
  turn: count,
  /** Its zero-based position among the problems of the turn. */
  position: count,
  severity: severitySchema,
});
/** A problem that the header names. */
export type HeaderProblem = z.infer<typeof headerProblem>;

const header = z.object({
  /** Increases with each change of the results. */
  revision: count,
  key: session,
  id: z.string(),
  file: z.object({ name: z.string(), uri: z.string() }),
  /** The trace format. */
  format: z.string(),
  /** The beginning of the session. */
  target,
  /** How it stands to its files: `stale`: they, or what they were evaluated with, have changed since; `gone`: they are not there. */
  state: z.enum(['fresh', 'stale', 'gone']),
  changed: staleCause,
  headline: headlineSchema,
  outcome: z.enum(OUTCOME_STATUSES),
  /** What says that it succeeded, where the headline says that it failed. */
  contradiction: z.optional(z.string()),
  /** Of the gates. */
  verdict: verdictSchema,
  risk: z.nullable(z.number()),
  riskLevel: z.nullable(z.enum(['low', 'elevated', 'high'])),
  /** The explanation of the risk, or why there is none. */
  riskReason: z.nullable(z.string()),
  /** Three at most, the most severe first. */
  worst: list(headerProblem),
  /** Expected calls that were not made as expected, as sentences, three at most; absent where there are none. */
  missedCalls: z.optional(list(z.string())),
  problems: count,
  gates: list(reportGate),
  coverage: z.object({ scored: count, of: count }),
  unscored: list(unscoredGroup),
  /** Session scores; their feedback and citations are in `explanations`. */
  scores: list(score),
  /** `provider/model` of each judge; empty for rules only. */
  judges: list(z.string()),
  /** The judge's scores of `task_completion`, 0 to 1: over how many turns, and the first turn with the lowest. */
  judgedTasks: z.nullable(z.object({ mean: z.number(), lowest: z.number(), turn: count, turns: count })),
  run,
  /** During an evaluation: the number of evaluated turns. The other values are outdated or empty until it finishes. */
  turnsDone: z.nullable(count),
  strip: problemStrip,
  facets,
  /** How many sessions were read from the same file. */
  sessionsInFile: count,
});
export type ReportHeader = z.infer<typeof header>;

/** The header of a session's report; null for an unknown session. */
export const sessionReport = defineRequest(
  'turnwise/report',
  z.object({ session }),
  z.object({ header: z.nullable(header) }),
);

/**
 * What the user says of the session as a whole: whether an evaluation has read that yet, and whether the trace records an
 * outcome, which is stronger.
 */
export const sessionFeedback = defineRequest(
  'turnwise/report/feedback',
  z.object({ session }),
  z.object({ feedback: z.nullable(reportFeedback), isCounted: z.boolean(), isRecorded: z.boolean() }),
);

const inputFile = z.object({ name: z.string(), target });

const runDetails = z.object({
  configurations: list(inputFile),
  /** Sidecars, criteria and expectations. */
  companions: list(inputFile),
  /** `provider/model`. */
  embedder: z.nullable(z.string()),
  questionsPerCall: z.number(),
  turnsPerCall: z.number(),
  agentVersion: z.nullable(z.string()),
  /** The names of the tools that the agent had; null where the trace does not say. */
  tools: z.nullable(list(z.string())),
  toolsOmitted: count,
  outcome: agentOutcomeSchema,
  /** About the files of the session. */
  warnings: list(z.object({ ...z.pick(problemSchema, { severity: true, message: true }).shape, line: count })),
  warningsOmitted: count,
});
export type ReportRunDetails = z.infer<typeof runDetails>;

/** What the session was evaluated with; null for an unknown session. */
export const sessionRun = defineRequest(
  'turnwise/report/run',
  z.object({ session }),
  z.object({ run: z.nullable(runDetails) }),
);

/** The turns that changed since a revision; null: any turn, and their number. The host requests it and notifies the panel. */
export const reportChanges = defineRequest(
  'turnwise/report/changes',
  z.object({ session, since: count }),
  z.object({ revision: count, turns: z.nullable(list(count)) }),
);

const signal = z.object({
  metric: z.string(),
  /** The metric's question. */
  question: z.nullable(z.string()),
  scale: z.nullable(z.readonly(scoreRangeSchema)),
  threshold: z.nullable(z.number()),
  lowerIsBetter: z.boolean(),
  /** One per turn; null without a score. */
  values: list(z.nullable(z.number())),
});
export type ReportSignal = z.infer<typeof signal>;

/** Scores over the turns, for a chart. Without names: those that are signals by default, as far as they have a score. */
export const signals = defineRequest(
  'turnwise/report/signals',
  z.object({ session, metrics: z.optional(list(z.string()).check(z.maxLength(12))) }),
  z.object({
    signals: list(signal),
    /** The names of all metrics with numeric turn scores. */
    available: list(z.string()),
  }),
);

const explanationTerm = z.object({
  /** The kind of the term: a rule, a signal, a turn or a point of the trend. */
  of: z.enum(['rule', 'signal', 'turn', 'trend']),
  name: z.string(),
  /** Its contribution to the score; null when it has none. */
  amount: z.nullable(z.number()),
  /** The unit of the amount: "adds to the risk", "risk of the turn". */
  unit: z.nullable(z.string()),
  sentence: z.string(),
  /** The parts of the amount, if known. */
  parts: list(z.object({ name: z.string(), amount: z.number() })),
  /** Zero-based. */
  turns: list(count),
  turnsOmitted: count,
  /** `counted`: part of the mean; `flagged`: high by itself. */
  marks: list(z.enum(['counted', 'flagged'])),
});
/** A term of a session score. */
export type ExplanationTerm = z.infer<typeof explanationTerm>;

const explanation = z.object({
  metric: z.string(),
  /** The metric's question. */
  question: z.nullable(z.string()),
  /** Null without a score; the sentences say why. */
  score: z.nullable(score),
  /** How the score is computed. */
  sentences: list(z.string()),
  /** The largest first. */
  terms: list(explanationTerm),
  termsOmitted: count,
});
export type Explanation = z.infer<typeof explanation>;

/** The session metrics with their explanations. */
export const explanations = defineRequest(
  'turnwise/report/explanations',
  z.object({ session }),
  z.object({
    metrics: list(explanation),
    /** Reliability and consistency, if both have a score. */
    quadrant: z.nullable(z.object({ reliability: z.number(), consistency: z.number(), sentence: z.string() })),
    /** The averages of turn metrics. */
    means: list(score),
  }),
);

const problemGroup = z.object({
  ...z.pick(failureGroupSchema, { label: true, severity: true, title: true, explanation: true, count: true }).shape,
  occurrences: list(reportProblem),
  occurrencesOmitted: count,
});
/** Problems of one kind. */
export type ReportProblemGroup = z.infer<typeof problemGroup>;

/** The problems of a session by kind, the most severe first. */
export const problemGroups = defineRequest(
  'turnwise/report/groups',
  z.object({ session }),
  z.object({ groups: list(problemGroup), groupsOmitted: count }),
);

/** The problems of one kind, in turn order; `group` is its index in `groups`. */
export const groupOccurrences = defineRequest(
  'turnwise/report/occurrences',
  z.object({ session, group: count, ...pageParams }),
  z.object({ total: count, rows: list(reportProblem) }),
);

/** The calls that are expected over the whole session; null where there are none. */
export const sessionCalls = defineRequest(
  'turnwise/report/expectedCalls',
  z.object({ session }),
  z.object({ expected: z.nullable(expectedCalls) }),
);

/** The location of a value in the current file; if it was removed, of its parent; null when the file is not valid JSON. */
export const resolveLocation = defineRequest(
  'turnwise/locate',
  z.object({ uri: fileUri, pointer: z.string() }),
  z.object({ location: z.nullable(fileLocation) }),
);
