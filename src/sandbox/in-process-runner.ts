import { memoizeWeak } from '../core/cache/memoize.ts';
import { errorMessage } from '../core/error-message.ts';
import { completeArguments, deepFreeze } from './arguments.ts';
import { type CallTimer, createCallTimer } from './call-timer.ts';
import { createFunctionJudge } from './function-judge.ts';
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
      return withTimeout(timeoutMs, signal, (timer) => callFunction(fn, call, copyOf, timer));
    },
  };
}

async function callFunction(
  fn: InProcessFunction,
  { args, shared = [], judge }: FunctionCall,
  copyOf: (value: object) => object,
  timer: CallTimer,
): Promise<FunctionReply> {
  try {
    const copies = shared.map((argument) => ({ ...argument, value: copyOf(argument.value) }));
    const functions = judge
      ? [
          {
            value: { judge: createFunctionJudge((question) => timer.pause(() => judge.ask(question))) },
            from: ['judge'],
            to: judge.at,
          },
        ]
      : [];
    const complete = completeArguments(structuredClone([...args]), [...copies, ...functions]);
    return { kind: 'returned', value: await fn(...complete) };
  } catch (error) {
    return { kind: 'threw', reason: errorReason(errorMessage(error)) };
  }
}

function withTimeout(
  limitMs: number,
  signal: AbortSignal,
  call: (timer: CallTimer) => Promise<FunctionReply>,
): Promise<FunctionReply> {
  const { promise, resolve } = Promise.withResolvers<FunctionReply>();
  const cancel = () => resolve({ kind: 'cancelled' });
  const timer = createCallTimer(() => resolve({ kind: 'lost', reason: timeoutReason(limitMs) }));
  timer.start(limitMs);
  signal.addEventListener('abort', cancel, { once: true });
  call(timer).then(resolve);
  return promise.finally(() => {
    timer.stop();
    signal.removeEventListener('abort', cancel);
  });
}
