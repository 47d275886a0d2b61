import * as z from 'zod';
import type { AgentChatMessage } from '../core/agent-chat-message.ts';
import { isQuickGlob, SLOW_GLOB } from '../core/quick-glob.ts';
import { isUserFunction, type UserFunction } from '../sandbox/module-function.ts';

/** The agents that scenarios try, and how attempts are made. */
const text = z.string().min(1);
const count = z.int().positive();

const HEADER_NAME = /^[a-zA-Z0-9!#$%&'*+\-.^_`|~]+$/;
const headers = z.record(
  z.string().regex(HEADER_NAME, 'must be the name of a header'),
  z.string().refine((value) => !/[\r\n]/.test(value), 'must be one line'),
);

const chatCompletionsAgent = z
  .strictObject({
    /** The default. */
    type: z.literal('chat_completions').optional(),
    name: text.optional(),
    /** Where `{ messages }` is posted. */
    endpoint: text
      .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be an http or https URL')
      .refine(
        (value) => !URL.parse(value)?.password && !URL.parse(value)?.username,
        'must be a URL without credentials',
      ),
    /** `${NAME}` in a value stands for an environment variable. */
    headers: headers.optional(),
    /** What is sent beside the messages, such as the model. */
    body: z.record(z.string(), z.unknown()).optional(),
    streaming: z.boolean().default(false),
    /** Whether it may be on another machine of the local network. */
    privateNetwork: z.boolean().default(false),
  })
  .transform((own) => ({ ...own, type: 'chat_completions' as const }));

const customAgent = z.strictObject({
  type: z.literal('custom'),
  name: text.optional(),
  handler: z.custom<UserFunction>(isUserFunction, 'must be a function, which only code has'),
});

const replayAgent = z.strictObject({
  type: z.literal('replay'),
  name: text.optional(),
  /** A trace file, relative to the configuration: its answers are the agent's. */
  file: text,
  /** The id of the session in it; default: that of the task with the scenario's name, or the only one. */
  session: text.optional(),
});

const agent = z.discriminatedUnion('type', [chatCompletionsAgent, customAgent, replayAgent]);

/** The key of an agent that stands alone, without a name. */
export const DEFAULT_AGENT_KEY = 'agent';

export const simulationSchema = z
  .strictObject({
    /** The agent that is tried where a scenario names none: a key of `agents`, or an agent. */
    agent: z.union([text, agent]).optional(),
    agents: z.record(z.string(), agent).default({}),
    /** Keys of `agents`: where a scenario names no agent, all of these try it. The others are compared with the first. */
    compare: z
      .array(text)
      .min(2)
      .transform((names) => [...new Set(names)])
      .optional(),
    /** The model that plays the user, as `provider:model`; default: the judge. */
    simulator: text.optional(),
    /** What an agent gets that calls a tool without a mock: an error, or (a handler) undefined, so that it calls its own. */
    unmockedTools: z.enum(['error', 'passthrough']).default('error'),
    maxTurns: count.default(8),
    /** Attempts at a scenario without scripted turns. */
    conversationsPerScenario: count.default(3),
    requestTimeoutMs: z.int().min(100).default(30_000),
    /** How often an attempt that ended in an error is made again. */
    retries: z.int().min(0).default(0),
    /** Attempts that run at once. */
    concurrency: z.int().min(1).max(100).default(20),
    /** Environment variables that the code of scenarios gets, beside those that programs need. */
    env: z.array(text).default([]),
    /** Of the process of a scenario file. */
    memoryLimitMb: z.int().min(64).default(512),
    /** Globs of the files that define the agent's tools, relative to the configuration: coverage is shown there. */
    toolFiles: z.array(text.refine(isQuickGlob, SLOW_GLOB)).default([]),
  })
  .transform(({ agent: single, ...settings }) => {
    if (typeof single !== 'object') return { ...settings, agent: single };
    const key = single.name ?? DEFAULT_AGENT_KEY;
    return { ...settings, agent: key, agents: { [key]: single, ...settings.agents } };
  });

/** The agents that `agent` and `compare` name and that are not there, each with its path in `simulation`. */
export function findUnknownAgents({
  agent: single,
  agents,
  compare = [],
}: z.output<typeof simulationSchema>): readonly {
  readonly name: string;
  readonly path: readonly (string | number)[];
}[] {
  const named = [
    ...(single === undefined ? [] : [{ name: single, path: ['agent'] }]),
    ...compare.map((name, index) => ({ name, path: ['compare', index] })),
  ];
  return named.filter(({ name }) => !Object.hasOwn(agents, name));
}

/** What the function of an agent may use. */
export interface HandlerContext {
  /** The answer of a mocked tool. @throws what the mock throws. */
  readonly resolveTool: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** Zero-based. */
  readonly turnIndex: number;
  /** Of the attempt. */
  readonly conversationId: string;
  readonly scenarioName: string;
}

/** What an agent that is a function returns. */
export interface HandlerMessage extends AgentChatMessage {
  readonly role: 'assistant';
}

/** An agent that is a function of the conversation. */
export type AgentHandler = (
  messages: readonly AgentChatMessage[],
  context: HandlerContext,
) => HandlerMessage | Promise<HandlerMessage>;

type WrittenSimulation = z.input<typeof simulationSchema>;
type WrittenAgent =
  | z.input<typeof chatCompletionsAgent>
  | (Omit<z.input<typeof customAgent>, 'handler'> & { readonly handler: AgentHandler })
  | z.input<typeof replayAgent>;

/** `simulation` as a person writes it. */
export type SimulationInput = Omit<WrittenSimulation, 'agent' | 'agents'> & {
  readonly agent?: string | WrittenAgent | undefined;
  readonly agents?: Readonly<Record<string, WrittenAgent>> | undefined;
};
