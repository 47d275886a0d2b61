import { turnId } from './element-ids.ts';
import type { Highlight } from './highlights.ts';

/** Scrolls to the first highlight in a turn after the next render, unless one is visible already. */
export function scrollToHighlight(turn: number, kind: Highlight['kind']): void {
  requestAnimationFrame(() => {
    const highlighted = [...document.querySelectorAll(`#${turnId(turn)} :is(mark, .text, .step).${kind}`)];
    if (!highlighted.some(isVisible)) highlighted[0]?.scrollIntoView({ block: 'center' });
  });
}

function isVisible(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const covered = Number.parseFloat(document.documentElement.style.scrollPaddingTop) || 0;
  return bottom > covered && top < window.innerHeight;
}
