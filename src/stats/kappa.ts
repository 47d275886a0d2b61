import { type Interval, wilsonInterval, Z_95 } from './intervals.ts';

/** How often two raters gave which of two answers. */
export interface RaterTable {
  readonly bothYes: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly bothNo: number;
}

export interface Kappa {
  readonly value: number;
  readonly interval: Interval;
}

/**
 * Cohen's kappa of two raters, with its 95% interval by the large-sample standard error of J. L. Fleiss, J. Cohen and B. S.
 * Everitt (1969). Raters who always agree have no such error: there the interval is that of Wilson for their agreement. Null
 * where both give one answer only, so that agreement says nothing.
 */
export function cohenKappa({ bothYes, onlyFirst, onlySecond, bothNo }: RaterTable): Kappa | null {
  const n = bothYes + onlyFirst + onlySecond + bothNo;
  const [a, b, c, d] = [bothYes / n, onlyFirst / n, onlySecond / n, bothNo / n];
  const observed = a + d;
  const [firstYes, secondYes] = [a + b, a + c];
  const expected = firstYes * secondYes + (1 - firstYes) * (1 - secondYes);
  if (n === 0 || 1 - expected < 1e-12) return null;
  const value = (observed - expected) / (1 - expected);
  if (b + c === 0) {
    const [low] = wilsonInterval(n, n);
    return { value, interval: [(low - expected) / (1 - expected), 1] };
  }
  const onDiagonal = (share: number, first: number, second: number) =>
    share * (1 - (first + second) * (1 - value)) ** 2;
  const offDiagonal = (share: number, first: number, second: number) => share * (first + second) ** 2;
  const diagonal = onDiagonal(a, firstYes, secondYes) + onDiagonal(d, 1 - firstYes, 1 - secondYes);
  const others = (1 - value) ** 2 * (offDiagonal(b, secondYes, 1 - firstYes) + offDiagonal(c, 1 - secondYes, firstYes));
  // kappa - pe * (1 - kappa), squared
  const rest = (value - expected * (1 - value)) ** 2;
  const error = Math.sqrt(Math.max(0, diagonal + others - rest) / n) / (1 - expected);
  return { value, interval: [Math.max(-1, value - Z_95 * error), Math.min(1, value + Z_95 * error)] };
}
