import type { Range } from './marks.ts';
import { turnId } from './turn-id.ts';

/** Brings what stands out in a turn into sight when none of it is, as soon as it is drawn. */
export function seeMarked(turn: number, kind: Range['kind']): void {
  requestAnimationFrame(() => {
    const marked = [...document.querySelectorAll(`#${turnId(turn)} :is(mark, .text, .step).${kind}`)];
    if (!marked.some(isInSight)) marked[0]?.scrollIntoView({ block: 'center' });
  });
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const covered = Number.parseFloat(document.documentElement.style.scrollPaddingTop) || 0;
  return bottom > covered && top < window.innerHeight;
}
