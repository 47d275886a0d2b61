import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type OverviewQuery, type OverviewRow, overviewRows } from '../../src/protocol/sessions-overview.ts';
import { usePages } from '../hooks/use-pages.ts';
import type { EditorConnection } from '../host.ts';

export interface OverviewRows {
  /** How many rows match; null before the first answer. */
  readonly total: number | null;
  /** How many sessions match; null before the first answer. */
  readonly matching: number | null;
  /** Undefined until the row is loaded. */
  readonly rowAt: (index: number) => OverviewRow | undefined;
  readonly failureAt: (index: number) => string | null;
  /** Sets which rows are visible and loads them. */
  readonly setVisible: (rows: readonly number[]) => void;
}

const PAGE_SIZE = 100;

/**
 * The visible rows of the table. Rows of the previous query stay until those of the new one arrive.
 *
 * @param query must be memoized. @param revision another number after the results have changed.
 */
export function useOverviewRows(
  host: EditorConnection,
  scope: string | null,
  query: OverviewQuery,
  revision: number,
): OverviewRows {
  const [counts, setCounts] = useState<{ total: number; matching: number } | null>(null);
  const latest = useRef(query);
  const { rowAt, failureAt, setVisible, refresh } = usePages<OverviewRow>(PAGE_SIZE, async (offset, limit, signal) => {
    const answer = await host.request(overviewRows, { scope, ...latest.current, offset, limit }, signal);
    if (!signal.aborted) setCounts({ total: answer.total, matching: answer.matching });
    return answer.rows;
  });
  // Without any row, the first page tells how many there are.
  const showRows = useCallback((rows: readonly number[]) => setVisible(rows.length === 0 ? [0] : rows), [setVisible]);
  useEffect(() => showRows([]), [showRows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision may have other rows
  useEffect(() => {
    latest.current = query;
    refresh(null);
  }, [query, revision, refresh]);
  return useMemo(
    () => ({
      total: counts?.total ?? null,
      matching: counts?.matching ?? null,
      rowAt,
      failureAt,
      setVisible: showRows,
    }),
    [counts, rowAt, failureAt, showRows],
  );
}
