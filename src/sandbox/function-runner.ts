import { createMutex } from '../core/async/mutex.ts';
import type { SharedArgument } from './arguments.ts';
import type { AskForFunction } from './function-judge.ts';
import type { UserFunction, ValuePath } from './module-function.ts';

/** One call of a user's function. */
export interface FunctionCall {
  /** Calls of one name count together when they are lost. */
  readonly name: string;
  readonly fn: UserFunction;
  /** Plain data. */
  readonly args: readonly unknown[];
  readonly shared?: readonly SharedArgument[];
  readonly timeoutMs: number;
  /** Lets the function ask the judge, by a function at this path of the arguments. */
  readonly judge?: { readonly at: ValuePath; readonly ask: AskForFunction };
}

/** The result of a call. Reasons end a sentence that begins with the function. */
export type FunctionReply =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** `line`: where in the function's file, when it is known. */
  | { readonly kind: 'threw'; readonly reason: string; readonly line?: number | undefined }
  /** It timed out or ended its process. */
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** Calls functions. Never rejects. */
export interface FunctionRunner {
  call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply>;
}

/** Calls nothing, as in a plan of a run. */
export const NO_FUNCTIONS: FunctionRunner = { call: async () => ({ kind: 'threw', reason: 'is not called here' }) };

/** Lost calls after which a function is no longer called: each costs its whole time limit. */
const MAX_LOST_CALLS = 3;

/**
 * Runs one call after the other, in the order of the requests, and gives up on functions that get lost repeatedly. While
 * one waits for the judge, others run.
 */
export function sequentialRunner(functions: FunctionRunner): FunctionRunner {
  const exclusively = createMutex();
  const lost = new Map<string, number>();
  const run = async (call: FunctionCall, signal: AbortSignal): Promise<FunctionReply> => {
    if (signal.aborted) return { kind: 'cancelled' };
    const lostCalls = lost.get(call.name) ?? 0;
    if (lostCalls >= MAX_LOST_CALLS) {
      return { kind: 'threw', reason: `is no longer called in this run, because ${lostCalls} of its calls were lost` };
    }
    const reply = await functions.call(call, signal);
    if (reply.kind === 'lost') lost.set(call.name, lostCalls + 1);
    return reply;
  };
  return {
    call(call, signal) {
      const { promise: requested, resolve: release } = Promise.withResolvers<void>();
      const { promise, resolve } = Promise.withResolvers<FunctionReply>();
      void exclusively(async () => {
        const running = run(call.judge ? { ...call, judge: releasing(call.judge, release) } : call, signal);
        running.then(resolve);
        await Promise.race([running, requested]);
      });
      return promise;
    },
  };
}

function releasing({ at, ask }: NonNullable<FunctionCall['judge']>, release: () => void): FunctionCall['judge'] {
  return {
    at,
    ask(question) {
      release();
      return ask(question);
    },
  };
}

/** The time limit of one call, unless the configuration sets another. */
export const DEFAULT_CALL_TIMEOUT_MS = 10_000;

/** Ends a sentence that begins with the function. */
export function timeoutReason(limitMs: number): string {
  return `did not answer within ${limitMs / 1000} seconds`;
}

/** Ends a sentence that begins with the function. @param message of the error; its first line is quoted. */
export function errorReason(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return line === '' ? 'threw an error' : `threw an error: ${line.replace(/[.]$/, '')}`;
}
