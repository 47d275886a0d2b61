import { useCallback, useEffect } from 'react';
import { type TurnRow, turns } from '../../src/protocol/turn-rows.ts';
import type { Host } from '../host.ts';
import { type PagedRows, usePages } from './use-pages.ts';

/** Turns that are asked for together. */
const PAGE = 10;

/** The turns of a session, as far as somebody looks at them; those that have changed are asked for again. */
export function useTurns(host: Host, session: string, count: number): PagedRows<TurnRow> {
  const fetchTurns = useCallback(
    async (from: number, size: number, signal: AbortSignal) =>
      (await host.request(turns, { session, from, count: size }, signal)).rows,
    [host, session],
  );
  const rows = usePages<TurnRow>(PAGE, fetchTurns);
  const { refresh } = rows;
  useEffect(
    () =>
      host.onEvent((event) => {
        if (event.event === 'changed') refresh(event.turns);
      }),
    [host, refresh],
  );
  // A page that was the last one may have more rows now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is told by the number of turns alone
  useEffect(() => refresh(null), [refresh, count]);
  return rows;
}
