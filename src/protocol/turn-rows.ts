import * as z from 'zod/mini';
import {
  agentPath,
  count,
  earlierCall,
  excerpt,
  expectedCalls,
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

/** The turns of a report: transcript and results. */

/** The largest page of turns, and of steps. */
export const MAX_TURNS = 100;
const MAX_STEPS = 200;
/** The largest piece of a text, in characters. */
const MAX_TEXT = 100_000;

const commonFields = {
  /** Zero-based index among all steps of the turn. */
  index: count,
  target,
  durationMs: z.nullable(z.number()),
};

const tokens = z.nullable(z.object({ input: count, output: count }));

const modelStep = z.object({
  ...commonFields,
  type: z.literal('model'),
  /** Null when it said nothing, or when its text is the turn's answer. */
  text: z.nullable(excerpt),
  reasoning: z.nullable(excerpt),
  /** An error of the model call: a provider's failure, not the agent's. */
  error: z.nullable(excerpt),
  model: z.nullable(z.string()),
  /** The name of the agent, if there are several. */
  speaker: z.nullable(z.string()),
  tokens,
});

const toolStep = z.object({
  ...commonFields,
  type: z.literal('tool'),
  name: z.string(),
  /** As `amount: 425, order_id: "A-1001"`. */
  arguments: excerpt,
  outcome: z.enum(['ok', 'error', 'rejected', 'missing']),
  result: z.nullable(quote),
  /** The error message of the tool. */
  error: z.nullable(quote),
  requestedBy: z.enum(['agent', 'user']),
  /** Null where it looks like no repetition. */
  earlier: z.nullable(earlierCall),
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
  /** The number of its turns; request them by the path to this step. */
  turns: count,
  /** Its tool calls, including those of its own sub-agents. */
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
  /** The name of its file, where that is not the session's. */
  file: z.optional(z.string()),
  target,
  /** False when the turn was not recorded. */
  recorded: z.boolean(),
  /** The file changed or was deleted: the transcript is unavailable, and input, output and steps are absent. */
  unread: z.optional(z.literal(true)),
  /** Not evaluated yet. */
  waiting: z.optional(z.literal(true)),
  /** Null when the agent spoke first. */
  input: z.nullable(quote),
  /** In order. */
  steps: list(step),
  /** The number of further steps, which `steps` returns. */
  stepsOmitted: count,
  /** The agent's last text; null when it said nothing. */
  output: z.nullable(quote),
  /** Null where no calls are expected of the turn. */
  expected: z.nullable(expectedCalls),
  durationMs: z.nullable(z.number()),
  /** Of its model calls, also of sub-agents; null where none is recorded. */
  tokens,
  problems: list(reportProblem),
  problemsOmitted: count,
  observations: list(reportObservation),
  suppressed: list(reportSuppression),
  scores: list(score),
  unscored: list(unscoredGroup),
  /** The user's feedback on the turn. */
  feedback: z.nullable(reportFeedback),
});
export type TurnRow = z.infer<typeof turn>;

/** A page of turns of a session or of a sub-agent, shorter at the end. Sub-agent turns have no scores of their own. */
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

/** Further steps of a turn. */
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

/** A further piece of a text that a row shows in part; null when the file changed. */
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
