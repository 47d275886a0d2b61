import * as z from 'zod/mini';
import { failureGroupSchema, gateSchema, runInfoSchema, usageSchema, verdictSchema } from '../core/schemas/report.ts';
import { scoreRangeSchema, severitySchema } from '../core/schemas/result.ts';
import { fileLocation, fileUri, pageParams, staleCause } from './messages.ts';
import { count, list, reportProblem, score, target, unscoredGroup } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/**
 * The report of one session, as the panel shows it: a header, which is small whatever the session is, and everything else when
 * somebody looks at it. Turns are in `turn-rows.ts`, filter and find in `find.ts`, what the editor does in `panel.ts`.
 */

const session = z.string();

const gate = z.pick(gateSchema, { scope: true, metric: true, threshold: true, actual: true, met: true, reason: true });
export type ReportGate = z.infer<typeof gate>;

/** `waiting`: it is being evaluated; `failed`: a model was asked, and something of its answers is missing. */
const turnCoverage = z.enum(['waiting', 'rules', 'judged', 'failed']);
export type TurnCoverage = z.infer<typeof turnCoverage>;

/** A column per fact: each list has one entry per turn, and there may be ten thousand. */
const problemStrip = z.object({
  turns: count,
  /** `turn_risk`, from 0 to 1; null where it has no score. */
  risk: list(z.nullable(z.number())),
  /** Of the worst failure; null where there is none. */
  severity: list(z.nullable(severitySchema)),
  failures: list(count),
  coverage: list(turnCoverage),
  /** Why the risk is what it is: which of the `reasons`. Null: the row of the turn says it. */
  reason: list(z.nullable(count)),
  /** Those of different turns are often the same. */
  reasons: list(z.string()),
});
export type ProblemStrip = z.infer<typeof problemStrip>;

/** A turn in the risk strip. */
export interface StripCell {
  /** Zero-based. */
  readonly index: number;
  readonly risk: number | null;
  readonly severity: ProblemStrip['severity'][number];
  readonly failures: number;
  readonly coverage: TurnCoverage;
  readonly reason: string | null;
}

/** Undefined when there is no such turn. */
export function stripCell(strip: ProblemStrip, index: number): StripCell | undefined {
  const state = strip.coverage[index];
  if (state === undefined) return undefined;
  const reason = strip.reason[index] ?? null;
  return {
    index,
    risk: strip.risk[index] ?? null,
    severity: strip.severity[index] ?? null,
    failures: strip.failures[index] ?? 0,
    coverage: state,
    reason: reason === null ? null : (strip.reasons[reason] ?? null),
  };
}

const run = z.object({
  ...z.pick(runInfoSchema, { complete: true }).shape,
  ...z.pick(usageSchema, { judgeCalls: true, judgeCallsCached: true, promptTokens: true, completionTokens: true })
    .shape,
  /** ISO 8601; null when unknown. */
  startedAt: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  /** In the currency of the configured price; null without one. */
  cost: z.nullable(z.number()),
  /** Why the run is undecided, a sentence each. */
  undecided: z.optional(list(z.string())),
});
/** The evaluation that the session was part of. */
export type ReportRun = z.infer<typeof run>;

/** How many turns each choice of a filter would leave. */
const facetChoice = z.object({ name: z.string(), turns: count });
const facets = z.object({
  /** Metrics that have a score in some turn, those that miss their threshold most often first. */
  metrics: list(facetChoice),
  labels: list(facetChoice),
  severities: list(facetChoice),
  /** Ways to have, and to be without, a score. */
  statuses: list(facetChoice),
  belowThreshold: count,
});
export type Facets = z.infer<typeof facets>;

const verdictReason = z.object({
  sentence: z.string(),
  /** Zero-based; null where it is not about one turn. */
  turn: z.nullable(count),
  /** Null where it is not a failure. */
  severity: z.nullable(severitySchema),
  target: z.nullable(target),
});
/** A sentence that says why the verdict is what it is, or what the risk comes from. */
export type VerdictReason = z.infer<typeof verdictReason>;

const header = z.object({
  /** Grows with each change of the results. */
  revision: count,
  key: session,
  id: z.string(),
  file: z.object({ name: z.string(), uri: z.string() }),
  /** Name of the format that read it. */
  format: z.string(),
  /** Where it begins. */
  target,
  /** How it stands to its files: `stale`: they, or what they were evaluated with, have changed since; `gone`: they are not there. */
  state: z.enum(['fresh', 'stale', 'gone']),
  changed: staleCause,
  verdict: verdictSchema,
  risk: z.nullable(z.number()),
  /** What the risk comes from, or why there is none. */
  riskReason: z.nullable(z.string()),
  /** The worst first. */
  why: list(verdictReason),
  failures: count,
  gates: list(gate),
  coverage: z.object({ scored: count, of: count }),
  unscored: list(unscoredGroup),
  /** Of the session as a whole; what people think of them is in `explanations`, and so is what of the transcript they cite. */
  scores: list(score),
  /** `provider/model` of each model that judged; none: the rules alone. */
  judges: list(z.string()),
  run,
  /** While it is being evaluated: how many of its turns are done. What else is said is of before, or nothing yet. */
  turnsDone: z.nullable(count),
  strip: problemStrip,
  facets,
  /** How many sessions were read from the same file; `siblings` lists them. */
  siblings: count,
});
export type ReportHeader = z.infer<typeof header>;

