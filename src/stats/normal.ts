/** The standard normal distribution. */

/** P(Z <= z). Relative error below 1e-13, in the tails too. */
export function normalCdf(z: number): number {
  if (z > 0) return 1 - normalCdf(-z);
  return z > -3 ? 0.5 - density(z) * centralSeries(-z) : density(z) * tailFraction(-z);
}

/** The z with P(Z <= z) = p, by bisection down to neighbouring floating-point numbers; -Infinity for 0, Infinity for 1. */
export function normalQuantile(p: number): number {
  if (p <= 0) return -Infinity;
  if (p >= 1) return Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  let low = -40;
  let high = 0;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
}

function density(z: number): number {
  return Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
}

/** z + z³/3 + z⁵/(3·5) + …, by which the density is multiplied (Abramowitz and Stegun 26.2.11). */
function centralSeries(z: number): number {
  let term = z;
  let sum = z;
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= z ** 2 / odd;
    sum += term;
  }
  return sum;
}

const FRACTION_TERMS = 100;

/** Laplace's continued fraction 1/(z + 1/(z + 2/(z + 3/(z + …)))) for z >= 3 (Abramowitz and Stegun 26.2.14). */
function tailFraction(z: number): number {
  let value = z;
  for (let k = FRACTION_TERMS; k >= 1; k -= 1) value = z + k / value;
  return 1 / value;
}
