import { useLayoutEffect, useRef } from 'react';

/** Each tab is where one left it when one comes back. */
export function useTabScroll(tab: string): void {
  const left = useRef(new Map<string, number>());
  const current = useRef(tab);
  useLayoutEffect(() => {
    const note = (): void => {
      left.current.set(current.current, window.scrollY);
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
  useLayoutEffect(() => {
    if (current.current === tab) return;
    current.current = tab;
    const before = left.current.get(tab);
    // A tab that is new begins where the others begin; the head of the page stays where it is.
    if (before !== undefined) window.scrollTo(0, before);
  }, [tab]);
}
