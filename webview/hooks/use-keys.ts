import { useEffect } from 'react';

/** Elements that handle keys themselves. */
const PRESSABLE = 'button, summary, a, [role=tab]';
const EDITABLE = 'input:not([type=checkbox]), textarea, select';

/** Handles single keys without modifiers, wherever the focus is. Buttons keep Enter, and fields keep typed text. */
export function useKeys(keys: ReadonlyMap<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event;
      const act = keys.get(key);
      if (!act || ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
      if (document.querySelector('dialog[open]')) return;
      if (target instanceof Element && handlesKey(key, target)) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [keys]);
}

function handlesKey(key: string, target: Element): boolean {
  if (key === 'Enter') return target.closest(`${PRESSABLE}, ${EDITABLE}`) !== null;
  return key !== 'Escape' && target.closest(EDITABLE) !== null;
}
