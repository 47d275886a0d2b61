import type { HandlerContext } from '../config/simulation-schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { sequenceValues } from './api.ts';
import type { HandlerCall, ToolAnswer } from './scenario-process.ts';

export interface AttemptContextOptions {
  readonly scenarioName: string;
  readonly conversationId: string;
  /** As the scenario has it: an object, or a function that returns one. */
  readonly mocks: unknown;
  /** Whether a handler that resolves a tool without a mock gets an error, or undefined and calls its own. */
  readonly unmockedTools: 'error' | 'passthrough';
}

/** The mocks of one attempt: their state belongs to it alone. Runs in the process of the scenario file. */
export class AttemptContext {
  readonly #options: AttemptContextOptions;
  /** Made at the first use, when the code of the attempt runs. */
  #mocks: { readonly value: unknown } | null = null;
  readonly #callCounts = new Map<string, number>();
  /** How often each sequence was asked. */
  readonly #positions = new Map<readonly unknown[], number>();

  constructor(options: AttemptContextOptions) {
    this.#options = options;
  }

  #resolveMocks(): unknown {
    this.#mocks ??= { value: resolveMocks(this.#options.mocks) };
    return this.#mocks.value;
  }

  async answer(name: string, args: JsonObject, turnIndex: number): Promise<ToolAnswer> {
    try {
      const mocks = this.#resolveMocks();
      const tools = isObject(mocks) ? mocks.tools : undefined;
      const tool: unknown = isObject(tools) && Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (tool === undefined) return { type: 'unmocked' };
      const callIndex = this.#callCounts.get(name) ?? 0;
      this.#callCounts.set(name, callIndex + 1);
      const values = sequenceValues(tool);
      const { conversationId } = this.#options;
      const value: unknown = values
        ? this.#next(values)
        : typeof tool === 'function'
          ? await tool(structuredClone(args), { callIndex, conversationId, turnIndex })
          : tool;
      return { type: 'result', value: toJson(value, `The mock of ${name}`) };
    } catch (error) {
      return { type: 'error', message: errorMessage(error) };
    }
  }

  #next(values: readonly unknown[]): unknown {
    const position = this.#positions.get(values) ?? 0;
    this.#positions.set(values, position + 1);
    return values[Math.min(position, values.length - 1)];
  }

  /** What a handler gets. @param onCall gets each call that it made, with its answer. */
  handlerContext(turnIndex: number, onCall: (call: HandlerCall) => void): HandlerContext {
    const answer = (name: string, args: JsonObject) => this.answer(name, args, turnIndex);
    return createHandlerContext(turnIndex, { ...this.#options, answer, onCall });
  }

  async finalState(): Promise<unknown> {
    const mocks = this.#resolveMocks();
    const state = isObject(mocks) ? mocks.state : undefined;
    return typeof state === 'function' ? toJson(await state.call(mocks), 'mocks.state') : undefined;
  }
}

interface HandlerContextOptions extends Omit<AttemptContextOptions, 'mocks'> {
  readonly answer: (name: string, args: JsonObject) => Promise<ToolAnswer>;
  /** Gets each call that the handler made, with its answer. */
  readonly onCall: (call: HandlerCall) => void;
}

/** What a handler gets. */
export function createHandlerContext(
  turnIndex: number,
  { conversationId, scenarioName, unmockedTools, answer, onCall }: HandlerContextOptions,
): HandlerContext {
  return {
    turnIndex,
    conversationId,
    scenarioName,
    resolveTool: async (name, given) => {
      const startedAt = Date.now();
      const args = toArguments(given, name);
      const answered = await answer(name, args);
      onCall({ name, args, answer: answered, startedAt, endedAt: Date.now() });
      if (answered.type === 'result') return structuredClone(answered.value);
      if (answered.type === 'error') throw new Error(answered.message);
      if (unmockedTools === 'passthrough') return undefined;
      throw new Error(`The scenario "${scenarioName}" has no tool ${name}: add it to mocks.tools.`);
    },
  };
}

/** @throws what the user's function throws */
export function resolveMocks(mocks: unknown): unknown {
  return typeof mocks === 'function' ? mocks() : mocks;
}

function toArguments(given: unknown, name: string): JsonObject {
  const args = toJson(given ?? {}, `What is passed to resolveTool for ${name}`);
  if (!isObject(args)) throw new TypeError(`What is passed to resolveTool for ${name} is no object of arguments.`);
  return args;
}

/** Plain data, as an agent and a session file get it. @throws TypeError */
export function toJson(value: unknown, what: string): unknown {
  try {
    const text: string | undefined = JSON.stringify(value ?? null);
    if (text !== undefined) return JSON.parse(text);
  } catch {
    // Circular, or a bigint.
  }
  throw new TypeError(`${what} is not plain data: it cannot be written as JSON.`);
}
