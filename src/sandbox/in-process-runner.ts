import { memoizeWeak } from '../core/cache/memoize.ts';
import { errorMessage } from '../core/error-message.ts';
import { completeArguments, deepFreeze } from './arguments.ts';
import {
  errorReason,
  type FunctionCall,
  type FunctionReply,
  type FunctionRunner,
  timeoutReason,
} from './function-runner.ts';
import type { InProcessFunction } from './module-function.ts';

/**
 * Calls functions that a program hands over, in the program's own process. The time limit only ends the wait for their
 * promises; a function that never yields blocks the process.
 */
export function inProcessRunner(): FunctionRunner {
  const copyOf = memoizeWeak((value: object) => deepFreeze(structuredClone(value)));
  return {
    async call(call, signal) {
      const { fn, timeoutMs } = call;
      if (typeof fn !== 'function') return { kind: 'threw', reason: 'belongs to another process' };
      return withTimeout(timeoutMs, signal, () => callFunction(fn, call, copyOf));
    },
  };
}

async function callFunction(
  fn: InProcessFunction,
  { args, shared = [] }: FunctionCall,
  copyOf: (value: object) => object,
): Promise<FunctionReply> {
  try {
    const copies = shared.map((argument) => ({ ...argument, value: copyOf(argument.value) }));
    return { kind: 'returned', value: await fn(...completeArguments(structuredClone([...args]), copies)) };
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
