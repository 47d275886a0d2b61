import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Browser, CDPSession } from 'playwright-core';
import { copyStandalonePage, standaloneBundle } from '../../../scripts/webview-bundle.ts';
import type { Figures } from './figures.ts';
import { measureScrolling, WATCH, waitForPaint } from './frames.ts';
import { longSession } from './panel-session.ts';

const TURNS = 10_000;

/** The app of the panel as a page of its own. */
export async function standalonePage(folder: string): Promise<string> {
  await build({ ...standaloneBundle, outdir: folder, metafile: false });
  await copyStandalonePage(folder);
  return pathToFileURL(join(folder, 'standalone.html')).href;
}

/**
 * The report panel with a long session, in a browser of its own: how long it takes until something useful is seen, how
 * long frames are while one scrolls, and how much memory the page has.
 */
export async function measurePanel(browser: Browser, address: string): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await page.addInitScript(`globalThis.turnwise = { log: (${longSession.toString()})(${TURNS}) };`);
    await page.addInitScript(WATCH);
    await page.goto(address);
    await page.locator('#turn-1 .transcript').waitFor();
    const { paint, turn } = await waitForPaint(page);
    const began = await page.evaluate<number>('performance.timeOrigin');
    const heap = await heapOf(devtools);
    const ways = await measureScrolling(page, devtools, { x: 500, y: 500 });
    const all = Object.values(ways);
    return {
      panelPaint: paint - began,
      panelTurn: turn - began,
      panelTask: Math.max(...all.map(({ longestTask }) => longestTask)),
      panelTaskPages: Math.max(ways.pages.longestTask, ways.back.longestTask),
      panelFrame: Math.max(...all.map(({ longest }) => longest)),
      panelOver: all.reduce((sum, { over50 }) => sum + over50, 0),
      panelFrames: all.reduce((sum, { frames }) => sum + frames, 0),
      panelHeap: heap,
      panelHeapScrolled: await heapOf(devtools),
    };
  } finally {
    await context.close();
  }
}

/** Of the page's JavaScript, after a collection, in megabytes. */
async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}
