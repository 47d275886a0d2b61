import type { CancellationToken } from '../protocol/rpc.ts';

/** The signal of a token, as long as it is not disposed. */
export function toAbortSignal(token: CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const stop = new AbortController();
  const listener = token.onCancellationRequested(() => stop.abort());
  if (token.isCancellationRequested) stop.abort();
  return { signal: stop.signal, [Symbol.dispose]: () => listener.dispose() };
}
