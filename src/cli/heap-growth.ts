import { setFlagsFromString } from 'node:v8';

/** Percent of the live data. V8 itself waits for up to four times of it. */
const GROWTH = 30;

/**
 * Keeps the garbage of a run of many sessions small: V8 lets the young generation grow to 128 MB, and the old one far beyond what lives,
 * where there is memory. Both flags are read at each collection. It costs about a tenth more processor time; for one long session, all of
 * whose data lives, a third more, and is not worth it there.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  limitOldGeneration();
}

/** Only the old one, for a run most of whose data lives for long: it is moved there anyway, less often from a young generation that grows. */
export function limitOldGeneration(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
