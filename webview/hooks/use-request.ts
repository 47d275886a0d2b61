import { useEffect, useState } from 'react';
import type { RequestType } from '../../src/protocol/rpc.ts';
import type { Host } from '../host.ts';
import { messageOf } from './use-report.ts';

/** What was answered last, or that nothing was yet, or why nothing is. */
export type RequestState<Result> =
  | { readonly type: 'waiting' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'here'; readonly value: Result };

/**
 * The answer to a question, which is asked again in each revision as long as somebody wants to know it. What is known
 * stays until the answer is here.
 *
 * @param params the same object for as long as the question is the same; null: nothing is asked.
 */
export function useRequest<Params, Result>(
  host: Host,
  request: RequestType<Params, Result>,
  params: Params | null,
  revision: number,
  isWanted = true,
): RequestState<Result> {
  const [known, setKnown] = useState<{ readonly params: Params | null; readonly answer: RequestState<Result> }>(
    NO_ANSWER,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision may have another answer
  useEffect(() => {
    if (params === null || !isWanted) return;
    const stop = new AbortController();
    const know = (answer: RequestState<Result>): void => {
      if (!stop.signal.aborted) setKnown({ params, answer });
    };
    host.request(request, params, stop.signal).then(
      (value) => know({ type: 'here', value }),
      (error: unknown) => know({ type: 'failed', message: messageOf(error) }),
    );
    return () => stop.abort();
  }, [host, request, params, revision, isWanted]);
  return known.params === params ? known.answer : WAITING;
}

const WAITING = { type: 'waiting' } as const;
const NO_ANSWER = { params: null, answer: WAITING };
