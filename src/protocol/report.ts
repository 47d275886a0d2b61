import * as z from 'zod/mini';
import { SEVERITIES } from '../core/severity.ts';
import { fileUri, place } from './messages.ts';
import { request } from './request.ts';

/**
 * The report of one session, as the panel shows it: a header, and its turns in pages. Texts of the trace come cut to
 * what a person reads at once; the whole of each is where its pointer leads.
 */

const count = z.int().check(z.nonnegative());
const severity = z.enum(SEVERITIES);

/** At most so many turns are answered at once. */
const MOST_TURNS = 100;

const target = z.object({ uri: z.string(), pointer: z.string() });
/** A value in a file, which can be shown there. */
export type Target = z.infer<typeof target>;

const excerpt = z.object({
  text: z.string(),
  /** How many characters follow in the file. */
  omitted: count,
});
/** The beginning of a text, or all of it. */
export type Excerpt = z.infer<typeof excerpt>;

const quote = z.object({ ...excerpt.shape, target });
export type Quote = z.infer<typeof quote>;

const call = z.object({
  kind: z.enum(['tool', 'retrieval', 'agent']),
  name: z.string(),
  /** The arguments of a tool, the query of a retrieval. */
  input: excerpt,
  outcome: z.enum(['ok', 'error', 'rejected', 'missing']),
  /** What came back, or what the tool said when it failed. */
  output: z.nullable(excerpt),
  requestedBy: z.enum(['agent', 'user']),
  target,
});
/** Something that the agent used. */
export type Call = z.infer<typeof call>;

const failure = z.object({
  /** Zero-based index of the turn. */
  turn: count,
  label: z.string(),
  severity,
  reason: z.string(),
  target,
});
export type Failure = z.infer<typeof failure>;

const score = z.object({
  metric: z.string(),
  /** `vacuous`: the metric's convention gives a score though there was nothing to judge. */
  status: z.enum(['scored', 'vacuous']),
  value: z.union([z.number(), z.string()]),
  /** Null for words, and for numbers that nobody gave a scale. */
  scale: z.nullable(z.readonly(z.tuple([z.number(), z.nullable(z.number())]))),
  threshold: z.nullable(z.number()),
  passed: z.nullable(z.boolean()),
  /** The name and meaning of the band that it is in. */
  band: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** The first evidence. */
  target: z.nullable(target),
});
export type Score = z.infer<typeof score>;

const unscored = z.object({
  status: z.enum(['error', 'cancelled', 'needs_judge', 'needs_embedder', 'needs_reference', 'not_applicable']),
  /** How many metrics there are; the reasons name those that share one. */
  metrics: count,
  reasons: z.readonly(z.array(z.object({ reason: z.string(), metrics: z.readonly(z.array(z.string())) }))),
});
/** Metrics that gave no score, by the way in which they gave none. */
export type Unscored = z.infer<typeof unscored>;

const gate = z.object({
  scope: z.enum(['run', 'scenario', 'session']),
  metric: z.string(),
  threshold: z.union([z.number(), severity]),
  met: z.nullable(z.boolean()),
  reason: z.string(),
});
export type Gate = z.infer<typeof gate>;

const cell = z.object({
  /** Zero-based. */
  index: count,
  /** `turn_risk`, from 0 to 1; null where it has no score. */
  risk: z.nullable(z.number()),
  reason: z.nullable(z.string()),
  failures: count,
});
/** A turn in the risk strip. */
export type Cell = z.infer<typeof cell>;

const header = z.object({
  id: z.string(),
  /** Where it begins. */
  target,
  verdict: z.enum(['passed', 'failed', 'undecided']),
  risk: z.nullable(z.number()),
  /** What the risk comes from, or why there is none. */
  riskReason: z.nullable(z.string()),
  /** The worst failures, the most severe first. */
  why: z.readonly(z.array(failure)),
  failures: count,
  gates: z.readonly(z.array(gate)),
  coverage: z.object({ scored: count, of: count }),
  unscored: z.readonly(z.array(unscored)),
  /** Of the session as a whole. */
  scores: z.readonly(z.array(score)),
  /** The model that judged; null: the rules alone. */
  judge: z.nullable(z.string()),
  /** False when the run was stopped before everything was computed. */
  complete: z.boolean(),
  /** One per turn. */
  cells: z.readonly(z.array(cell)),
});
export type ReportHeader = z.infer<typeof header>;

const turn = z.object({
  index: count,
  /** One-based, where the file has lines. */
  line: z.nullable(count),
  target,
  /** False when what happened was not recorded. */
  recorded: z.boolean(),
  /**
   * The file has changed since it was evaluated, or is gone: what was said in the turn cannot be read again. Input, output and
   * calls are then absent, whatever they were.
   */
  unread: z.optional(z.literal(true)),
  /** Null when the agent spoke first. */
  input: z.nullable(quote),
  /** Null when it said nothing. */
  output: z.nullable(quote),
  calls: z.readonly(z.array(call)),
  callsOmitted: count,
  failures: z.readonly(z.array(failure)),
  failuresOmitted: count,
  scores: z.readonly(z.array(score)),
  unscored: z.readonly(z.array(unscored)),
});
export type TurnRow = z.infer<typeof turn>;

/** The header of a session's report; null when the session is not held. */
export const report = request(
  'turnwise/report',
  z.object({ session: z.string() }),
  z.object({ header: z.nullable(header) }),
);

/** Some turns of a session, in order; fewer, or none, behind the last. */
export const turns = request(
  'turnwise/turns',
  z.object({ session: z.string(), from: count, count: z.int().check(z.positive(), z.maximum(MOST_TURNS)) }),
  z.object({ rows: z.readonly(z.array(turn)) }),
);

/**
 * Where a value stands in its file as it is on disk now. When it is gone: where what held it begins; null when the file
 * is no JSON any more.
 */
export const locate = request(
  'turnwise/locate',
  z.object({ uri: fileUri, pointer: z.string() }),
  z.object({ place: z.nullable(place) }),
);
