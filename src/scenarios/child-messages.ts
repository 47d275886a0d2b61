import * as z from 'zod/mini';

const path = z.array(z.union([z.string(), z.int()]));
const attempt = z.object({ conversationId: z.string(), scenario: z.string(), turnIndex: z.int() });

/** What the process of a scenario file loads. */
export const scenarioLoadRequest = z.object({
  file: z.string(),
  /** Instead of running the file: what is in it. */
  scenarios: z.nullable(z.array(z.object({ name: z.string(), options: z.unknown() }))),
  /** Where the functions of agents stand. */
  handlers: z.record(z.string(), z.object({ file: z.string(), path })),
  unmockedTools: z.enum(['error', 'passthrough']),
});
export type ScenarioLoadRequest = z.output<typeof scenarioLoadRequest>;

/** Requests to the process of a scenario file. */
export const scenarioRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), load: scenarioLoadRequest }),
  z.object({
    type: z.literal('tool'),
    id: z.int(),
    at: attempt,
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('handler'), id: z.int(), at: attempt, agent: z.string(), messages: z.array(z.unknown()) }),
  z.object({ type: z.literal('state'), id: z.int(), at: attempt }),
  /** The attempt is over. */
  z.object({ type: z.literal('close'), conversationId: z.string() }),
  /** Answered at once, unless the process is busy. */
  z.object({ type: z.literal('ping') }),
]);
export type ScenarioRequest = z.output<typeof scenarioRequest>;

const toolAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), value: z.unknown() }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({ type: z.literal('unmocked') }),
]);

const handlerCall = z.object({
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  answer: toolAnswer,
  startedAt: z.number(),
  endedAt: z.number(),
});

const toolCalls = z.array(
  z.object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({ name: z.string(), arguments: z.string() }),
  }),
);

/** What a handler returns. */
export const handlerMessage = z.object({
  role: z.literal('assistant'),
  content: z.nullable(z.string()),
  tool_calls: z.optional(toolCalls),
});

/** What the user's code got wrong: of one scenario, or of the file. */
const scenarioFileProblem = z.object({
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  scenario: z.nullable(z.string()),
});
export type ScenarioFileProblem = z.output<typeof scenarioFileProblem>;

export const scenarioReply = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('loaded'),
    /** Plain data, to be checked by the schema of scenarios. */
    scenarios: z.array(z.record(z.string(), z.unknown())),
    problems: z.array(scenarioFileProblem),
  }),
  z.object({ type: z.literal('failed'), message: z.string(), stack: z.string() }),
  /** The code of a request is about to run. */
  z.object({ type: z.literal('started'), id: z.int() }),
  z.object({ type: z.literal('tool'), id: z.int(), answer: toolAnswer }),
  z.object({
    type: z.literal('handler'),
    id: z.int(),
    reply: z.discriminatedUnion('type', [
      z.object({ type: z.literal('message'), message: handlerMessage }),
      z.object({ type: z.literal('failed'), reason: z.string() }),
    ]),
  }),
  z.object({ type: z.literal('state'), id: z.int(), state: z.unknown() }),
  /** The attempt cannot go on. The reason is a sentence. */
  z.object({ type: z.literal('broken'), id: z.int(), reason: z.string() }),
  /** A call that the handler of a request made. */
  z.object({ type: z.literal('call'), id: z.int(), call: handlerCall }),
  /** What the code printed for an attempt. */
  z.object({ type: z.literal('output'), conversationId: z.string(), text: z.string() }),
  z.object({ type: z.literal('pong') }),
]);
export type ScenarioReply = z.output<typeof scenarioReply>;
