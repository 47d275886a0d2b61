import * as z from 'zod';
import { getArray, getObject, type JsonObject } from '../core/json.ts';
import { schemaIf } from '../core/json-schema.ts';
import { EXPECTATION_DESCRIPTIONS } from '../core/schemas/expectations.ts';
import { scenarioSchema } from './scenario.ts';

/** What editors say about the keys of a scenario. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  name: 'The name of the scenario, unique in the project.',
  agent: "A key of simulation.agents in the configuration. Default: the configuration's agent.",
  profile: 'Who the simulated user is. Required without turns.',
  goal: 'What the user wants to achieve. Required without turns.',
  knowledge: 'What the simulated user knows.',
  userPromptTemplate: "The simulated user's instructions, with {{profile}}, {{goal}} and {{knowledge}}.",
  firstMessage: 'What the simulated user says first, word for word. A model says the rest.',
  conversationsPerScenario: 'Number of attempts. Default: 1 with turns, otherwise that of the configuration.',
  maxTurns: 'Number of turns after which a simulated user stops. Default: that of the configuration.',
  turns: 'What the user says, turn by turn, instead of a simulated user.',
  assertions: 'What must hold of the whole session: calls, the last answer, rules that must find nothing.',
  metrics:
    'The metrics of this scenario: a list of names restricts them, an object says by name what differs from the configuration.',
  enabled: 'Whether the metric runs for this scenario.',
  threshold:
    'Score from which a single result passes: on the scale of the metric, or a percentage of a scale of 0 to 1.',
  thresholds: 'Gates of this scenario, by metric.',
  tags: 'Tags, by which gates can select the scenario.',
  mocks: "What is answered in place of the agent's tools.",
  content: 'A fact.',
  userMessage: 'What the user says.',
  response: 'The expected answer: metrics such as response_match_score compare the answer with it.',
  toolCalls: 'The tool calls that are expected.',
  ...EXPECTATION_DESCRIPTIONS,
  tools:
    'The answers of each tool, by its name: any value, { sequence: [...] }, { calls: [{ args, result }] } or { error: text }.',
};

/** The names of calls and tools have the same key as that of the scenario. */
const TOOL_NAME = 'The name of the tool.';

const CODE_KEYS = ['mockedTools', 'hasState', 'finalState'];

/** What a tool answers. */
const MOCK: JsonObject = {
  description: 'The answer to each call of the tool.',
  anyOf: [
    {
      type: 'object',
      properties: {
        sequence: {
          type: 'array',
          minItems: 1,
          description: 'Answers in order, one per call. After the end, the last one repeats.',
        },
      },
      required: ['sequence'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: {
        calls: { type: 'array', description: 'Answers by the arguments of the call.', items: mockedCall() },
      },
      required: ['calls'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { error: { type: 'string', description: 'The tool fails with this error.' } },
      required: ['error'],
      additionalProperties: false,
    },
    // Any other value. What looks like one of these and is not has a mistake.
    {
      not: {
        type: 'object',
        anyOf: ['sequence', 'calls', 'error'].map((key) => ({ required: [key], maxProperties: 1 })),
      },
    },
  ],
};

function mockedCall(): JsonObject {
  return {
    type: 'object',
    properties: {
      args: { type: 'object', description: 'Arguments that the call must have. It may have others.' },
      result: { description: 'The answer of the tool.' },
      error: { type: 'string', description: 'The error with which the tool fails.' },
    },
    oneOf: [{ required: ['result'] }, { required: ['error'] }],
    additionalProperties: false,
  };
}

/** The JSON schema of `*.scenario.json` and `*.scenario.yaml`, for editors: one scenario, a list, or `{ scenarios: [...] }`. */
export function scenarioJsonSchema(): JsonObject {
  const { $schema, ...scenario } = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      // Unknown keys are ignored with a warning: in an editor, they are marked.
      if (jsonSchema.properties) jsonSchema.additionalProperties = false;
      const key = path.at(-1);
      const isKey = path.at(-2) === 'properties' && typeof key === 'string';
      const description = isKey ? (key === 'name' && path.length > 2 ? TOOL_NAME : DESCRIPTIONS[key]) : undefined;
      if (description) jsonSchema.description = description;
    },
  });
  const properties = Object.entries(getObject(scenario, 'properties') ?? {}).filter(
    ([key]) => !CODE_KEYS.includes(key),
  );
  const tools = { type: 'object', description: DESCRIPTIONS.tools, additionalProperties: MOCK };
  const mocks = { type: 'object', description: DESCRIPTIONS.mocks, properties: { tools }, additionalProperties: false };
  const single = {
    ...scenario,
    properties: { ...Object.fromEntries(properties), mocks },
    required: (getArray(scenario, 'required') ?? []).filter((key) => !CODE_KEYS.includes(String(key))),
    ...schemaIf({ not: { required: ['turns'] } }, { required: ['profile', 'goal'] }),
  };
  const list = { type: 'array', items: { $ref: '#/definitions/scenario' } };
  const link = { type: 'string', description: 'The JSON schema of this file.' };
  const several = {
    type: 'object',
    properties: { $schema: link, scenarios: { ...list, description: 'The scenarios of this file.' } },
    additionalProperties: false,
  };
  return {
    $schema,
    title: 'Scenarios of Turnwise',
    definitions: { scenario: { ...single, properties: { $schema: link, ...single.properties } } },
    ...schemaIf(
      { type: 'array' },
      list,
      schemaIf({ required: ['scenarios'] }, several, { $ref: '#/definitions/scenario' }),
    ),
  };
}
