import type { Finding } from '../../core/finding.ts';
import type { Result } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { FunctionDefinition } from './definition.ts';

/** One call of a function that a configuration has. */
export interface FunctionCall {
  readonly metric: FunctionDefinition;
  readonly session: Session;
  readonly about: Subject;
}

/** What a function is called about, beside the session. */
export interface Subject {
  /** Zero-based index of the turn; null: the session as a whole. */
  readonly turn: number | null;
  readonly findings: readonly Finding[];
  readonly results: Readonly<Record<string, Result | null>>;
  /** Only of a session as a whole. */
  readonly turnResults?: Readonly<Record<string, readonly (Result | null)[]>>;
}

/** What became of a call. Reasons end a sentence that begins with the function. */
export type Reply =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** `place`: the line where, when it is known. */
  | { readonly kind: 'threw'; readonly reason: string; readonly line?: number | undefined }
  /** It did not come back, or took its process with it. */
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** Calls functions. Never rejects. */
export interface Functions {
  call(call: FunctionCall, signal: AbortSignal): Promise<Reply>;
}

/** Where no function is to be called, as in a plan of a run. */
export const NOT_CALLED: Functions = { call: async () => ({ kind: 'threw', reason: 'is not called here' }) };

/** What a function is called with. */
export function argumentsOf(session: Session, { turn, ...context }: Subject): [subject: unknown, context: unknown] {
  return turn === null ? [session, context] : [session.turns[turn], { session, index: turn, ...context }];
}

/** Lost calls after which a function is not called any more: each costs its whole time limit. */
const MOST_LOST = 3;

/** One call after the other, in the order in which they were asked for. What gets lost again and again is left alone. */
export function oneByOne(functions: Functions): Functions {
  let last: Promise<unknown> = Promise.resolve();
  const lost = new Map<string, number>();
  const calling = async (call: FunctionCall, signal: AbortSignal): Promise<Reply> => {
    if (signal.aborted) return { kind: 'cancelled' };
    const { name } = call.metric;
    const times = lost.get(name) ?? 0;
    if (times >= MOST_LOST) {
      return { kind: 'threw', reason: `is not called any more in this run, since ${times} calls of it were lost` };
    }
    const reply = await functions.call(call, signal);
    if (reply.kind === 'lost') lost.set(name, times + 1);
    return reply;
  };
  return {
    call(call, signal) {
      const mine = last.then(() => calling(call, signal));
      last = mine.catch(() => {});
      return mine;
    },
  };
}

/** Of one call, where its metric says nothing else. */
export const TIME_LIMIT_MS = 10_000;

/** A reason. */
export function late(limitMs: number): string {
  return `did not answer within ${limitMs / 1000} seconds`;
}

/** A reason. @param message of the error; its first line is told. */
export function threw(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return line === '' ? 'threw an error' : `threw an error: ${line.replace(/[.]$/, '')}`;
}
