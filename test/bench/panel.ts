/**
 * The report panel with a long session, in a browser of its own: `node test/bench/panel.ts [TURNS]` prints how long it
 * takes until something useful is seen, how long the longest frame is while one scrolls, and how much memory the page
 * has.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { CDPSession, Page } from 'playwright-core';
import { copyStandalonePage, webviewBundle } from '../../scripts/webview-bundle.ts';
import { temporary } from '../support/temporary.ts';
import { chromium } from '../support/vscode/install.ts';
import { launch } from '../support/vscode/workbench.ts';
import { longSession } from './panel-session.ts';

interface Figures {
  readonly turns: number;
  /** Until the verdict is seen, and until the first turn is, from the start of the page; in milliseconds. */
  readonly firstPaint: number;
  readonly firstTurn: number;
  /** While scrolling through the session in several ways; in milliseconds. */
  readonly scrolling: Readonly<Record<string, Frames>>;
  /** Of the page's JavaScript, after a collection, before and after scrolling; in megabytes. */
  readonly heap: { readonly before: number; readonly after: number };
}

interface Frames {
  readonly frames: number;
  readonly longest: number;
  readonly over50: number;
  /**
   * The longest that the page's own thread was at work in one go: what frames take when nothing else runs on the
   * machine.
   */
  readonly longestTask: number;
}

/** Runs in the page: notes when something is seen first, and how long frames take. */
const WATCH = `
globalThis.watched = { paint: 0, turn: 0 };
const look = () => {
  const now = Math.round(performance.now());
  if (!watched.paint && document.querySelector('.verdict')) watched.paint = now;
  if (!watched.turn && document.querySelector('#turn-1 .transcript')) watched.turn = now;
  if (!watched.turn) requestAnimationFrame(look);
};
requestAnimationFrame(look);
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
    longest: Math.round(Math.max(...lengths)),
    over50: lengths.filter((length) => length > 50).length,
  };
};
`;

const turns = Number(process.argv[2] ?? 10_000);
await using folder = await temporary();
await build({ ...webviewBundle, outdir: folder.path, metafile: false });
await copyStandalonePage(folder.path);
const browser = await launch(await chromium(console.error));
try {
  console.log(JSON.stringify(await measure(), null, 2));
} finally {
  await browser.close();
}

async function measure(): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await page.addInitScript(`globalThis.turnwise = { log: (${longSession.toString()})(${turns}) };`);
  await page.addInitScript(WATCH);
  await page.goto(pathToFileURL(join(folder.path, 'standalone.html')).href);
  await page.locator('#turn-1 .transcript').waitFor();
  const { paint, turn } = await page.evaluate<{ paint: number; turn: number }>('watched');
  const before = await heapOf(devtools);
  const scrolling = {
    'a notch at a time': await whileScrolling(page, devtools, 120, 60),
    'a page at a time': await whileScrolling(page, devtools, 700, 60),
    'through all of it': await whileScrolling(page, devtools, 40_000, 60),
    'back, a page at a time': await whileScrolling(page, devtools, -700, 60),
  };
  return { turns, firstPaint: paint, firstTurn: turn, scrolling, heap: { before, after: await heapOf(devtools) } };
}

/** Turns the wheel as often as that, once per frame or so. */
async function whileScrolling(page: Page, devtools: CDPSession, by: number, times: number): Promise<Frames> {
  const tasks = await startTasks(devtools);
  await page.evaluate('startFrames()');
  for (let time = 0; time < times; time += 1) {
    await devtools.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 500, y: 500, deltaX: 0, deltaY: by });
  }
  // What was fetched meanwhile is drawn too.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  const frames = await page.evaluate<Omit<Frames, 'longestTask'>>('stopFrames()');
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
      return Math.round(Math.max(0, ...times));
    },
  };
}

function isTraceEvent(event: object): event is TraceEvent {
  return 'name' in event && 'args' in event;
}

async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return Math.round(usedSize / 1e5) / 10;
}
