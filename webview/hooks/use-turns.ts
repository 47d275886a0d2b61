import { useCallback, useEffect } from 'react';
import { type TurnRow, turns } from '../../src/protocol/turn-rows.ts';
import type { Host } from '../host.ts';
import { type PagedRows, usePages } from './use-pages.ts';

const PAGE_SIZE = 10;

/** The visible turns of a session. Changed turns are fetched again. */
export function useTurns(host: Host, session: string, count: number): PagedRows<TurnRow> {
  const fetchTurns = useCallback(
    async (from: number, size: number, signal: AbortSignal) =>
      (await host.request(turns, { session, from, count: size }, signal)).rows,
    [host, session],
  );
  const rows = usePages<TurnRow>(PAGE_SIZE, fetchTurns);
  const { refresh } = rows;
  useEffect(
    () =>
      host.onEvent((event) => {
        if (event.event === 'changed') refresh(event.turns);
      }),
    [host, refresh],
  );
  // The last page may have more rows now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the number of turns alone
  useEffect(() => refresh(null), [refresh, count]);
  return rows;
}
