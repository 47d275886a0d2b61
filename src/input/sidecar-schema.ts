import * as z from 'zod';
import type { JsonObject } from '../core/json.ts';
import { schemaIf } from '../core/json-schema.ts';
import { dictionary } from '../formats/dictionary.ts';
import {
  answerExpectation,
  callExpectation,
  expectations as expectationsOfFile,
  expectedToolCall,
  statedOutcome,
} from '../formats/turnwise-schema.ts';

const text = z.string();
const documents = z.array(text).optional();

/** By metric. A person's labels take precedence over computed scores. */
const labels = dictionary(z.union([z.number(), text], 'expected a number or a text')).optional();

const suppressions = z.array(z.strictObject({ rule: text.min(1), reason: text.min(1) })).optional();

const feedback = z
  .array(
    z
      .strictObject({
        metric: text.min(1).optional(),
        rule: text.min(1).optional(),
        label: text.min(1).optional(),
        value: z.enum(['up', 'down']),
        score: z.union([z.number(), text]).optional(),
        note: text.optional(),
        at: text.optional(),
      })
      .refine(
        ({ metric, rule, label }) => [metric, rule, label].filter((about) => about !== undefined).length <= 1,
        'feedback is about a "metric", a "rule" or a "label", or about none of them',
      ),
  )
  .optional();

const call = z.strictObject({ name: text.min(1), arguments: dictionary(z.unknown()).optional() });

const expectations = z
  .strictObject({
    ...expectationsOfFile.shape,
    toolCalls: z
      .strictObject({ ...callExpectation.shape, expected: z.array(z.strictObject(expectedToolCall.shape)) })
      .optional(),
    answer: z.strictObject(answerExpectation.shape).optional(),
  })
  .optional();

const turnSchema = z
  .strictObject({
    id: text.optional(),
    /** Zero-based position in the session. */
    index: z.int().nonnegative().optional(),
    tools: z.array(z.unknown()).optional(),
    reference: z
      .strictObject({
        response: text.optional(),
        toolCalls: z.array(call).optional(),
        orderMatters: z.boolean().optional(),
        forbiddenTools: z.array(text).optional(),
        documents,
        expectations,
      })
      .optional(),
    labels,
    suppressions,
    feedback,
  })
  .refine(({ id, index }) => (id === undefined) !== (index === undefined), 'a turn has an "id" or an "index"');

/** People write numbers of tasks and trials as numbers. */
const taskName = z
  .union([text.min(1), z.number()], 'expected a text or a number')
  .transform(String)
  .optional();

const session = {
  goal: text.optional(),
  coding: z.boolean().optional(),
  system: text.optional(),
  knowledge: z.array(text).optional(),
  tools: z.array(z.unknown()).optional(),
  reference: z
    .strictObject({ goalReached: z.boolean().optional(), finalState: z.unknown().optional(), documents, expectations })
    .optional(),
  outcome: statedOutcome.optional(),
  task: z.strictObject({ id: taskName, trial: taskName, agent: taskName }).optional(),
  tags: z.array(text.min(1)).optional(),
  labels,
  suppressions,
  feedback,
  turns: z.array(turnSchema).optional(),
};

/** `X.turnwise.json`: additions to the trace `X.*`, for all its sessions or for one by its id. */
export const sidecarSchema = z.strictObject({
  $schema: text.optional(),
  ...session,
  sessions: z.array(z.strictObject({ id: text, ...session })).optional(),
});

export type SidecarSession = z.output<z.ZodObject<typeof session>>;
export type SidecarTurn = z.output<typeof turnSchema>;

/** The JSON schema of a sidecar, for editors. A session file in Turnwise's own format may have the name of one. */
export function sidecarJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(sidecarSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  const { $schema, ...sidecar } = schema;
  const properties = Object.entries(sidecar.properties ?? {}).map(([key, property]) => {
    const description = DESCRIPTIONS[key];
    return [key, typeof property === 'object' && description ? { ...property, description } : property] as const;
  });
  return {
    $schema,
    title: 'Additions to a trace of Turnwise',
    ...schemaIf({ required: ['turnwise'] }, {}, { ...sidecar, properties: Object.fromEntries(properties) }),
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  goal: 'What the user wants to achieve.',
  coding: 'Whether edits and commands are the work itself.',
  system: 'The instructions or the policy that the agent had.',
  knowledge: 'Facts that are available to the agent.',
  tools: 'The tools that the agent had.',
  reference: 'What is expected of the session.',
  outcome: 'Whether the agent did its job.',
  task: 'The task that the session is an attempt of, which attempt it is, and the agent that made it.',
  tags: 'Tags of the session, by which gates can differ (gates.for).',
  labels: 'Scores by metric. They win over computed ones.',
  suppressions: 'Findings that do not count, each with a reason.',
  feedback: 'Thumbs up and down.',
  turns: 'Additions to turns, each with the "id" or the zero-based "index" of its turn.',
  sessions: 'Additions to single sessions, each with the "id" of its session.',
};
