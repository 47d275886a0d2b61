import * as z from 'zod';
import { isObject, type JsonObject } from '../core/json.ts';
import { schemaIf } from '../core/json-schema.ts';
import { EXPECTATION_DESCRIPTIONS } from '../core/schemas/expectations.ts';
import {
  agentSchema,
  fileSchema,
  modelSchema,
  retrievalSchema,
  sessionSchema,
  toolSchema,
  turnSchema,
} from './turnwise-schema.ts';

/** What editors say about keys: by the key and the one that it is in, else by the key alone. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...EXPECTATION_DESCRIPTIONS,
  $schema: 'The JSON schema of this file.',
  turnwise: "The version of Turnwise's own format: 1.",
  sessions: 'The sessions: one conversation each.',
  id: 'The id of the session, unique in the file.',
  'task.id': 'The id of the task.',
  'turn.id': 'The id of the turn, unique in its session.',
  'tool.id': 'The id of the call.',
  'agent.id': 'The id of the sub-agent, by which a log of its own is found.',
  'documents.id': 'The id of the document.',
  goal: 'What the user wants to achieve.',
  profile: 'Who the user is.',
  coding: 'Whether edits and commands are the work itself.',
  agentVersion: 'The version of the agent.',
  system: 'The instructions or the policy that the agent had.',
  knowledge: 'Facts that are available to the agent.',
  metadata: 'Data about the session. No rule or metric reads them.',
  task: 'The task that the session is an attempt of. Sessions of one task are compared.',
  trial: 'Which attempt at the task it is.',
  dataset: 'The data set that the task is from.',
  agent: 'The agent that made the attempt.',
  declared: 'True: sessions of this task are attempts, whatever their goals are.',
  tags: 'Tags of the session, by which gates can differ (gates.for).',
  tools: 'The tools that the agent had.',
  name: 'The name of the tool.',
  'agent.name': 'The name of the sub-agent.',
  description: 'What the tool does.',
  inputSchema: 'The JSON schema of the arguments. Calls are checked against it.',
  changesState: 'Whether the tool changes anything.',
  reference: 'What is expected.',
  goalReached: 'Whether the user reached the goal.',
  finalState: 'What was true after the last turn, as the harness that ran the agent saw it.',
  'reference.finalState': 'What must be true after the last turn: compared with the recorded finalState.',
  documents: 'The documents that were found.',
  'reference.documents': 'The ids of the documents that must be found.',
  toolCalls: 'The tool calls that are expected.',
  arguments: 'The arguments of the call.',
  step: 'The position of the call in the session.',
  expectations: 'What a test says must hold. What does not hold fails the session.',
  response: 'The expected answer.',
  orderMatters: 'Whether the calls must be in this order.',
  forbiddenTools: 'Tools that must not be called in this turn.',
  usesToolResults: 'Whether the answer uses what the tools returned.',
  scores: 'Scores by metric, from a person or another tool. They take precedence over computed ones.',
  score: 'The score of the document.',
  scoreReasons: 'Why, by the same names.',
  importedFailures: 'The failure group of another tool that a label belongs to, by metric.',
  group: 'The id of the group.',
  title: 'The title of the group.',
  explanation: 'What the failures of the group have in common.',
  severity: 'The severity of the group.',
  outcome: 'Whether the agent did its job.',
  'tool.outcome':
    'How the call ended: rejected by the user, or missing (never executed). Default: by its result and its error.',
  status: 'Whether the agent did its job.',
  by: 'Who says so.',
  reason: 'Why.',
  ending: 'How the run ended.',
  cause: 'Why the run ended: regular, at a limit, by an error of the agent, or by any other error.',
  'ending.reason': 'The word of the harness for it, such as max_steps.',
  suppressions: 'Findings that do not count, each with a reason.',
  rule: 'The id of the rule.',
  turns: 'The turns, in order: what the user says, and what the agent does until the next message.',
  input: 'What the user says; null if the agent speaks first.',
  output: 'The last text of the agent in this turn; null if there is none.',
  captured: 'False: the content was not recorded, so missing content proves nothing.',
  startedAt: 'When it began, as ISO 8601.',
  endedAt: 'When it ended, as ISO 8601.',
  steps: 'What the agent did, in order: model calls, tool calls, retrievals and sub-agents.',
  type: 'The kind of step.',
  text: 'What the model wrote.',
  'documents.text': 'The text of the document.',
  reasoning: 'The reasoning of the model.',
  model: 'The name of the model.',
  finishReason: 'Why the model stopped, in the word of its API.',
  speaker: 'The agent, where several speak.',
  usage: 'Tokens and costs of the call.',
  inputTokens: 'Tokens of the prompt.',
  outputTokens: 'Tokens of the answer.',
  cachedTokens: 'Tokens of the prompt that were read from a cache.',
  reasoningTokens: 'Tokens of the answer that are reasoning.',
  toolPromptTokens: 'Tokens of the prompt that tools added.',
  cost: 'What the call cost.',
  error: 'What the call failed with.',
  result: 'What the tool answered.',
  requestedBy: 'Who asked for the call. Default: agent.',
  query: 'What was searched for.',
};

/** What the reader checks in code, by key. */
const CHECKED_IN_CODE: Readonly<Record<string, JsonObject>> = {
  metadata: { type: 'object' },
  scores: { type: 'object', additionalProperties: { type: ['number', 'string'] } },
  arguments: { type: 'object' },
  'tool.arguments': { type: ['object', 'string'] },
  args: { type: 'object' },
};

