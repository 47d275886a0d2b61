import { createContext, useCallback, useContext, useState } from 'react';

/**
 * What was opened and what was fetched: a long list forgets the rows that nobody sees, and they come back as they were.
 */
export interface RowState {
  readonly open: Map<string, boolean>;
  readonly texts: Map<string, string>;
}

export function emptyRowState(): RowState {
  return { open: new Map(), texts: new Map() };
}

export const RowStateContext = createContext<RowState>(emptyRowState());

/** @param key among everything that can be opened. @param initial as long as nobody opened or closed it. */
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

/** A text that grows as more of it is fetched. */
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
