import { type AriaRole, Fragment, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useWindow, type Window } from '../hooks/use-window.ts';
import { binarySearch } from '../row-heights.ts';

type VirtualListProps = Readonly<{
  /** Numbers, ascending: what the rows are known by. */
  keys: readonly number[];
  /** The height of a row that was never seen, in pixels. */
  guess: number;
  /** Rows that are drawn wherever they are: what has the focus stays. */
  pinned?: readonly number[];
  role: 'list' | 'feed';
  rowRole?: AriaRole;
  label: string;
  className?: string;
  isBusy?: boolean;
  /** Which rows are drawn. */
  onShown?: (keys: readonly number[]) => void;
  children: (key: number, position: number) => ReactNode;
}>;

const NONE: readonly number[] = [];

/** A list of which only what is in sight is drawn, on a page that scrolls. Lists can stand within rows of lists. */
export function VirtualList(props: VirtualListProps) {
  const { keys, guess, pinned = NONE, role, rowRole, label, className, isBusy, onShown, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const { span, heights, measure } = useWindow(list, keys, guess);
  const positions = drawn(span, pinned, keys);
  const shown = positions.map((position) => keys[position] ?? 0).join(' ');
  useEffect(() => onShown?.(shown === '' ? [] : shown.split(' ').map(Number)), [onShown, shown]);
  // A list without rows is none.
  const named = positions.length === 0 ? {} : { role, 'aria-label': label, 'aria-busy': isBusy };
  let end = 0;
  return (
    <div ref={list} className={className} {...named}>
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

function drawn({ from, to }: Window['span'], pinned: readonly number[], keys: readonly number[]): number[] {
  const span = Array.from({ length: to - from }, (_, index) => from + index);
  const far = pinned.map((key) => binarySearch(keys, key)).filter((at) => at >= 0 && (at < from || at >= to));
  return [...span, ...far].sort((a, b) => a - b);
}

/** The place of rows that are not drawn. The browser must not hold on to it when it keeps things in their places. */
function Gap({ height }: Readonly<{ height: number }>) {
  return <div className="gap" aria-hidden="true" style={{ height }} />;
}

type RowProps = Readonly<{ id: number; role: AriaRole | undefined; measure: Window['measure']; children: ReactNode }>;

function Row({ id, role, measure, children }: RowProps) {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (row.current ? measure(row.current, id) : undefined), [measure, id]);
  return (
    <div ref={row} role={role}>
      {children}
    </div>
  );
}
