import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Keeps a chosen element with keyboard focus visible: its evidence unfolds in the transcript and may push it away.
 *
 * @returns the ref for the element.
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
