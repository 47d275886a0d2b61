/** The beta distribution, deterministic and without sampling. */

/** P(X <= x) for X ~ Beta(a, b): the regularised incomplete beta function. */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + lnGamma(a + b) - lnGamma(a) - lnGamma(b));
  // The fraction converges fast below the mean; above it, the mirrored one does.
  return x < (a + 1) / (a + b + 2)
    ? (front * continuedFraction(x, a, b)) / a
    : 1 - (front * continuedFraction(1 - x, b, a)) / b;
}

/** The x with P(X <= x) = p for X ~ Beta(a, b), by bisection down to neighbouring floating-point numbers. */
export function betaQuantile(p: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (betaCdf(middle, a, b) < p) low = middle;
    else high = middle;
  }
}

/** E[X^k] for X ~ Beta(a, b) with whole k and b: B(a + k, b) / B(a, b), by the shorter of two equal products. */
export function betaMoment(a: number, b: number, k: number): number {
  let moment = 1;
  if (k <= b) for (let i = 0; i < k; i += 1) moment *= (a + i) / (a + b + i);
  else for (let i = 0; i < b; i += 1) moment *= (a + i) / (a + k + i);
  return moment;
}

const TINY = 1e-300;
const MAX_TERMS = 20_000;

/** Gauss's continued fraction for the incomplete beta function, by Lentz's method. */
function continuedFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d);
      c = nonZero(1 + term / c);
      change = c * d;
      fraction *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return fraction;
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln Gamma(x) for x > 0.5, by Lanczos's approximation with g = 7 and nine terms. */
function lnGamma(x: number): number {
  const t = x + 6.5;
  const series = LANCZOS.reduce((sum, coefficient, i) => sum + (i === 0 ? coefficient : coefficient / (x - 1 + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}
