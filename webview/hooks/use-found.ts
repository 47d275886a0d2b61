import { useEffect, useState } from 'react';
import { type Found, find, type Wanted } from '../../src/protocol/find.ts';
import { Cancelled } from '../../src/protocol/panel.ts';
import type { Host } from '../host.ts';
import { messageOf } from './use-report.ts';

/** What was found last, and whether something else is being looked for. */
export interface Finding {
  readonly found: Found | null;
  readonly isBusy: boolean;
  readonly failed: string | null;
}

const NOTHING: Finding = { found: null, isBusy: false, failed: null };
/** Nobody has stopped typing before that, in milliseconds. */
const PAUSE = 150;

/**
 * The turns that are wanted. What was found stays until something else is; when nothing is wanted any more, nothing is.
 *
 * @param wanted the same object for as long as it is the same; null: nothing.
 */
export function useFound(host: Host, session: string, edition: number, wanted: Wanted | null): Finding {
  const [finding, setFinding] = useState(NOTHING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another edition may have other turns
  useEffect(() => {
    if (wanted === null) {
      setFinding(NOTHING);
      return;
    }
    const stop = new AbortController();
    setFinding((before) => ({ ...before, isBusy: true }));
    const timer = setTimeout(() => {
      host.ask(find, { session, wanted }, stop.signal).then(
        (found) => setFinding({ found, isBusy: false, failed: null }),
        (error: unknown) => {
          if (!(error instanceof Cancelled)) setFinding({ found: null, isBusy: false, failed: messageOf(error) });
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [host, session, edition, wanted]);
  return finding;
}
