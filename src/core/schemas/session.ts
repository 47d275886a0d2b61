import * as z from 'zod/mini';
import { SEVERITIES } from '../severity.ts';
import { ENDING_CAUSES, OUTCOME_STATUSES } from '../statuses.ts';
import { expectationsSchema } from './expectations.ts';

/**
 * The canonical shape that every trace format is read into.
 *
 * It is Turnwise's own file format plus provenance: every session, turn and step carries the JSON pointer of the
 * value it was read from, so that whatever is said about it can be traced to a line.
 */

/** An RFC 6901 JSON pointer. In a JSON Lines file its first token is the zero-based number of the line. */
export const pointerSchema = z.string();

const text = z.optional(z.string());
const record = z.record(z.string(), z.unknown());

export const sourceSchema = z.object({
  /** Path as the user would type it, or `-` for standard input. */
  file: z.string(),
  /** Name of the format that read it. */
  format: z.string(),
  pointer: pointerSchema,
});

/** A finding that a person decided not to count: it is shown as suppressed, and not lost. */
export const suppressionSchema = z.object({ rule: z.string(), reason: z.string() });

/**
 * A user's thumbs up or down on a turn, or on one thing that is said of it: by a metric, by a rule, or as a problem of a
 * label that no rule found. It changes no score.
 */
export const feedbackSchema = z.object({
  metric: text,
  rule: text,
  label: text,
  /** Whether it is right; of the turn itself, whether it is good. */
  value: z.enum(['up', 'down']),
  /** The score or the label that it is about, as it was then. */
  score: z.optional(z.union([z.number(), z.string()])),
  note: text,
  /** ISO 8601. */
  at: text,
});

/** Whether the agent did its job, as the trace or a person beside it says. */
export const recordedOutcomeSchema = z.object({
  /** `unknown` where there is an outcome that says neither: a reward outside its scale, graders without a verdict. */
  status: z.enum(OUTCOME_STATUSES),
  /** What says so, as `reward 0.0 in the trace`. */
  reason: z.string(),
  pointer: z.optional(pointerSchema),
});

/** How the run of the agent ended, as its harness recorded it. */
export const sessionEndingSchema = z.object({
  cause: z.enum(ENDING_CAUSES),
  /** In the words of the file, such as `max_steps`. */
  reason: z.string(),
  pointer: z.optional(pointerSchema),
});

/** Sessions of one task are attempts of it. */
export const taskSchema = z.object({
  id: z.string(),
  trial: text,
  dataset: text,
  agent: text,
  /** A person gave the id, and not the format: sessions with it are attempts of one task whatever their goals are. */
  declared: z.optional(z.literal(true)),
});

export const toolSchema = z.object({
  name: z.string(),
  description: text,
  /** JSON Schema of the arguments. */
  inputSchema: z.optional(z.unknown()),
  changesState: z.optional(z.boolean()),
});

export const expectedCallSchema = z.object({
  name: z.string(),
  arguments: z.optional(record),
  /** Fair Forge's absolute position, counted as its source counts. */
  step: z.optional(z.number()),
});

export const sessionReferenceSchema = z.object({
  goalReached: z.optional(z.boolean()),
  /** What the recorded final state must have, among other things. */
  finalState: z.optional(z.unknown()),
  documents: z.optional(z.array(z.string())),
  /** The calls expected over the whole session, where the source does not say in which turn. */
  toolCalls: z.optional(z.array(expectedCallSchema)),
  expectations: z.optional(expectationsSchema),
});

/** Scores that the file carries: a person's or another tool's. They win over computed ones. */
export const importedScoresSchema = z.record(z.string(), z.union([z.number(), z.string()]));

/** Why the file gives its scores, by the same names. */
const scoreReasonsSchema = z.record(z.string(), z.string());

/** A group of failures that the source system made, by which a label of the file is one of several with one cause. */
export const importedFailureSchema = z.object({
  /** The same for all failures of the group. */
  group: z.string(),
  title: z.string(),
  explanation: z.string(),
  severity: z.enum(SEVERITIES),
});

export const turnReferenceSchema = z.object({
  response: text,
  toolCalls: z.optional(z.array(expectedCallSchema)),
  /** Default true. */
  orderMatters: z.optional(z.boolean()),
  forbiddenTools: z.optional(z.array(z.string())),
  documents: z.optional(z.array(z.string())),
  /** Fair Forge's own flag: the answer uses what the tools returned. */
  usesToolResults: z.optional(z.boolean()),
  expectations: z.optional(expectationsSchema),
});

/**
 * What a model call used. `cachedTokens` are part of the input, `reasoningTokens` are apart from `outputTokens`. `cost`
 * is in US dollars, as the trace says.
 */
export const tokenUsageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.optional(z.number()),
  reasoningTokens: z.optional(z.number()),
  toolPromptTokens: z.optional(z.number()),
  cost: z.optional(z.number()),
});

export const modelStepSchema = z.object({
  type: z.literal('model'),
  pointer: pointerSchema,
  text,
  reasoning: text,
  model: text,
  finishReason: text,
  speaker: text,
  usage: z.optional(tokenUsageSchema),
  /** Of the model call itself: a provider's failure, not the agent's. */
  error: text,
  startedAt: text,
  endedAt: text,
});

