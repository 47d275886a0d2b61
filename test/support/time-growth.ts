const SHORT = 8_000;
const FACTOR = 32;

/** The most that a linear check may grow; a quadratic one grows 1024 times. */
export const MAX_LINEAR_GROWTH = 300;

/** How many times as long a check takes on a text of a repeated unit that is 32 times as long. */
export function timeGrowth(check: (text: string) => unknown, unit: string): number {
  const text = unit.repeat(Math.ceil((SHORT * FACTOR) / unit.length));
  const short = fastest(check, text.slice(0, SHORT));
  // What is too short to measure counts as a fifth of a millisecond, so that noise cannot look like growth.
  return fastest(check, text) / Math.max(short, 200);
}

/** In microseconds of this thread, which other work on the machine does not lengthen. */
function fastest(check: (text: string) => unknown, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run += 1) {
    const before = process.threadCpuUsage();
    check(text);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, user + system);
  }
  return best;
}
