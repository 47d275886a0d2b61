import { useCallback, useEffect, useState } from 'react';
import { type ReportHeader, sessionReport } from '../../src/protocol/report.ts';
import type { Host } from '../host.ts';

/** What there is to show. */
export type ReportState =
  | { readonly type: 'loading' }
  | { readonly type: 'gone' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'shown'; readonly header: ReportHeader };

const LOADING: ReportState = { type: 'loading' };

/**
 * The header of a session's report, asked for again whenever results change. What is shown stays until the answer is
 * here, and no question is asked before the one before it is answered.
 */
export function useReport(host: Host, session: string): ReportState & { readonly retry: () => void } {
  const [state, setState] = useState(LOADING);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try asks again
  useEffect(() => {
    const stop = new AbortController();
    let isAsking = false;
    let isOld = false;
    const load = async (): Promise<void> => {
      isOld = true;
      if (isAsking) return;
      isAsking = true;
      while (isOld && !stop.signal.aborted) {
        isOld = false;
        const next = await stateOf(host, session, stop.signal);
        if (!stop.signal.aborted) setState(next);
      }
      isAsking = false;
    };
    void load();
    const unlisten = host.onEvent(({ event }) => {
      if (event === 'changed') void load();
    });
    return () => {
      stop.abort();
      unlisten();
    };
  }, [host, session, tries]);
  const retry = useCallback(() => {
    setState(LOADING);
    setTries((before) => before + 1);
  }, []);
  return { ...state, retry };
}

async function stateOf(host: Host, session: string, signal: AbortSignal): Promise<ReportState> {
  try {
    const { header } = await host.request(sessionReport, { session }, signal);
    return header ? { type: 'shown', header } : { type: 'gone' };
  } catch (error) {
    return { type: 'failed', message: messageOf(error) };
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
