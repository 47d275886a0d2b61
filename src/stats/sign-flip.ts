import { normalCdf } from './normal.ts';
import { seeded } from './random.ts';

const FLIPS = 9999;
const SEED = 0x51f1a9;
/** Up to here there are fewer combinations of signs than `FLIPS`: all of them are tried. */
const ALL_SIGNS = 13;
/** Above it the normal distribution is close enough; where a few large differences decide, its p is too large, never too small. */
const DRAWN = 1000;
/** Differences in one table of signed sums. */
const BITS = 8;

/**
 * The two-sided permutation test of paired differences: if nothing changed, each could as well have the other sign
 * (R. A. Fisher, The Design of Experiments, 1935, section 21). Exact for up to 13 differences other than 0, above that with
 * 9,999 random combinations of signs, the same every time; above 1,000, by the normal distribution. Below six differences
 * other than 0, p is never under 0.05.
 *
 * @param differences one of each task, which are independent of each other.
 */
export function signFlipTest(differences: readonly number[]): number {
  const nonZero = differences.filter((difference) => difference !== 0);
  const n = nonZero.length;
  if (n === 0) return 1;
  const sum = nonZero.reduce((total, difference) => total + difference, 0);
  if (n > DRAWN) {
    const squares = nonZero.reduce((total, difference) => total + difference ** 2, 0);
    return 2 * normalCdf(-Math.abs(sum) / Math.sqrt(squares));
  }
  const tables = signedSums(nonZero);
  // Sums that are equal differ in their last bits, by the order of their terms.
  const bound = Math.abs(sum) * (1 - 1e-12) - Number.MIN_VALUE;
  const total = n <= ALL_SIGNS ? 2 ** n : FLIPS;
  const random = seeded(SEED);
  let extreme = 0;
  for (let flip = 0; flip < total; flip += 1) {
    let signs = flip;
    let flipped = 0;
    for (let table = 0; table < tables.length; table += 1) {
      if (n > ALL_SIGNS && table % 3 === 0) signs = random() * 2 ** 24;
      flipped += tables[table]?.[signs & 0xff] ?? 0;
      signs >>>= BITS;
    }
    if (Math.abs(flipped) >= bound) extreme += 1;
  }
  return n <= ALL_SIGNS ? extreme / total : (extreme + 1) / (total + 1);
}

/** For every eight differences, their 256 signed sums: the bits of an index say which are negative. */
function signedSums(differences: readonly number[]): Float64Array[] {
  const tables: Float64Array[] = [];
  for (let start = 0; start < differences.length; start += BITS) {
    const own = differences.slice(start, start + BITS);
    const table = new Float64Array(1 << BITS);
    for (let signs = 0; signs < table.length; signs += 1) {
      let sum = 0;
      for (const [bit, difference] of own.entries()) sum += (signs >> bit) & 1 ? -difference : difference;
      table[signs] = sum;
    }
    tables.push(table);
  }
  return tables;
}
