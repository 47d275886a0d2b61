import * as z from 'zod';
import { isObject, type JsonObject } from '../core/json.ts';
import { ARGUMENT_MATCH_MODES, CALL_MATCH_MODES } from '../core/schemas/expectations.ts';
import { SEVERITIES } from '../core/severity.ts';
import { ENDING_CAUSES, OUTCOME_STATUSES } from '../core/statuses.ts';
import { dictionary } from './dictionary.ts';
import { isoTime } from './values.ts';

/** Schemas of Turnwise's own session file, one per level: entries of lists are validated one by one. */

const time = z.string().refine((text) => isoTime(text) !== undefined, 'expected a time as ISO 8601 writes it');
/** Kept as it is: its keys are data. */
const anyObject = z.custom<JsonObject>(isObject, 'expected an object');
const entries = z.array(z.unknown());
const scores = dictionary(z.union([z.number(), z.string()], 'expected a number or a text'));
const documentIds = z.array(z.string());
const importedFailure = z.object({
  group: z.string(),
  title: z.string(),
  explanation: z.string(),
  severity: z.enum(SEVERITIES),
});
const suppressions = z.array(z.object({ rule: z.string().min(1), reason: z.string() }));

const tools = z.array(
  z.object({
    name: z.string().min(1),
    description: z.string().optional(),
    inputSchema: z.unknown().optional(),
    changesState: z.boolean().optional(),
  }),
);

const expectedCalls = z.array(
  z.object({ name: z.string().min(1), arguments: anyObject.optional(), step: z.number().optional() }),
);

export const expectedToolCall = z.object({
  name: z.string().min(1),
  args: dictionary(z.unknown()).optional(),
  argMatchMode: z.enum(ARGUMENT_MATCH_MODES).optional(),
});

export const callExpectation = z.object({
  matchMode: z.enum(CALL_MATCH_MODES).optional(),
  expected: z.array(expectedToolCall),
  forbidden: z.array(z.union([z.string().min(1), expectedToolCall])).optional(),
});

export const answerExpectation = z.object({
  equals: z.string().optional(),
  contains: z.array(z.string().min(1)).optional(),
  excludes: z.array(z.string().min(1)).optional(),
});

/** What a test says must hold of a session or of a turn. */
export const expectations = z.object({
  toolCalls: callExpectation.optional(),
  answer: answerExpectation.optional(),
  noFindings: z.array(z.string().min(1)).optional(),
});

/** Whether the agent did its job, as a person or a program says. */
export const statedOutcome = z.union(
  [
    z.enum(OUTCOME_STATUSES).transform((status) => ({ status })),
    z.object({ status: z.enum(OUTCOME_STATUSES), by: z.string().optional(), reason: z.string().optional() }),
  ],
  'expected "succeeded" or "failed", or an object with such a "status"',
);

export const fileSchema = z.object({
  $schema: z.string().optional(),
  turnwise: z.literal(1),
  sessions: entries,
});

export const sessionSchema = z.object({
  /** Only on lines of JSONL, where sessions have no surrounding object. */
  turnwise: z.literal(1).optional(),
  id: z.string().min(1),
  goal: z.string().optional(),
  profile: z.string().optional(),
  coding: z.boolean().optional(),
  agentVersion: z.string().optional(),
  system: z.string().optional(),
  knowledge: z.array(z.string()).optional(),
  metadata: anyObject.optional(),
  task: z
    .object({
      id: z.string(),
      trial: z.string().optional(),
      dataset: z.string().optional(),
      agent: z.string().optional(),
      declared: z.literal(true).optional(),
    })
    .optional(),
  tags: z.array(z.string()).optional(),
  tools: tools.optional(),
  reference: z
    .object({
      goalReached: z.boolean().optional(),
      finalState: z.unknown().optional(),
      documents: documentIds.optional(),
      toolCalls: expectedCalls.optional(),
      expectations: expectations.optional(),
    })
    .optional(),
  scores: scores.optional(),
  scoreReasons: z.record(z.string(), z.string()).optional(),
  outcome: statedOutcome.optional(),
  ending: z.object({ cause: z.enum(ENDING_CAUSES), reason: z.string() }).optional(),
  finalState: z.unknown().optional(),
  suppressions: suppressions.optional(),
  turns: entries,
});

export const turnSchema = z.object({
  id: z.string().min(1).optional(),
  input: z.string().nullable(),
  output: z.string().nullable(),
  captured: z.literal(false).optional(),
  startedAt: time.optional(),
  endedAt: time.optional(),
  tools: tools.optional(),
  steps: entries.default([]),
  reference: z
    .object({
      response: z.string().optional(),
      toolCalls: expectedCalls.optional(),
      orderMatters: z.boolean().optional(),
      forbiddenTools: z.array(z.string()).optional(),
      documents: documentIds.optional(),
      usesToolResults: z.boolean().optional(),
      expectations: expectations.optional(),
    })
    .optional(),
  scores: scores.optional(),
  scoreReasons: z.record(z.string(), z.string()).optional(),
  importedFailures: z.record(z.string(), importedFailure).optional(),
  suppressions: suppressions.optional(),
});

const count = z.number().min(0);

export const modelSchema = z.object({
  type: z.literal('model'),
  text: z.string().optional(),
  reasoning: z.string().optional(),
  model: z.string().optional(),
  finishReason: z.string().optional(),
  speaker: z.string().optional(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedTokens: count.optional(),
      reasoningTokens: count.optional(),
      toolPromptTokens: count.optional(),
      cost: count.optional(),
    })
    .optional(),
  error: z.string().optional(),
  startedAt: time.optional(),
  endedAt: time.optional(),
});

export const toolSchema = z.object({
  type: z.literal('tool'),
  id: z.string().optional(),
  name: z.string().min(1),
  arguments: z.union([anyObject, z.string()], 'expected an object, or the raw text when it was not JSON'),
  result: z.unknown().optional(),
  error: z.string().optional(),
  outcome: z.enum(['ok', 'error', 'rejected', 'missing']).optional(),
  requestedBy: z.enum(['agent', 'user']).optional(),
  speaker: z.string().optional(),
  step: z.number().optional(),
  startedAt: time.optional(),
  endedAt: time.optional(),
});

export const retrievalSchema = z.object({
  type: z.literal('retrieval'),
  query: z.string().optional(),
  documents: z.array(z.object({ id: z.string().optional(), text: z.string(), score: z.number().optional() })),
});

export const agentSchema = z.object({
  type: z.literal('agent'),
  id: z.string().optional(),
  name: z.string().min(1),
  turns: entries,
});
