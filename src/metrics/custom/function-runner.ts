import { createMutex } from '../../core/async/mutex.ts';
import type { Finding } from '../../core/finding.ts';
import type { Result } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { FunctionDefinition } from './definition.ts';

/** One call of a function that a configuration has. */
export interface FunctionCall {
  readonly metric: FunctionDefinition;
  readonly session: Session;
  readonly subject: FunctionSubject;
}

/** What a function is called about, beside the session. */
export interface FunctionSubject {
  /** Zero-based index of the turn; null: the session as a whole. */
  readonly turn: number | null;
  readonly findings: readonly Finding[];
  readonly results: Readonly<Record<string, Result | null>>;
  /** Only of a session as a whole. */
  readonly turnResults?: Readonly<Record<string, readonly (Result | null)[]>>;
}

/** What became of a call. Reasons end a sentence that begins with the function. */
export type FunctionReply =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** `place`: the line where, when it is known. */
  | { readonly kind: 'threw'; readonly reason: string; readonly line?: number | undefined }
  /** It did not come back, or took its process with it. */
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** Calls functions. Never rejects. */
export interface FunctionRunner {
  call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply>;
}

/** Where no function is to be called, as in a plan of a run. */
export const NO_FUNCTIONS: FunctionRunner = { call: async () => ({ kind: 'threw', reason: 'is not called here' }) };

/** What a function is called with. */
export function functionArguments(
  session: Session,
  { turn, ...context }: FunctionSubject,
): [subject: unknown, context: unknown] {
  return turn === null ? [session, context] : [session.turns[turn], { session, index: turn, ...context }];
}

/** Lost calls after which a function is not called any more: each costs its whole time limit. */
const MAX_LOST_CALLS = 3;

/** One call after the other, in the order in which they were asked for. What gets lost again and again is left alone. */
export function sequentialRunner(functions: FunctionRunner): FunctionRunner {
  const exclusively = createMutex();
  const lost = new Map<string, number>();
  const calling = async (call: FunctionCall, signal: AbortSignal): Promise<FunctionReply> => {
    if (signal.aborted) return { kind: 'cancelled' };
    const { name } = call.metric;
    const times = lost.get(name) ?? 0;
    if (times >= MAX_LOST_CALLS) {
      return { kind: 'threw', reason: `is not called any more in this run, since ${times} calls of it were lost` };
    }
    const reply = await functions.call(call, signal);
    if (reply.kind === 'lost') lost.set(name, times + 1);
    return reply;
  };
  return {
    call: (call, signal) => exclusively(() => calling(call, signal)),
  };
}

/** Of one call, where its metric says nothing else. */
export const DEFAULT_CALL_TIMEOUT_MS = 10_000;

/** A reason. */
export function timeoutReason(limitMs: number): string {
  return `did not answer within ${limitMs / 1000} seconds`;
}

/** A reason. @param message of the error; its first line is told. */
export function errorReason(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return line === '' ? 'threw an error' : `threw an error: ${line.replace(/[.]$/, '')}`;
}
