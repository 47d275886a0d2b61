import { useLayoutEffect } from 'react';

/** Elements that handle keys themselves. */
const PRESSABLE = 'button, summary, a, [role=tab]';
const EDITABLE = 'input:not([type=checkbox]), textarea, select';

/**
 * Handles single keys without modifiers, wherever the focus is. Buttons keep Enter, and fields keep typed text.
 *
 * @param repeats whether a key that is kept down acts again and again
 */
export function useKeys(keys: ReadonlyMap<string, () => void>, { repeats = true } = {}): void {
  // Together with what is shown: a key that is pressed at once belongs to it.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event;
      const act = keys.get(key);
      if (!act || ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
      if (document.querySelector('dialog[open]')) return;
      if (target instanceof Element && handlesKey(key, target)) return;
      event.preventDefault();
      if (repeats || !event.repeat) act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [keys, repeats]);
}

function handlesKey(key: string, target: Element): boolean {
  if (key === 'Enter') return target.closest(`${PRESSABLE}, ${EDITABLE}`) !== null;
  return key !== 'Escape' && target.closest(EDITABLE) !== null;
}