/** `rejected`: the user refused it. `missing`: it was requested, and nothing shows that it was executed. */
export const toolOutcomeSchema = z.enum(['ok', 'error', 'rejected', 'missing']);

export const toolStepSchema = z.object({
  type: z.literal('tool'),
  /** Of the request. */
  pointer: pointerSchema,
  resultPointer: z.optional(pointerSchema),
  id: text,
  name: z.string(),
  /** The raw text when it was not a JSON object. */
  arguments: z.union([record, z.string()]),
  result: z.optional(z.unknown()),
  /** What the tool said when it failed. */
  error: text,
  outcome: toolOutcomeSchema,
  requestedBy: z.enum(['agent', 'user']),
  speaker: text,
  /** Fair Forge's absolute position. */
  step: z.optional(z.number()),
  startedAt: text,
  endedAt: text,
});

export const retrievalStepSchema = z.object({
  type: z.literal('retrieval'),
  pointer: pointerSchema,
  query: text,
  documents: z.array(z.object({ id: text, text: z.string(), score: z.optional(z.number()) })),
});

/** A sub-agent: its turns belong to the step that called it. */
export const agentStepSchema = z.object({
  type: z.literal('agent'),
  pointer: pointerSchema,
  /** Of the sub-agent, by which a log of its own is found. */
  id: text,
  name: z.string(),
  get turns() {
    return z.array(turnSchema);
  },
});

const stepSchema = z.discriminatedUnion('type', [
  modelStepSchema,
  toolStepSchema,
  retrievalStepSchema,
  agentStepSchema,
]);

/** What starts with a user message and all that the agent did until the next. */
export const turnSchema = z.object({
  id: z.string(),
  pointer: pointerSchema,
  /** Only where a turn was read from another file than its session's `source.file`. */
  file: text,
  /** Null when the agent spoke before any user did. */
  input: z.nullable(z.string()),
  inputPointer: z.optional(pointerSchema),
  /** The agent's last text of the turn; null when there is none. */
  output: z.nullable(z.string()),
  outputPointer: z.optional(pointerSchema),
  /** False when the content was not recorded: absence then proves nothing. */
  captured: z.optional(z.literal(false)),
  /** ISO 8601. */
  startedAt: text,
  endedAt: text,
  /** The catalogue of this turn, where it differs from the session's. */
  tools: z.optional(z.array(toolSchema)),
  get steps() {
    return z.array(stepSchema);
  },
  reference: z.optional(turnReferenceSchema),
  scores: z.optional(importedScoresSchema),
  scoreReasons: z.optional(scoreReasonsSchema),
  /** By the metric whose label is a failure. */
  importedFailures: z.optional(z.record(z.string(), importedFailureSchema)),
  suppressions: z.optional(z.array(suppressionSchema)),
  feedback: z.optional(z.array(feedbackSchema)),
});

/** Where a scenario stands. */
export const scenarioLocationSchema = z.object({
  file: z.string(),
  /** One-based; null where it is not known. */
  line: z.nullable(z.number()),
});

/** One conversation between a user and an agent. */
export const sessionSchema = z.object({
  id: z.string(),
  source: sourceSchema,
  /** Another file, whose expectations it is compared with. */
  expectedIn: text,
  /** The scenario that it is an attempt at, where the run made the attempt. */
  scenario: z.optional(scenarioLocationSchema),
  /** Other files that say what is expected of it, or how it ended: an evaluation set, a sidecar, criteria. */
  expectationFiles: z.optional(z.array(z.string())),
  goal: text,
  goalPointer: z.optional(pointerSchema),
  profile: text,
  /** Whether edits and commands are the work itself, where the file or its format says so. */
  coding: z.optional(z.boolean()),
  /** The instructions or the policy that the agent had. */
  system: text,
  /** Where they begin, in `source.file`; absent where the format does not say, and where they come from elsewhere. */
  systemPointer: z.optional(pointerSchema),
  knowledge: z.optional(z.array(z.string())),
  knowledgePointer: z.optional(pointerSchema),
  metadata: z.optional(record),
  task: z.optional(taskSchema),
  /** Words that sort sessions, by which gates can differ; as the trace, its sidecar or its scenario has them. */
  tags: z.optional(z.array(z.string())),
  /** The version of the agent, as the trace says. */
  agentVersion: text,
  /** The catalogue of tools; absent when the trace does not say which tools there were. */
  tools: z.optional(z.array(toolSchema)),
  reference: z.optional(sessionReferenceSchema),
  scores: z.optional(importedScoresSchema),
  scoreReasons: z.optional(scoreReasonsSchema),
  outcome: z.optional(recordedOutcomeSchema),
  ending: z.optional(sessionEndingSchema),
  /** What was true after the last turn, as the harness that ran the agent saw it. */
  finalState: z.optional(z.unknown()),
  finalStatePointer: z.optional(pointerSchema),
  /** Of findings in any of its turns. */
  suppressions: z.optional(z.array(suppressionSchema)),
  /** Of the session as a whole. */
  feedback: z.optional(z.array(feedbackSchema)),
  /** The log of a sub-agent by itself: the step of another session that it belongs to. */
  partOf: z.optional(z.object({ session: z.string(), step: z.string() })),
  turns: z.array(turnSchema),
});
