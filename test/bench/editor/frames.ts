import type { CDPSession } from 'playwright-core';

/** How a page moved while somebody scrolled; times in milliseconds. */
export interface Frames {
  readonly frames: number;
  readonly longest: number;
  readonly over50: number;
  /**
   * The longest that the page's own thread was at work in one go: what frames take when nothing else runs on the
   * machine.
   */
  readonly longestTask: number;
}

/** Where scripts run: a page, or a frame in it. */
interface Scripts {
  evaluate<T>(script: string): Promise<T>;
}

/**
 * Runs in every page and frame: lets what is seen first, and how long frames take, be asked for. It looks by a timer: a
 * webview writes its document again after this has begun, and callbacks of frames are lost then.
 */
export const WATCH = `
globalThis.watched = { paint: 0, turn: 0 };
const look = () => {
  const now = performance.timeOrigin + performance.now();
  if (!watched.paint && document.querySelector('.verdict')) watched.paint = now;
  if (!watched.turn && document.querySelector('#turn-1 .transcript')) watched.turn = now;
  if (!watched.turn) setTimeout(look, 5);
};
look();
let frames = null;
const frame = (now) => {
  if (!frames) return;
  frames.push(now);
  requestAnimationFrame(frame);
};
globalThis.startFrames = () => {
  frames = [];
  requestAnimationFrame(frame);
};
globalThis.stopFrames = () => {
  const lengths = frames.slice(1).map((now, index) => now - frames[index]);
  frames = null;
  return {
    frames: lengths.length,
    longest: Math.max(...lengths),
    over50: lengths.filter((length) => length > 50).length,
  };
};
`;

/** When something was seen first: the verdict, and the first turn; in milliseconds since 1970. */
export async function waitForPaint(scripts: Scripts): Promise<{ readonly paint: number; readonly turn: number }> {
  return scripts.evaluate('watched');
}

/** What people do with a wheel: how far a notch goes. */
const WAYS = { notches: 120, pages: 700, through: 40_000, back: -700 } as const;

/** Scrolls in all ways. @param at where the pointer is. */
export async function measureScrolling(
  scripts: Scripts,
  devtools: CDPSession,
  at: { readonly x: number; readonly y: number },
): Promise<Readonly<Record<keyof typeof WAYS, Frames>>> {
  return {
    notches: await whileScrolling(scripts, devtools, at, WAYS.notches),
    pages: await whileScrolling(scripts, devtools, at, WAYS.pages),
    through: await whileScrolling(scripts, devtools, at, WAYS.through),
    back: await whileScrolling(scripts, devtools, at, WAYS.back),
  };
}

const NOTCHES = 60;

/** Turns the wheel often, once per frame or so. */
async function whileScrolling(
  scripts: Scripts,
  devtools: CDPSession,
  at: { readonly x: number; readonly y: number },
  by: number,
): Promise<Frames> {
  const tasks = await startTasks(devtools);
  await scripts.evaluate('startFrames()');
  for (let time = 0; time < NOTCHES; time += 1) {
    await devtools.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...at, deltaX: 0, deltaY: by });
  }
  // What was fetched meanwhile is drawn too.
  await scripts.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  const frames = await scripts.evaluate<Omit<Frames, 'longestTask'>>('stopFrames()');
  return { ...frames, longestTask: await tasks.longest() };
}

/** What a trace says of a piece of work; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** On the processor, without what the thread waited for one. */
  readonly tdur?: number;
}

async function startTasks(devtools: CDPSession): Promise<{ longest(): Promise<number> }> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }): void => {
    events.push(...value.filter(isTraceEvent));
  };
  devtools.on('Tracing.dataCollected', collect);
  await devtools.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
  return {
    async longest() {
      const { promise, resolve } = Promise.withResolvers<void>();
      devtools.once('Tracing.tracingComplete', () => resolve());
      await devtools.send('Tracing.end');
      await promise;
      devtools.off('Tracing.dataCollected', collect);
      const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
      const pages = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`));
      const times = events.flatMap(({ pid, tid, tdur }) => (pages.has(`${pid} ${tid}`) && tdur ? [tdur / 1000] : []));
      return Math.max(0, ...times);
    },
  };
}

function isTraceEvent(event: object): event is TraceEvent {
  return 'name' in event && 'args' in event;
}
