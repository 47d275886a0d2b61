import * as z from 'zod/mini';
import {
  agentPath,
  count,
  excerpt,
  list,
  quote,
  reportFeedback,
  reportObservation,
  reportProblem,
  reportSuppression,
  score,
  target,
  unscoredGroup,
} from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** The turns of a report: what was said and done, and what is said of it. */

/** At most so many turns, or steps, are answered at once. */
export const MAX_TURNS = 100;
const MAX_STEPS = 200;
/** At most so many characters of a text. */
const MAX_TEXT = 100_000;

const commonFields = {
  /** Zero-based index among all steps of the turn. */
  index: count,
  target,
  durationMs: z.nullable(z.number()),
};

const modelStep = z.object({
  ...commonFields,
  type: z.literal('model'),
  /** Null when it said nothing, and when what it said is the answer of the turn: that is shown at the end. */
  text: z.nullable(excerpt),
  reasoning: z.nullable(excerpt),
  /** Of the call of the model: a provider's failure, not the agent's. */
  error: z.nullable(excerpt),
  model: z.nullable(z.string()),
  /** Which of several agents spoke. */
  speaker: z.nullable(z.string()),
  tokens: z.nullable(z.object({ input: count, output: count })),
});

const toolStep = z.object({
  ...commonFields,
  type: z.literal('tool'),
  name: z.string(),
  /** As `amount: 425, order_id: "A-1001"`. */
  arguments: excerpt,
  outcome: z.enum(['ok', 'error', 'rejected', 'missing']),
  result: z.nullable(quote),
  /** What the tool said when it failed. */
  error: z.nullable(quote),
  requestedBy: z.enum(['agent', 'user']),
  speaker: z.nullable(z.string()),
});

const retrievalStep = z.object({
  ...commonFields,
  type: z.literal('retrieval'),
  query: z.nullable(excerpt),
  documents: list(z.object({ ...excerpt.shape, id: z.nullable(z.string()), score: z.nullable(z.number()) })),
  documentsOmitted: count,
});

const agentStep = z.object({
  ...commonFields,
  type: z.literal('agent'),
  name: z.string(),
  /** How many turns it has; `turns` gives them, by the path to this step. */
  turns: count,
  /** Its calls of tools, those of its own sub-agents too. */
  calls: count,
});

const step = z.discriminatedUnion('type', [modelStep, toolStep, retrievalStep, agentStep]);
export type StepRow = z.infer<typeof step>;
export type ModelStepRow = z.infer<typeof modelStep>;
export type ToolStepRow = z.infer<typeof toolStep>;
export type RetrievalStepRow = z.infer<typeof retrievalStep>;
export type AgentStepRow = z.infer<typeof agentStep>;

const turn = z.object({
  index: count,
  /** One-based, where the file has lines. */
  line: z.nullable(count),
  target,
  /** False when what happened was not recorded. */
  recorded: z.boolean(),
  /**
   * The file has changed since it was evaluated, or is gone: what was said in the turn cannot be read again. Input, output and
   * steps are then absent, whatever they were.
   */
  unread: z.optional(z.literal(true)),
  /** It is being evaluated, and nothing is known of it yet. */
  waiting: z.optional(z.literal(true)),
  /** Null when the agent spoke first. */
  input: z.nullable(quote),
  /** In order. */
  steps: list(step),
  /** Further ones, which `steps` gives. */
  stepsOmitted: count,
  /** The agent's last text; null when it said nothing. */
  output: z.nullable(quote),
  durationMs: z.nullable(z.number()),
  /** `turn_risk`, and why. */
  risk: z.nullable(z.number()),
  riskReason: z.nullable(z.string()),
  failures: list(reportProblem),
  failuresOmitted: count,
  observations: list(reportObservation),
  suppressed: list(reportSuppression),
  scores: list(score),
  unscored: list(unscoredGroup),
  /** What a person thinks of the turn. */
  feedback: z.nullable(reportFeedback),
});
export type TurnRow = z.infer<typeof turn>;

/**
 * Some turns of a session, or of a sub-agent in it, in order; fewer, or none, behind the last. Those of a sub-agent have no
 * scores of their own.
 */
export const turns = defineRequest(
  'turnwise/turns',
  z.object({
    session: z.string(),
    path: z.optional(agentPath),
    from: count,
    count: z.int().check(z.positive(), z.maximum(MAX_TURNS)),
  }),
  z.object({ rows: list(turn) }),
);

/** Steps of a turn that its row omitted. */
export const steps = defineRequest(
  'turnwise/steps',
  z.object({
    session: z.string(),
    path: z.optional(agentPath),
    turn: count,
    from: count,
    count: z.int().check(z.positive(), z.maximum(MAX_STEPS)),
  }),
  z.object({ rows: list(step), omitted: count }),
);

/** A longer piece of a text that a row shows the beginning of, or one that was found behind that; null when it cannot be read. */
export const fullText = defineRequest(
  'turnwise/text',
  z.object({
    session: z.string(),
    path: z.optional(agentPath),
    turn: count,
    step: z.nullable(count),
    field: z.enum(['input', 'output', 'text', 'reasoning', 'arguments', 'result', 'error', 'query', 'document']),
    item: count,
    from: count,
    count: z.int().check(z.positive(), z.maximum(MAX_TEXT)),
  }),
  z.object({ excerpt: z.nullable(excerpt) }),
);
