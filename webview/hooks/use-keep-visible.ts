import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * What is chosen opens what it cites, which may push it away: where the keyboard is in it, it stays in sight.
 *
 * @returns for the element.
 */
export function useKeepVisible<T extends Element>(isChosen: boolean): RefObject<T | null> {
  const element = useRef<T>(null);
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (!isChosen || !element.current?.contains(activeElement)) return;
    if (activeElement?.matches(':focus-visible')) element.current.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return element;
}
