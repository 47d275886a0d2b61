import { useLayoutEffect, useRef } from 'react';

/** Restores the scroll position of a tab when it is shown again. */
export function useTabScroll(tab: string): void {
  const positions = useRef(new Map<string, number>());
  const current = useRef(tab);
  useLayoutEffect(() => {
    const savePosition = (): void => {
      positions.current.set(current.current, window.scrollY);
    };
    window.addEventListener('scroll', savePosition, { passive: true });
    return () => window.removeEventListener('scroll', savePosition);
  }, []);
  useLayoutEffect(() => {
    if (current.current === tab) return;
    current.current = tab;
    const before = positions.current.get(tab);
    // A tab that is shown for the first time keeps the current scroll position.
    if (before !== undefined) window.scrollTo(0, before);
  }, [tab]);
}
