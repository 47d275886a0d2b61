import { raceAbort } from '../../core/async/race-abort.ts';
import type { AttemptCode } from '../scenario-process.ts';
import type { Agent } from './agent.ts';

export interface CustomAgentOptions {
  readonly name: string;
  readonly code: AttemptCode;
  /** Of one call of the handler. */
  readonly timeoutMs: number;
}

/** An agent that is a function of the user, called in the process of the scenario file. */
export function customAgent({ name, code, timeoutMs }: CustomAgentOptions): Agent {
  return {
    name,
    async ask({ messages, turnIndex }, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const answered = await raceAbort(
        code.callHandler(name, messages, { turnIndex }),
        AbortSignal.any([signal, timeout]),
      );
      signal.throwIfAborted();
      if (answered === null) {
        const reason = `The handler of the agent "${name}" did not answer within ${timeoutMs / 1000} s (requestTimeoutMs).`;
        return { type: 'failed', reason, calls: [] };
      }
      return { ...answered.reply, calls: answered.calls };
    },
  };
}