/** The lists whose entries the reader checks one by one. */
const LISTS: Readonly<Record<string, string>> = { sessions: 'session', turns: 'turn', steps: 'step' };

const STEPS = { model: modelSchema, tool: toolSchema, retrieval: retrievalSchema, agent: agentSchema };

/**
 * The JSON schema of a session file, for editors. Files of other formats may have the same names, so only one that says `turnwise`
 * is checked. Unknown keys are ignored with a warning when it is read: in an editor, they are marked.
 */
export function sessionFileJsonSchema(): JsonObject {
  const types = Object.keys(STEPS);
  const parts = { file: fileSchema, session: sessionSchema, turn: turnSchema, ...STEPS };
  const isLine = { required: ['turns'], not: { required: ['sessions'] } };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { turnwise: { description: DESCRIPTIONS.turnwise } },
    ...schemaIf(
      { type: 'object', required: ['turnwise'] },
      // Not the title of the whole schema: editors would show it in files of other formats.
      { title: 'Sessions of Turnwise', ...schemaIf(isLine, definition('session'), definition('file')) },
    ),
    definitions: {
      ...Object.fromEntries(Object.entries(parts).map(([name, schema]) => [name, partSchema(name, schema)])),
      step: {
        type: 'object',
        required: ['type'],
        properties: { type: { enum: types, description: DESCRIPTIONS.type } },
        allOf: types.map((type) => schemaIf({ properties: { type: { const: type } } }, definition(type))),
      },
    },
  };
}

function definition(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

function partSchema(name: string, schema: z.ZodType): unknown {
  const { $schema: _, ...part } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return completed(part, name);
}

/** Adds descriptions and what the schema leaves open. @param parent the key that the value is in, else the name of the part. */
function completed(schema: unknown, parent: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => completed(item, parent));
  if (!isObject(schema)) return schema;
  const { properties } = schema;
  const rest = Object.entries(schema).map(([keyword, value]) => [keyword, completed(value, parent)]);
  if (!isObject(properties)) return Object.fromEntries(rest);
  const described = Object.entries(properties).map(([key, value]) => [key, property(key, value, parent)]);
  return { ...Object.fromEntries(rest), properties: Object.fromEntries(described), additionalProperties: false };
}

function property(key: string, schema: unknown, parent: string): JsonObject {
  const own = `${parent}.${key}`;
  const list = LISTS[key];
  const value = completed(schema, key);
  return {
    ...(CHECKED_IN_CODE[own] ?? CHECKED_IN_CODE[key] ?? (isObject(value) ? value : {})),
    ...(list !== undefined && { items: definition(list) }),
    description: DESCRIPTIONS[own] ?? DESCRIPTIONS[key],
  };
}
