import type { Session } from '../../core/session.ts';
import type { CustomFunction } from './definition.ts';
import { frozen } from './frozen.ts';
import { argumentsOf, type FunctionCall, type Functions, late, type Reply, TIME_LIMIT_MS, threw } from './functions.ts';

/**
 * Calls functions that a program gave us, in its own process: the time limit ends the waiting for what they promise, and
 * nothing can end a function that never gives control back.
 */
export function inProcess(): Functions {
  const copies = new WeakMap<Session, Session>();
  const copyOf = (session: Session) => {
    const known = copies.get(session);
    if (known) return known;
    const copy = frozen(structuredClone(session));
    copies.set(session, copy);
    return copy;
  };
  return {
    async call(call, signal) {
      const { evaluate, timeoutMs = TIME_LIMIT_MS } = call.metric;
      if (typeof evaluate !== 'function') return { kind: 'threw', reason: 'stands in another process' };
      return within(timeoutMs, signal, () => called(evaluate, call, copyOf));
    },
  };
}

async function called(
  evaluate: CustomFunction,
  { session, about }: FunctionCall,
  copyOf: (session: Session) => Session,
): Promise<Reply> {
  try {
    const [subject, context] = argumentsOf(copyOf(session), frozen(structuredClone(about)));
    return { kind: 'returned', value: await evaluate(subject, context) };
  } catch (error) {
    return { kind: 'threw', reason: threw(error instanceof Error ? error.message : String(error)) };
  }
}

function within(limitMs: number, signal: AbortSignal, call: () => Promise<Reply>): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const cancel = () => resolve({ kind: 'cancelled' });
  const timer = setTimeout(() => resolve({ kind: 'lost', reason: late(limitMs) }), limitMs);
  signal.addEventListener('abort', cancel, { once: true });
  call().then(resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  });
}
