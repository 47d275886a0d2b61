import { startTransition, useCallback, useEffect, useMemo, useState } from 'react';
import { type Page, PageCache } from '../page-cache.ts';

export interface PagedRows<Row> {
  /** Whether no page has loaded yet. */
  readonly isFirst: boolean;
  /** Undefined until the row is loaded. A new function when rows change. */
  readonly rowAt: (index: number) => Row | undefined;
  /** The error from loading a row, or null. */
  readonly failureAt: (index: number) => string | null;
  /** Sets which rows are visible and loads them. */
  readonly setVisible: (rows: readonly number[]) => void;
  /** Marks rows as stale; null: all of them. */
  readonly refresh: (rows: readonly number[] | null) => void;
}

/**
 * The visible rows of a long list. New rows render as a transition, so that scrolling stays smooth.
 *
 * @param fetch must fetch the same list for the lifetime of the component.
 */
export function usePages<Row>(size: number, fetch: ConstructorParameters<typeof PageCache<Row>>[1]): PagedRows<Row> {
  const [pages, setPages] = useState<ReadonlyMap<number, Page<Row>>>(new Map());
  const [cache] = useState((): PageCache<Row> => {
    const created: PageCache<Row> = new PageCache<Row>(size, fetch, () =>
      startTransition(() => setPages(created.pages)),
    );
    return created;
  });
  useEffect(() => () => cache.stop(), [cache]);
  const setVisible = useCallback((rows: readonly number[]) => cache.setVisible(rows), [cache]);
  const refresh = useCallback((rows: readonly number[] | null) => cache.refresh(rows), [cache]);
  return useMemo(
    () => ({
      isFirst: pages.size === 0,
      rowAt(index) {
        const page = pages.get(Math.floor(index / size));
        return page && 'rows' in page ? page.rows[index % size] : undefined;
      },
      failureAt(index) {
        const page = pages.get(Math.floor(index / size));
        return page && 'failed' in page ? page.failed : null;
      },
      setVisible,
      refresh,
    }),
    [pages, size, setVisible, refresh],
  );
}
