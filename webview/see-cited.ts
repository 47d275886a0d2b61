import { turnId } from './turn-id.ts';

/** Brings what is marked in a turn into sight when none of it is, as soon as it is marked. */
export function seeCited(turn: number): void {
  requestAnimationFrame(() => {
    const marked = [...document.querySelectorAll(`#${turnId(turn)} .transcript :is(mark, .text, .step).chosen`)];
    if (!marked.some(isInSight)) marked[0]?.scrollIntoView({ block: 'center' });
  });
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const covered = Number.parseFloat(document.documentElement.style.scrollPaddingTop) || 0;
  return bottom > covered && top < window.innerHeight;
}
