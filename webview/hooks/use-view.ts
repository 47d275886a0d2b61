import { useCallback, useEffect, useMemo, useState } from 'react';
import * as z from 'zod/mini';
import { type TurnQuery, turnQuery } from '../../src/protocol/turn-search.ts';
import type { Host } from '../host.ts';

export const TABS = ['transcript', 'failures', 'metrics', 'run'] as const;
export type TabId = (typeof TABS)[number];

const view = z.object({
  tab: z.enum(TABS),
  /** Without a text. */
  filter: turnQuery,
  /** What is looked for. */
  text: z.string(),
  /** Only turns that say it are shown. */
  isOnly: z.boolean(),
});
/** What a person has chosen to see; it survives a reload. */
export type View = z.infer<typeof view>;

const EVERYTHING: View = { tab: 'transcript', filter: {}, text: '', isOnly: false };

export interface SavedView extends View {
  readonly change: (parts: Partial<View>) => void;
  /** What the turns that are shown must be; null: all are. */
  readonly shownIf: TurnQuery | null;
  /** What is looked for in them; null: nothing. */
  readonly soughtIn: TurnQuery | null;
}

/** @param turn zero-based, of the selected one. */
export function useView(host: Host, session: string, turn: number | null): SavedView {
  const [known, setKnown] = useState((): View => {
    const { success, data } = z.safeParse(view, host.initialState.view);
    return success && host.initialState.session === session ? data : EVERYTHING;
  });
  useEffect(() => host.saveState({ session, turn, view: known }), [host, session, turn, known]);
  const change = useCallback((parts: Partial<View>) => setKnown((before) => ({ ...before, ...parts })), []);
  const { filter, text, isOnly } = known;
  const soughtIn = useMemo(() => (text === '' ? null : { ...filter, text }), [filter, text]);
  const shownIf = useMemo(() => {
    if (isOnly && soughtIn !== null) return soughtIn;
    return isNothing(filter) ? null : filter;
  }, [filter, isOnly, soughtIn]);
  return { ...known, change, shownIf, soughtIn };
}

export function isNothing(filter: TurnQuery): boolean {
  return Object.values(filter).every((value) => value === undefined || value === false);
}
