/**
 * Ids of elements, by which the keyboard finds them. Turns and failures are zero-based; failures are those of the turn.
 */

export function turnId(turn: number): string {
  return `turn-${turn + 1}`;
}

export function problemId(turn: number, nth: number): string {
  return `${turnId(turn)}-failure-${nth + 1}`;
}
