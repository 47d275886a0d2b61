import { useCallback, useEffect, useMemo, useState } from 'react';
import * as z from 'zod/mini';
import { type TurnQuery, turnQuery } from '../../src/protocol/turn-search.ts';
import type { Host } from '../host.ts';

export const TABS = ['transcript', 'failures', 'metrics', 'timeline', 'run'] as const;
export type TabId = (typeof TABS)[number];

const view = z.object({
  tab: z.enum(TABS),
  /** Excludes the search text. */
  filter: turnQuery,
  /** The search text. */
  text: z.string(),
  /** Whether only turns that match the search text are shown. */
  isOnly: z.boolean(),
});
/** The tab, filter and search; saved across reloads. */
export type View = z.infer<typeof view>;

const DEFAULT_VIEW: View = { tab: 'transcript', filter: {}, text: '', isOnly: false };

export interface SavedView extends View {
  readonly change: (parts: Partial<View>) => void;
  /** The query that shown turns match; null: all are shown. */
  readonly shownQuery: TurnQuery | null;
  /** The search in the filtered turns; null: none. */
  readonly searchQuery: TurnQuery | null;
}

/** @param turn zero-based index of the selected turn. */
export function useView(host: Host, session: string, turn: number | null): SavedView {
  const [current, setCurrent] = useState((): View => {
    const { success, data } = z.safeParse(view, host.initialState.view);
    return success && host.initialState.session === session ? data : DEFAULT_VIEW;
  });
  useEffect(() => host.saveState({ session, turn, view: current }), [host, session, turn, current]);
  const change = useCallback((parts: Partial<View>) => setCurrent((before) => ({ ...before, ...parts })), []);
  const { filter, text, isOnly } = current;
  const searchQuery = useMemo(() => (text === '' ? null : { ...filter, text }), [filter, text]);
  const shownQuery = useMemo(() => {
    if (isOnly && searchQuery !== null) return searchQuery;
    return isEmptyFilter(filter) ? null : filter;
  }, [filter, isOnly, searchQuery]);
  return { ...current, change, shownQuery, searchQuery };
}

export function isEmptyFilter(filter: TurnQuery): boolean {
  return Object.values(filter).every((value) => value === undefined || value === false);
}
