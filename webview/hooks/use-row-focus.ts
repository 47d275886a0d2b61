import { useCallback, useLayoutEffect, useState } from 'react';

/** Keys that move between the rows of a grid, and by how many. */
export const ROW_KEYS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['PageDown', 20],
  ['PageUp', -20],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

/** `focus` moves the focus to the row. */
type GoToRow = (index: number, mode: 'mark' | 'focus') => void;

/** The row that arrow keys start from. @param rowId the element id of a row; must be a stable function. */
export function useRowFocus(total: number, rowId: (index: number) => string): readonly [number, GoToRow] {
  const [{ index, mode }, setCurrent] = useState<{ index: number; mode: 'mark' | 'focus' }>({ index: 0, mode: 'mark' });
  const current = Math.min(index, Math.max(0, total - 1));
  useLayoutEffect(() => {
    if (mode !== 'focus') return;
    const element = document.getElementById(rowId(current));
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest' });
  }, [current, mode, rowId]);
  const goTo = useCallback((next: number, how: 'mark' | 'focus') => setCurrent({ index: next, mode: how }), []);
  return [current, goTo];
}
