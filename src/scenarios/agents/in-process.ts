import { raceAbort } from '../../core/async/race-abort.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { InProcessFunction } from '../../sandbox/module-function.ts';
import { createHandlerContext, toJson } from '../attempt-context.ts';
import { handlerMessage } from '../child-messages.ts';
import type { HandlerCall } from '../scenario-process.ts';
import type { Agent } from './agent.ts';
import type { CustomAgentOptions } from './custom.ts';

export interface InProcessAgentOptions extends CustomAgentOptions {
  readonly handler: InProcessFunction;
  readonly scenarioName: string;
  /** Of the attempt. */
  readonly conversationId: string;
  readonly unmockedTools: 'error' | 'passthrough';
}

/** An agent that is a function which a program hands over, called in the program's own process. */
export function inProcessAgent({ name, handler, code, timeoutMs, ...attempt }: InProcessAgentOptions): Agent {
  return {
    name,
    async ask({ messages, turnIndex }, signal) {
      const calls: HandlerCall[] = [];
      const answer: Parameters<typeof createHandlerContext>[1]['answer'] = (tool, args) =>
        code.resolveTool(tool, args, { turnIndex });
      const context = createHandlerContext(turnIndex, { ...attempt, answer, onCall: (call) => calls.push(call) });
      const failed = (what: string) =>
        ({ type: 'failed', reason: `The handler of the agent "${name}" ${what}`, calls }) as const;
      const call = async () => toJson(await handler(structuredClone(messages), context), 'It');
      try {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        const answered = handlerMessage.safeParse(await raceAbort(call(), limit));
        signal.throwIfAborted();
        if (limit.aborted) return failed(`did not answer within ${timeoutMs / 1000} s (requestTimeoutMs).`);
        if (answered.success) return { type: 'message', message: answered.data, calls };
        return failed('returned no message: it must return { role: "assistant", content: text or null, tool_calls? }.');
      } catch (error) {
        signal.throwIfAborted();
        return failed(`threw an error: ${errorMessage(error)}`);
      }
    },
  };
}
