import { useEffect, useState } from 'react';
import { RequestCancelled } from '../../src/protocol/panel.ts';
import { searchTurns, type TurnMatches, type TurnQuery } from '../../src/protocol/turn-search.ts';
import type { Host } from '../host.ts';
import { messageOf } from './use-report.ts';

/** What was found last, and whether something else is being looked for. */
export interface SearchState {
  readonly found: TurnMatches | null;
  readonly isBusy: boolean;
  readonly failed: string | null;
}

const NO_SEARCH: SearchState = { found: null, isBusy: false, failed: null };
/** Nobody has stopped typing before that, in milliseconds. */
const DEBOUNCE_MS = 150;

/**
 * The turns that are wanted. What was found stays until something else is; when nothing is wanted any more, nothing is.
 *
 * @param wanted the same object for as long as it is the same; null: nothing.
 */
export function useSearch(host: Host, session: string, revision: number, wanted: TurnQuery | null): SearchState {
  const [finding, setFinding] = useState(NO_SEARCH);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision may have other turns
  useEffect(() => {
    if (wanted === null) {
      setFinding(NO_SEARCH);
      return;
    }
    const stop = new AbortController();
    setFinding((before) => ({ ...before, isBusy: true }));
    const timer = setTimeout(() => {
      host.request(searchTurns, { session, wanted }, stop.signal).then(
        (found) => setFinding({ found, isBusy: false, failed: null }),
        (error: unknown) => {
          if (!(error instanceof RequestCancelled))
            setFinding({ found: null, isBusy: false, failed: messageOf(error) });
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [host, session, revision, wanted]);
  return finding;
}
