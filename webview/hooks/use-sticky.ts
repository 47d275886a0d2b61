import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Sets the scroll padding, so that scrolling to an element stops below a sticky one. */
export function useSticky<T extends Element>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const root = document.documentElement;
    const observer = new ResizeObserver(() => {
      const isSticky = getComputedStyle(current).position === 'sticky';
      root.style.scrollPaddingTop = `${isSticky ? current.getBoundingClientRect().height : 0}px`;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return element;
}
