import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import {
  type OverviewColumn,
  type OverviewQuery,
  type OverviewSort,
  openSessionReport,
} from '../../src/protocol/sessions-overview.ts';
import { Icon } from '../components/icon.tsx';
import { VirtualList } from '../components/virtual-list.tsx';
import { ROW_KEYS, useRowFocus } from '../hooks/use-row-focus.ts';
import type { OverviewHost } from '../host.ts';
import { COLUMN_LABELS } from './columns.ts';
import { rowId, SessionRow } from './session-row.tsx';
import { useOverviewRows } from './use-overview-rows.ts';

/** The height of a row that was never rendered, in pixels. */
const ROW_HEIGHT = 32;

type SessionsTableProps = Readonly<{
  host: OverviewHost;
  columns: readonly OverviewColumn[];
  query: OverviewQuery;
  revision: number;
  onSort: (sort: OverviewSort) => void;
  onMatching: (matching: number | null) => void;
  /** Lists the attempts of a task below it, or hides them. */
  onToggle: (task: string) => void;
  /** The keys of the sessions that are chosen to be compared. */
  picked: readonly string[];
  /** Chooses a session, or takes that back; must be a stable function. */
  onPick: (session: string) => void;
}>;

/** The sessions, a row each. Only visible rows are rendered and loaded. */
export function SessionsTable(props: SessionsTableProps) {
  const { host, columns, query, revision, onSort, onMatching, onToggle, picked, onPick } = props;
  const { scope } = host.initialState;
  const { total, matching, rowAt, failureAt, setVisible } = useOverviewRows(host, scope, query, revision);
  useEffect(() => onMatching(matching), [onMatching, matching]);
  const keys = useMemo(() => Array.from({ length: total ?? 0 }, (_, index) => index), [total]);
  const [current, goTo] = useRowFocus(keys.length, rowId);
  const pinned = useMemo(() => [current], [current]);
  const shown = useRef(rowAt);
  useLayoutEffect(() => {
    shown.current = rowAt;
  }, [rowAt]);
  const open = useCallback(
    (index: number): void => {
      goTo(index, 'mark');
      const row = shown.current(index);
      if (row?.type === 'task') onToggle(row.key);
      else if (row) void host.request(openSessionReport, { session: row.key }).catch(() => {});
    },
    [host, goTo, onToggle],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The heads have buttons.
    if (event.target instanceof Element && event.target.closest('button') !== null) return;
    const row = rowAt(current);
    const opens = event.key === 'ArrowRight' ? false : event.key === 'ArrowLeft' ? true : null;
    if (row?.type === 'task' && row.isExpanded === opens) {
      event.preventDefault();
      onToggle(row.key);
      return;
    }
    if (event.key === 'c' && row?.type === 'session' && host.surface === 'editor') {
      event.preventDefault();
      onPick(row.key);
      return;
    }
    const step = STEPS.get(event.key);
    if (event.key !== 'Enter' && step === undefined) return;
    event.preventDefault();
    if (step === undefined) open(current);
    else goTo(Math.min(keys.length - 1, Math.max(0, current + step)), 'focus');
  };
  return (
    <div
      role="treegrid"
      aria-multiselectable="true"
      tabIndex={-1}
      className={`grid ${columns.map((column) => `with-${column}`).join(' ')}`}
      aria-label={l10n.t('Sessions')}
      aria-rowcount={keys.length + 1}
      aria-colcount={columns.length}
      onKeyDown={onKeyDown}
    >
      <ColumnHeads columns={columns} sort={query.sort} onSort={onSort} />
      <VirtualList
        keys={keys}
        estimate={ROW_HEIGHT}
        pinned={pinned}
        role="rowgroup"
        label={l10n.t('Sessions')}
        onShown={setVisible}
      >
        {(index) => {
          const row = rowAt(index);
          return (
            <SessionRow
              index={index}
              row={row}
              failure={failureAt(index)}
              columns={columns}
              scope={scope}
              isCurrent={index === current}
              isPicked={host.surface === 'page' ? null : row?.type === 'session' && picked.includes(row.key)}
              onOpen={open}
              onPick={onPick}
            />
          );
        }}
      </VirtualList>
      {total === 0 ? <p className="nothing">{l10n.t('No session matches the filter.')}</p> : null}
    </div>
  );
}

type ColumnHeadsProps = Readonly<{
  columns: readonly OverviewColumn[];
  sort: OverviewSort;
  onSort: (sort: OverviewSort) => void;
}>;

/** The heads sort by their column; a second click reverses the order. */
function ColumnHeads({ columns, sort, onSort }: ColumnHeadsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as the rows
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the buttons
    <div role="row" aria-rowindex={1} className="row heads">
      {columns.map((column) => {
        const isSorted = sort.column === column;
        const isReversed = isSorted && !sort.isReversed;
        return (
          // biome-ignore lint/a11y/useSemanticElements: as the rows
          // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the button
          <div
            key={column}
            role="columnheader"
            className={`cell ${column}-cell`}
            aria-sort={isSorted ? (isAscending(sort) ? 'ascending' : 'descending') : undefined}
          >
            <button type="button" onClick={() => onSort({ column, isReversed })}>
              {COLUMN_LABELS[column]}
              {isSorted ? <Icon name={isAscending(sort) ? 'up' : 'down'} /> : null}
            </button>
          </div>
        );
      })}
    </div>
  );
}

/** Names go from A to Z by default, everything else from the worst or the largest down. */
function isAscending({ column, isReversed }: OverviewSort): boolean {
  return (column === 'session' || column === 'task') !== isReversed;
}

const STEPS: ReadonlyMap<string, number> = new Map([...ROW_KEYS, ['j', 1], ['k', -1]]);
