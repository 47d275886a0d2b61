import { useEffect, useState } from 'react';
import { RequestCancelled } from '../../src/protocol/panel.ts';
import { searchTurns, type TurnMatches, type TurnQuery } from '../../src/protocol/turn-search.ts';
import type { Host } from '../host.ts';
import { messageOf } from './use-report.ts';

/** The last matches, and whether a search is running. */
export interface SearchState {
  readonly matches: TurnMatches | null;
  readonly isBusy: boolean;
  readonly failed: string | null;
}

const NO_SEARCH: SearchState = { matches: null, isBusy: false, failed: null };
const DEBOUNCE_MS = 150;

/**
 * Searches the turns. The previous matches stay until the new ones arrive.
 *
 * @param query must be memoized; null clears the matches.
 */
export function useSearch(host: Host, session: string, revision: number, query: TurnQuery | null): SearchState {
  const [state, setState] = useState(NO_SEARCH);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision may have other matches
  useEffect(() => {
    if (query === null) {
      setState(NO_SEARCH);
      return;
    }
    const controller = new AbortController();
    setState((before) => ({ ...before, isBusy: true }));
    const timer = setTimeout(() => {
      host.request(searchTurns, { session, query }, controller.signal).then(
        (matches) => setState({ matches, isBusy: false, failed: null }),
        (error: unknown) => {
          if (!(error instanceof RequestCancelled))
            setState({ matches: null, isBusy: false, failed: messageOf(error) });
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [host, session, revision, query]);
  return state;
}
