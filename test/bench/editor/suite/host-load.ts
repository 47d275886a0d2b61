import { setInterval, setTimeout } from 'node:timers/promises';

/** What the extension host was kept from while something was done, in milliseconds. */
export interface HostLoad {
  /** The longest that nothing else could run in it. */
  readonly longestBlock: number;
  /** The same without what its thread waited for a processor: what it takes when nothing else runs on the machine. */
  readonly longestWork: number;
  /** Of processors, on all its threads. */
  readonly busy: number;
}

/** What follows from an edit, such as new lenses, follows within this. */
const AFTERMATH_MS = 1500;

/** Does something, and measures how the host is kept busy until it is over and nothing follows from it. */
export async function measureHostLoad<T>(act: () => Promise<T>): Promise<HostLoad & { readonly made: T }> {
  const before = process.cpuUsage();
  const over = new AbortController();
  const blocks = longest(over.signal);
  const made = await act();
  await setTimeout(AFTERMATH_MS);
  const { user, system } = process.cpuUsage(before);
  over.abort();
  return { made, ...(await blocks), busy: (user + system) / 1000 };
}

/** Looks every millisecond; whatever comes between two looks was one block. */
async function longest(signal: AbortSignal): Promise<Pick<HostLoad, 'longestBlock' | 'longestWork'>> {
  let [block, work] = [0, 0];
  let [time, worked] = [performance.now(), threadTime()];
  try {
    for await (const _ of setInterval(1, undefined, { signal })) {
      const [now, nowWorked] = [performance.now(), threadTime()];
      block = Math.max(block, now - time - 1);
      work = Math.max(work, nowWorked - worked);
      [time, worked] = [now, nowWorked];
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { longestBlock: block, longestWork: work };
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const LOOK_MS = 250;
const QUIET_LOOKS = 3;
const MOST_LOOKS = 60;

/** Waits until the host has little to do, as it has some time after a window was opened. */
export async function waitUntilIdle(): Promise<void> {
  let quiet = 0;
  for (let look = 0; look < MOST_LOOKS && quiet < QUIET_LOOKS; look += 1) {
    const before = process.cpuUsage();
    await setTimeout(LOOK_MS);
    const { user, system } = process.cpuUsage(before);
    quiet = (user + system) / 1000 < LOOK_MS / 20 ? quiet + 1 : 0;
  }
}
