import type { ScoreRange } from './scale.ts';

/** A score with two decimals; counts and durations with one at most. */
export function formatScore(score: number, scale: ScoreRange | null): string {
  return scale && scale[1] === null ? String(Math.round(score * 10) / 10) : score.toFixed(2);
}

/** A score with the end of its scale: `0.40 / 1`, `1 / 5`; a count alone. */
export function formatScoreWithScale(score: number, scale: ScoreRange | null): string {
  const end = scale?.[1];
  if (end === null || end === undefined) return formatScore(score, scale);
  return `${end > 1 && Number.isInteger(score) ? score : formatScore(score, scale)} / ${end}`;
}
