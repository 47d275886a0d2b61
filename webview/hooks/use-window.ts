import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { binarySearch, RowHeights } from '../row-heights.ts';

/** Rows from one position on, up to and without another. */
export interface VisibleRange {
  readonly from: number;
  readonly to: number;
}

export interface Window {
  /** What is to be drawn. */
  readonly span: VisibleRange;
  readonly heights: RowHeights;
  /** Measures the row of a key until it is told to stop. */
  readonly measure: (element: Element, key: number) => () => void;
}

/**
 * How far beyond what is seen rows are drawn, in pixels; and how near the edge of that one may come before more are.
 */
const BEYOND = 500;
const NEAR = 150;
const NOTHING: VisibleRange = { from: 0, to: 0 };

/**
 * The rows of a list that are in sight, or near it, as the page scrolls. What is measured above them is made up for by
 * the browser, which keeps in its place what it shows.
 *
 * @param keys numbers, ascending. @param guess the height of a row that was never seen, in pixels.
 */
export function useWindow(list: RefObject<Element | null>, keys: readonly number[], guess: number): Window {
  const [known] = useState(() => new Map<number, number>());
  const heights = useMemo(() => heightsOf(keys, guess, known), [keys, guess, known]);
  const [span, setSpan] = useState(NOTHING);
  const [, redraw] = useState(0);

  const look = useCallback((): void => {
    const box = list.current?.getBoundingClientRect();
    // What is hidden has no place on the page.
    if (!box || box.width === 0) return;
    const within = (beyond: number): VisibleRange => {
      const [top, bottom] = [-box.top - beyond, window.innerHeight - box.top + beyond];
      if (heights.count === 0 || bottom < 0 || top > heights.total) return NOTHING;
      return { from: heights.indexAt(Math.max(0, top)), to: heights.indexAt(bottom) + 1 };
    };
    const needed = within(NEAR);
    setSpan((drawn) => {
      const isEnough = drawn.from <= needed.from && needed.to <= drawn.to && drawn.to <= heights.count;
      const isTooMuch = drawn.to - drawn.from > 4 * (needed.to - needed.from) + 4;
      return isEnough && !isTooMuch ? drawn : within(BEYOND);
    });
  }, [list, heights]);

  useLayoutEffect(() => {
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [look]);

  const onHeight = useRef<(key: number, height: number) => boolean>(() => false);
  const onNews = useRef(() => {});
  useLayoutEffect(() => {
    onHeight.current = (key, height) => {
      known.set(key, height);
      return heights.set(binarySearch(keys, key), height);
    };
    onNews.current = () => {
      redraw((times) => times + 1);
      look();
    };
  }, [known, heights, keys, look]);

  const measure = useMeasure(onHeight, onNews);
  return { span: span.to <= heights.count ? span : NOTHING, heights, measure };
}

function heightsOf(keys: readonly number[], guess: number, known: ReadonlyMap<number, number>): RowHeights {
  const heights = new RowHeights(keys.length, guess);
  for (const [key, height] of known) heights.set(binarySearch(keys, key), height);
  return heights;
}

function useMeasure(
  onHeight: RefObject<(key: number, height: number) => boolean>,
  onNews: RefObject<() => void>,
): Window['measure'] {
  const observed = useRef<{ observer: ResizeObserver; keys: Map<Element, number> } | null>(null);
  return useCallback(
    (element, key) => {
      observed.current ??= observe(onHeight, onNews);
      const { observer, keys } = observed.current;
      keys.set(element, key);
      observer.observe(element);
      return () => {
        keys.delete(element);
        observer.unobserve(element);
      };
    },
    [onHeight, onNews],
  );
}

function observe(
  onHeight: RefObject<(key: number, height: number) => boolean>,
  onNews: RefObject<() => void>,
): { observer: ResizeObserver; keys: Map<Element, number> } {
  const keys = new Map<Element, number>();
  const observer = new ResizeObserver((entries) => {
    let isNews = false;
    for (const { target, borderBoxSize } of entries) {
      const key = keys.get(target);
      const height = borderBoxSize[0]?.blockSize ?? 0;
      // What is hidden has no height now, and will have its own again.
      if (key !== undefined && height > 0 && onHeight.current(key, height)) isNews = true;
    }
    if (isNews) onNews.current();
  });
  return { observer, keys };
}
