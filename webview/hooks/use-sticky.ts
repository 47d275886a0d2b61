import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Sets the scroll padding, so that scrolling to an element stops below a sticky one and what stays above it. */
export function useSticky<T extends Element>(): RefObject<T | null> {
  const element = useRef<T>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const root = document.documentElement;
    const update = () => {
      const { position, top } = getComputedStyle(current);
      const height = Number.parseFloat(top) + current.getBoundingClientRect().height;
      root.style.scrollPaddingTop = `${position === 'sticky' ? height : 0}px`;
    };
    const observer = new ResizeObserver(update);
    observer.observe(current);
    window.addEventListener('resize', update);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', update);
    };
  }, []);
  return element;
}
