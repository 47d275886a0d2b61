/** Element ids that keyboard navigation looks up. Turns, and the problems of a turn, are zero-based. */

export function turnId(turn: number): string {
  return `turn-${turn + 1}`;
}

export function problemId(turn: number, nth: number): string {
  return `${turnId(turn)}-failure-${nth + 1}`;
}
