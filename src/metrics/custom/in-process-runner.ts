import { memoizeWeak } from '../../core/cache/memoize.ts';
import { errorMessage } from '../../core/error-message.ts';
import type { Session } from '../../core/session.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { CustomFunction } from './definition.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  errorReason,
  type FunctionCall,
  type FunctionReply,
  type FunctionRunner,
  functionArguments,
  timeoutReason,
} from './function-runner.ts';

/**
 * Calls functions that a program gave us, in its own process: the time limit ends the waiting for what they promise, and
 * nothing can end a function that never gives control back.
 */
export function inProcessRunner(): FunctionRunner {
  const copyOf = memoizeWeak((session: Session) => deepFreeze(structuredClone(session)));
  return {
    async call(call, signal) {
      const { evaluate, timeoutMs = DEFAULT_CALL_TIMEOUT_MS } = call.metric;
      if (typeof evaluate !== 'function') return { kind: 'threw', reason: 'stands in another process' };
      return withTimeout(timeoutMs, signal, () => callFunction(evaluate, call, copyOf));
    },
  };
}

async function callFunction(
  evaluate: CustomFunction,
  { session, subject: about }: FunctionCall,
  copyOf: (session: Session) => Session,
): Promise<FunctionReply> {
  try {
    const [subject, context] = functionArguments(copyOf(session), deepFreeze(structuredClone(about)));
    return { kind: 'returned', value: await evaluate(subject, context) };
  } catch (error) {
    return { kind: 'threw', reason: errorReason(errorMessage(error)) };
  }
}

function withTimeout(limitMs: number, signal: AbortSignal, call: () => Promise<FunctionReply>): Promise<FunctionReply> {
  const { promise, resolve } = Promise.withResolvers<FunctionReply>();
  const cancel = () => resolve({ kind: 'cancelled' });
  const timer = setTimeout(() => resolve({ kind: 'lost', reason: timeoutReason(limitMs) }), limitMs);
  signal.addEventListener('abort', cancel, { once: true });
  call().then(resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  });
}
