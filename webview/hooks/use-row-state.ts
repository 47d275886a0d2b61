import { createContext, useCallback, useContext, useState } from 'react';

/**
 * What was opened and fetched in rows. A virtual list unmounts rows that scroll out of view; this restores them.
 */
export interface RowState {
  readonly open: Map<string, boolean>;
  readonly texts: Map<string, string>;
}

export function emptyRowState(): RowState {
  return { open: new Map(), texts: new Map() };
}

export const RowStateContext = createContext<RowState>(emptyRowState());

/** @param key unique in the report. @param initial the state until the user opens or closes it. */
export function useOpen(key: string, initial: boolean): readonly [boolean, (isOpen: boolean) => void] {
  const { open } = useContext(RowStateContext);
  const [, redraw] = useState(0);
  const set = useCallback(
    (isOpen: boolean) => {
      open.set(key, isOpen);
      redraw((times) => times + 1);
    },
    [open, key],
  );
  return [open.get(key) ?? initial, set];
}

/** The fetched remainder of a long text. */
export function useText(key: string): readonly [string, (text: string) => void] {
  const { texts } = useContext(RowStateContext);
  const [, redraw] = useState(0);
  const set = useCallback(
    (text: string) => {
      texts.set(key, text);
      redraw((times) => times + 1);
    },
    [texts, key],
  );
  return [texts.get(key) ?? '', set];
}
