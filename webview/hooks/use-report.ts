import { useCallback, useEffect, useState } from 'react';
import { type ReportHeader, sessionReport } from '../../src/protocol/report.ts';
import type { Host } from '../host.ts';

/** The state of loading a report. */
export type ReportState =
  | { readonly type: 'loading' }
  | { readonly type: 'gone' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'shown'; readonly header: ReportHeader };

const LOADING: ReportState = { type: 'loading' };

/**
 * Loads the header of a session's report, and again whenever results change. The previous header stays until the new one
 * arrives. Requests do not overlap.
 */
export function useReport(host: Host, session: string): ReportState & { readonly retry: () => void } {
  const [state, setState] = useState(LOADING);
  const [attempts, setAttempts] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try loads again
  useEffect(() => {
    const controller = new AbortController();
    let isLoading = false;
    let isStale = false;
    const load = async (): Promise<void> => {
      isStale = true;
      if (isLoading) return;
      isLoading = true;
      while (isStale && !controller.signal.aborted) {
        isStale = false;
        const next = await loadState(host, session, controller.signal);
        if (!controller.signal.aborted) setState(next);
      }
      isLoading = false;
    };
    void load();
    const unsubscribe = host.onEvent(({ event }) => {
      if (event === 'changed') void load();
    });
    return () => {
      controller.abort();
      unsubscribe();
    };
  }, [host, session, attempts]);
  const retry = useCallback(() => {
    setState(LOADING);
    setAttempts((before) => before + 1);
  }, []);
  return { ...state, retry };
}

async function loadState(host: Host, session: string, signal: AbortSignal): Promise<ReportState> {
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