/** The header of a session's report; null when the session is not held. */
export const sessionReport = defineRequest(
  'turnwise/report',
  z.object({ session }),
  z.object({ header: z.nullable(header) }),
);

/**
 * Which turns are not as they were in an revision; null: any may be, and their number too. The host asks, and tells the panel by
 * an event.
 */
export const reportChanges = defineRequest(
  'turnwise/report/changes',
  z.object({ session, since: count }),
  z.object({ revision: count, turns: z.nullable(list(count)) }),
);

const fileSession = z.object({
  key: session,
  id: z.string(),
  verdict: verdictSchema,
  risk: z.nullable(z.number()),
  turns: count,
  failures: count,
  headline: z.nullable(z.string()),
});
export type FileSession = z.infer<typeof fileSession>;

/** The sessions that were read from the same file, as they stand in it; this one among them. */
export const fileSessions = defineRequest(
  'turnwise/report/siblings',
  z.object({ session, ...pageParams }),
  z.object({
    total: count,
    /** The place of this session in the list, zero-based. */
    at: count,
    rows: list(fileSession),
  }),
);

const signal = z.object({
  metric: z.string(),
  /** What it asks, as a sentence. */
  question: z.nullable(z.string()),
  scale: z.nullable(z.readonly(scoreRangeSchema)),
  threshold: z.nullable(z.number()),
  lowerIsBetter: z.boolean(),
  /** One per turn; null where there is no score. */
  values: list(z.nullable(z.number())),
});
export type ReportSignal = z.infer<typeof signal>;

/** Scores over the turns, for a chart. Without names: those that are signals by default, as far as they have a score. */
export const signals = defineRequest(
  'turnwise/report/signals',
  z.object({ session, metrics: z.optional(list(z.string()).check(z.maxLength(12))) }),
  z.object({
    signals: list(signal),
    /** The names of all metrics that can be drawn: numbers on a scale, in any turn. */
    available: list(z.string()),
  }),
);

const explanationTerm = z.object({
  /** What it is of: the id of a rule, the name of a signal, a turn of the session, a point of the trend. */
  of: z.enum(['rule', 'signal', 'turn', 'trend']),
  name: z.string(),
  /** What it adds to the figure: risk, penalty, uncertainty; null where it is no figure. */
  amount: z.nullable(z.number()),
  /** What the amount is: "adds to the risk", "risk of the turn". */
  unit: z.nullable(z.string()),
  sentence: z.string(),
  /** What the amount is made of, where that is known: a signal and its part. */
  parts: list(z.object({ name: z.string(), amount: z.number() })),
  /** Zero-based. */
  turns: list(count),
  turnsOmitted: count,
  /** `counted`: it is one of those that the figure is the mean of; `flagged`: it is high by itself. */
  marks: list(z.enum(['counted', 'flagged'])),
});
/** What a figure of a session is made of. */
export type ExplanationTerm = z.infer<typeof explanationTerm>;

const explanation = z.object({
  metric: z.string(),
  /** What it asks. */
  question: z.nullable(z.string()),
  /** Null where it has none: the sentences say why. */
  score: z.nullable(score),
  /** How the figure comes to be. */
  sentences: list(z.string()),
  /** The heaviest first. */
  terms: list(explanationTerm),
  termsOmitted: count,
});
export type Explanation = z.infer<typeof explanation>;

/** The metrics of a session, and what made them what they are. */
export const explanations = defineRequest(
  'turnwise/report/explanations',
  z.object({ session }),
  z.object({
    metrics: list(explanation),
    /** Reliability beside consistency, where both have a score. */
    quadrant: z.nullable(z.object({ reliability: z.number(), consistency: z.number(), sentence: z.string() })),
    /** The means of the turns' metrics. */
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

/** The failures of a session by kind, the most severe first. */
export const problemGroups = defineRequest(
  'turnwise/report/groups',
  z.object({ session }),
  z.object({ groups: list(problemGroup), groupsOmitted: count }),
);

/** The failures of one kind, in the order of their turns; `group` is its place among `groups`. */
export const groupOccurrences = defineRequest(
  'turnwise/report/occurrences',
  z.object({ session, group: count, ...pageParams }),
  z.object({ total: count, rows: list(reportProblem) }),
);

/**
 * Where a value stands in its file as it is on disk now. When it is gone: where what held it begins; null when the file
 * is no JSON any more.
 */
export const resolveLocation = defineRequest(
  'turnwise/locate',
  z.object({ uri: fileUri, pointer: z.string() }),
  z.object({ place: z.nullable(fileLocation) }),
);
