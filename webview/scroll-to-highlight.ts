import { turnId } from './element-ids.ts';
import type { Highlight } from './highlights.ts';

/** Brings what stands out in a turn into sight when none of it is, as soon as it is drawn. */
export function scrollToHighlight(turn: number, kind: Highlight['kind']): void {
  requestAnimationFrame(() => {
    const marked = [...document.querySelectorAll(`#${turnId(turn)} :is(mark, .text, .step).${kind}`)];
    if (!marked.some(isVisible)) marked[0]?.scrollIntoView({ block: 'center' });
  });
}

function isVisible(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const covered = Number.parseFloat(document.documentElement.style.scrollPaddingTop) || 0;
  return bottom > covered && top < window.innerHeight;
}
