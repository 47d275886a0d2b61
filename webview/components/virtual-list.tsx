import { type AriaRole, Fragment, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { type ListWindow, useWindow } from '../hooks/use-window.ts';
import { binarySearch } from '../row-heights.ts';

type VirtualListProps = Readonly<{
  /** The keys of the rows, ascending. */
  keys: readonly number[];
  /** The height of a row that was never rendered, in pixels. */
  estimate: number;
  /** Rows that are always rendered, so that they keep the focus. */
  pinned?: readonly number[];
  role: 'list' | 'feed' | 'rowgroup';
  rowRole?: AriaRole;
  label: string;
  className?: string;
  isBusy?: boolean;
  /** Called with the keys of the rendered rows. */
  onShown?: (keys: readonly number[]) => void;
  children: (key: number, position: number) => ReactNode;
}>;

const NONE: readonly number[] = [];

/** A list on a scrolling page that renders only visible rows. Lists can be nested. */
export function VirtualList(props: VirtualListProps) {
  const { keys, estimate, pinned = NONE, role, rowRole, label, className, isBusy, onShown, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const { range, heights, measure } = useWindow(list, keys, estimate);
  const positions = renderedPositions(range, pinned, keys);
  const visibleKeys = positions.map((position) => keys[position] ?? 0).join(' ');
  useEffect(() => onShown?.(visibleKeys === '' ? [] : visibleKeys.split(' ').map(Number)), [onShown, visibleKeys]);
  // A list role requires children.
  const listAttributes = positions.length === 0 ? {} : { role, 'aria-label': label, 'aria-busy': isBusy };
  let end = 0;
  return (
    <div ref={list} className={className} {...listAttributes}>
      {positions.map((position) => {
        const key = keys[position] ?? 0;
        const before = end;
        end = position + 1;
        return (
          <Fragment key={key}>
            {before === position ? null : <Gap height={heights.offsetOf(position) - heights.offsetOf(before)} />}
            <Row id={key} role={rowRole} measure={measure}>
              {children(key, position)}
            </Row>
          </Fragment>
        );
      })}
      {end === keys.length ? null : <Gap height={heights.total - heights.offsetOf(end)} />}
    </div>
  );
}

function renderedPositions(
  { from, to }: ListWindow['range'],
  pinned: readonly number[],
  keys: readonly number[],
): number[] {
  const span = Array.from({ length: to - from }, (_, index) => from + index);
  const far = pinned.map((key) => binarySearch(keys, key)).filter((at) => at >= 0 && (at < from || at >= to));
  return [...span, ...far].sort((a, b) => a - b);
}

/** Takes the space of rows that are not rendered. CSS excludes it from scroll anchoring. */
function Gap({ height }: Readonly<{ height: number }>) {
  return <div className="gap" aria-hidden="true" style={{ height }} />;
}

type RowProps = Readonly<{
  id: number;
  role: AriaRole | undefined;
  measure: ListWindow['measure'];
  children: ReactNode;
}>;

function Row({ id, role, measure, children }: RowProps) {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (row.current ? measure(row.current, id) : undefined), [measure, id]);
  return (
    <div ref={row} role={role}>
      {children}
    </div>
  );
}
