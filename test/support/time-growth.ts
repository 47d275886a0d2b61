const SHORT = 8_000;
const FACTOR = 32;

/** The most that a linear check may grow; a quadratic one grows 1024 times. */
export const MAX_LINEAR_GROWTH = 300;

/**
 * How many times as long a check takes on a text of a repeated unit that is 32 times as long. What looks quadratic is
 * measured again, at most twice: garbage collection and a busy machine lengthen single measurements.
 */
export function timeGrowth(check: (text: string) => unknown, unit: string): number {
  const text = unit.repeat(Math.ceil((SHORT * FACTOR) / unit.length));
  const short = text.slice(0, SHORT);
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && growth >= MAX_LINEAR_GROWTH; round += 1) {
    growth = Math.min(growth, threadTime(() => check(text)) / threadTime(() => check(short)));
  }
  return growth;
}

/**
 * The shortest of three measurements, in microseconds of this thread, which other work on the machine does not
 * lengthen. Each repeats the work for at least 20 ms, because Linux may count that time in steps of 4 ms.
 */
export function threadTime(work: () => unknown): number {
  const measurements = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    let taken = 0;
    let times = 0;
    for (; taken < 20_000; times += 1) {
      work();
      const { user, system } = process.threadCpuUsage(before);
      taken = user + system;
    }
    return taken / times;
  });
  return Math.min(...measurements);
}
