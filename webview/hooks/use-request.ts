import { useEffect, useState } from 'react';
import type { RequestType } from '../../src/protocol/rpc.ts';
import type { EditorConnection } from '../host.ts';
import { messageOf } from './use-report.ts';

/** The last response, or the error. */
export type RequestState<Result> =
  | { readonly type: 'waiting' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'here'; readonly value: Result };

/**
 * Sends a request, and again for each revision while enabled. The previous response stays until the new one arrives.
 *
 * @param params must be memoized; null: no request is sent.
 */
export function useRequest<Params, Result>(
  host: Pick<EditorConnection, 'request'>,
  request: RequestType<Params, Result>,
  params: Params | null,
  revision: number,
  isEnabled = true,
): RequestState<Result> {
  const [latest, setLatest] = useState<{ readonly params: Params | null; readonly state: RequestState<Result> }>(
    NO_RESPONSE,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision may have another response
  useEffect(() => {
    if (params === null || !isEnabled) return;
    const controller = new AbortController();
    const update = (state: RequestState<Result>): void => {
      if (!controller.signal.aborted) setLatest({ params, state });
    };
    host.request(request, params, controller.signal).then(
      (value) => update({ type: 'here', value }),
      (error: unknown) => update({ type: 'failed', message: messageOf(error) }),
    );
    return () => controller.abort();
  }, [host, request, params, revision, isEnabled]);
  return latest.params === params ? latest.state : WAITING;
}

const WAITING = { type: 'waiting' } as const;
const NO_RESPONSE = { params: null, state: WAITING };
