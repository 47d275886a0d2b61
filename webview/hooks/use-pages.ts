import { startTransition, useCallback, useEffect, useMemo, useState } from 'react';
import { type Page, PageCache } from '../page-cache.ts';

export interface PagedRows<Row> {
  /** Nothing was here yet. */
  readonly isFirst: boolean;
  /** Undefined until it is here. Another function when rows are others. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Why a row is not here, and will not be by itself. */
  readonly failureAt: (index: number) => string | null;
  /** Somebody looks at these rows, and at no others. */
  readonly setVisible: (rows: readonly number[]) => void;
  /** Rows may be others than they were; null: all of them. */
  readonly refresh: (rows: readonly number[] | null) => void;
}

/**
 * The rows of a long list, as far as somebody looks at them. What arrives is drawn when there is time for it: scrolling
 * comes first.
 *
 * @param fetch of the same list for as long as the component is there.
 */
export function usePages<Row>(size: number, fetch: ConstructorParameters<typeof PageCache<Row>>[1]): PagedRows<Row> {
  const [pages, setPages] = useState<ReadonlyMap<number, Page<Row>>>(new Map());
  const [store] = useState((): PageCache<Row> => {
    const made: PageCache<Row> = new PageCache<Row>(size, fetch, () => startTransition(() => setPages(made.pages)));
    return made;
  });
  useEffect(() => () => store.stop(), [store]);
  const want = useCallback((rows: readonly number[]) => store.setVisible(rows), [store]);
  const refresh = useCallback((rows: readonly number[] | null) => store.refresh(rows), [store]);
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
      setVisible: want,
      refresh,
    }),
    [pages, size, want, refresh],
  );
}
