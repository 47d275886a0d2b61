import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** The width of an element in whole pixels; 0 before it is rendered. */
export function useWidth<T extends Element>(): readonly [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const measure = (): void => {
      const { width: now } = current.getBoundingClientRect();
      // A hidden element has no width; keep the last one.
      if (now > 0) setWidth(Math.floor(now));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
