import type { BaselineGate } from '../../core/baseline.ts';
import { type BeforeAndAfter, testDrop } from '../../stats/stratified-test.ts';
import type { ComparedColumn } from './compare-column.ts';

/** More are not worth naming. */
const CANDIDATES = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30];

/**
 * How many more attempts of the tasks that fell would prove it, if they end as the attempts so far did; null where even the
 * most do not, or the gate is a mean.
 *
 * @param needed the p that proves it.
 */
export function settlingAttempts({ strata }: ComparedColumn, needed: number): BaselineGate['settle'] {
  const hasFallen = ({ before, after }: BeforeAndAfter) => after.passed * before.of < before.passed * after.of;
  const fallen = strata.filter(hasFallen);
  const attempts = CANDIDATES.find(
    (more) => testDrop(strata.map((one) => (hasFallen(one) ? extend(one, more) : one))).p <= needed,
  );
  return attempts === undefined || fallen.length === 0
    ? null
    : { attempts, tasks: fallen.toSorted((a, b) => a.p - b.p).map(({ task }) => task) };
}

function extend({ before, after }: BeforeAndAfter, more: number): BeforeAndAfter {
  const of = after.of + more;
  return { before, after: { of, passed: Math.round((after.passed * of) / after.of) } };
}
