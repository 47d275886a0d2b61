import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { binarySearch, RowHeights } from '../row-heights.ts';

/** Positions of rows; `to` is exclusive. */
export interface VisibleRange {
  readonly from: number;
  readonly to: number;
}

export interface ListWindow {
  /** The rows to render. */
  readonly range: VisibleRange;
  readonly heights: RowHeights;
  /** Observes the height of a row. @returns stops observing. */
  readonly measure: (element: Element, key: number) => () => void;
}

/** How far beyond the viewport rows are rendered, in pixels. */
const OVERSCAN = 500;
/** More rows are rendered when the viewport comes this near to the last rendered row, in pixels. */
const MIN_OVERSCAN = 150;
const EMPTY: VisibleRange = { from: 0, to: 0 };

/**
 * Which rows of a list to render as the page scrolls. When rows above turn out higher than estimated, the browser's
 * scroll anchoring keeps visible content in place.
 *
 * @param keys ascending. @param estimate the height of a row that was never rendered, in pixels.
 */
export function useWindow(list: RefObject<Element | null>, keys: readonly number[], estimate: number): ListWindow {
  const [measured] = useState(() => new Map<number, number>());
  const heights = useMemo(() => heightsOf(keys, estimate, measured), [keys, estimate, measured]);
  const [range, setRange] = useState(EMPTY);
  const [, redraw] = useState(0);

  const update = useCallback((): void => {
    const box = list.current?.getBoundingClientRect();
    // The list is in a hidden tab.
    if (!box || box.width === 0) return;
    const rowsWithin = (margin: number): VisibleRange => {
      const [top, bottom] = [-box.top - margin, window.innerHeight - box.top + margin];
      if (heights.count === 0 || bottom < 0 || top > heights.total) return EMPTY;
      return { from: heights.indexAt(Math.max(0, top)), to: heights.indexAt(bottom) + 1 };
    };
    const needed = rowsWithin(MIN_OVERSCAN);
    setRange((rendered) => {
      const isEnough = rendered.from <= needed.from && needed.to <= rendered.to && rendered.to <= heights.count;
      const isTooMuch = rendered.to - rendered.from > 4 * (needed.to - needed.from) + 4;
      return isEnough && !isTooMuch ? rendered : rowsWithin(OVERSCAN);
    });
  }, [list, heights]);

  useLayoutEffect(() => {
    update();
    window.addEventListener('scroll', update, { passive: true });
    window.addEventListener('resize', update);
    return () => {
      window.removeEventListener('scroll', update);
      window.removeEventListener('resize', update);
    };
  }, [update]);

  const onHeight = useRef<(key: number, height: number) => boolean>(() => false);
  const onChange = useRef(() => {});
  useLayoutEffect(() => {
    onHeight.current = (key, height) => {
      measured.set(key, height);
      return heights.set(binarySearch(keys, key), height);
    };
    onChange.current = () => {
      redraw((times) => times + 1);
      update();
    };
  }, [measured, heights, keys, update]);

  const measure = useMeasure(onHeight, onChange);
  return { range: range.to <= heights.count ? range : EMPTY, heights, measure };
}

function heightsOf(keys: readonly number[], estimate: number, measured: ReadonlyMap<number, number>): RowHeights {
  const heights = new RowHeights(keys.length, estimate);
  for (const [key, height] of measured) heights.set(binarySearch(keys, key), height);
  return heights;
}

function useMeasure(
  onHeight: RefObject<(key: number, height: number) => boolean>,
  onChange: RefObject<() => void>,
): ListWindow['measure'] {
  const observed = useRef<{ observer: ResizeObserver; keys: Map<Element, number> } | null>(null);
  return useCallback(
    (element, key) => {
      observed.current ??= observe(onHeight, onChange);
      const { observer, keys } = observed.current;
      keys.set(element, key);
      observer.observe(element);
      return () => {
        keys.delete(element);
        observer.unobserve(element);
      };
    },
    [onHeight, onChange],
  );
}

function observe(
  onHeight: RefObject<(key: number, height: number) => boolean>,
  onChange: RefObject<() => void>,
): { observer: ResizeObserver; keys: Map<Element, number> } {
  const keys = new Map<Element, number>();
  const observer = new ResizeObserver((entries) => {
    let hasChanged = false;
    for (const { target, borderBoxSize } of entries) {
      const key = keys.get(target);
      const height = borderBoxSize[0]?.blockSize ?? 0;
      // A hidden row has no height; keep the last one.
      if (key !== undefined && height > 0 && onHeight.current(key, height)) hasChanged = true;
    }
    if (hasChanged) onChange.current();
  });
  return { observer, keys };
}
