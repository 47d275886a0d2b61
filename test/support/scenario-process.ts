import type { JsonObject } from '../../src/core/json.ts';
import { type Scenario, scenarioSchema } from '../../src/scenarios/scenario.ts';
import type {
  AgentChatMessage,
  AttemptCode,
  HandlerCall,
  ScenarioProcess,
  ToolAnswer,
} from '../../src/scenarios/scenario-process.ts';

interface HandlerContext {
  readonly turnIndex: number;
  readonly conversationId: string;
  resolveTool(name: string, args: JsonObject): unknown;
}

/** The code of a scenario file, in the test's own process. */
export interface ScenarioCode {
  readonly scenarios: readonly (Partial<Scenario> & { readonly name: string })[];
  readonly tools?: Readonly<Record<string, (args: JsonObject, at: { readonly conversationId: string }) => unknown>>;
  readonly handler?: (messages: readonly AgentChatMessage[], context: HandlerContext) => unknown;
  readonly finalState?: unknown;
  /** Called with the conversation for each request to a handler, to make it reject. */
  readonly interrupt?: (conversationId: string) => void;
}

/** A loaded scenario file whose code runs in this process. */
export class FakeScenarioProcess implements ScenarioProcess {
  readonly scenarios: readonly Scenario[];
  isDisposed = false;
  readonly #code: ScenarioCode;

  constructor(code: ScenarioCode) {
    this.#code = code;
    this.scenarios = code.scenarios.map((scenario) =>
      scenarioSchema.parse({ mockedTools: Object.keys(code.tools ?? {}), ...scenario }),
    );
  }

  openAttempt(_name: string, conversationId: string): AttemptCode {
    const { tools = {}, handler, finalState, interrupt } = this.#code;
    const resolveTool = async (name: string, args: JsonObject): Promise<ToolAnswer> => {
      const tool = tools[name];
      if (!tool) return { type: 'unmocked' };
      try {
        return { type: 'result', value: await tool(args, { conversationId }) };
      } catch (error) {
        return { type: 'error', message: String(error) };
      }
    };
    return {
      resolveTool,
      async callHandler(_agent, messages, { turnIndex }) {
        interrupt?.(conversationId);
        const calls: HandlerCall[] = [];
        const context = {
          turnIndex,
          conversationId,
          async resolveTool(name: string, args: JsonObject) {
            const startedAt = Date.now();
            const answer = await resolveTool(name, args);
            calls.push({ name, args, answer, startedAt, endedAt: Date.now() });
            if (answer.type === 'result') return answer.value;
            throw new Error(answer.type === 'error' ? answer.message : 'unmocked');
          },
        };
        try {
          const message = (await handler?.(messages, context)) as AgentChatMessage;
          return { calls, reply: { type: 'message', message } };
        } catch (error) {
          return { calls, reply: { type: 'failed', reason: `The handler threw: ${error}` } };
        }
      },
      finalState: async () => finalState,
      output: () => '',
      [Symbol.dispose]() {},
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
  }
}
