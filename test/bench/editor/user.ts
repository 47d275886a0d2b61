import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { Window } from '../../e2e/window.ts';
import { openWorkbench } from '../../support/vscode/workbench.ts';
import type { Figures } from './figures.ts';
import { measureScrolling, WATCH, waitForPaint } from './frames.ts';
import { LONGEST, SMALL } from './names.ts';
import { writeSession } from './traces.ts';
import type { BenchFolders } from './windows.ts';

const TURNS = 10_000;

/** Nothing here is held against this: it is how long a machine with much to do may take. */
const PATIENCE_MS = 120_000;

/** How long VS Code says that it took to activate the extension, in a window that finds a trace when it opens. */
export async function activationInWindow(browser: Browser, place: BenchFolders, name: string): Promise<number> {
  const folder = join(place.scratch, name);
  await mkdir(folder);
  await writeFile(join(folder, 'one.trace.json'), '{}\n');
  return inWindow(browser, place, folder, async (window) => {
    await window.command('Developer: Show Running Extensions');
    const row = window.page.locator('.runtime-extensions-editor .extension').filter({ hasText: 'turnwise' });
    const text = await row
      .locator('.activation-time')
      .filter({ hasText: /\d+ ?ms/ })
      .innerText();
    return Number(/(\d+) ?ms/.exec(text)?.[1] ?? Number.NaN);
  });
}

/** The report panel of a long session, as a user opens it. */
export async function measureReport(browser: Browser, place: BenchFolders): Promise<Figures> {
  const folder = join(place.scratch, 'report');
  await mkdir(folder);
  await writeFile(join(folder, SMALL), '{}\n');
  writeSession(join(folder, LONGEST), TURNS);
  return inWindow(browser, place, folder, async (window) => {
    const session = LONGEST.replace(/\..*$/, '');
    await window.evaluate(LONGEST);
    // While it is being evaluated, it has no verdict.
    const over = new RegExp(`^${session}, (passed|failed|undecided)`);
    await window.page.getByRole('treeitem', { name: over }).waitFor();
    await window.page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await window.session(session).hover();
    const button = window.session(session).getByRole('button', { name: 'Open Report' });
    await button.waitFor();
    const clicked = Date.now();
    await button.click();
    await window.report().locator('#turn-1 .transcript').waitFor();
    const frame = await frameOf(window.page);
    const { paint, turn } = await waitForPaint(frame);
    const box = await window.page.locator('iframe.webview').boundingBox();
    const at = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
    const devtools = await window.page.context().newCDPSession(window.page);
    const ways = Object.values(await measureScrolling(frame, devtools, at));
    return {
      reportPaint: paint - clicked,
      reportTurn: turn - clicked,
      reportTask: Math.max(...ways.map(({ longestTask }) => longestTask)),
      reportOver: ways.reduce((sum, { over50 }) => sum + over50, 0),
      reportFrames: ways.reduce((sum, { frames }) => sum + frames, 0),
    };
  });
}

async function inWindow<T>(
  browser: Browser,
  { port, extension, scratch }: BenchFolders,
  folder: string,
  act: (window: Window) => Promise<T>,
): Promise<T> {
  const page = await openWorkbench(browser, { port, folder, extension });
  try {
    page.setDefaultTimeout(PATIENCE_MS);
    await page.context().addInitScript(WATCH);
    await page.getByRole('tab', { name: 'Turnwise' }).waitFor();
    return await act(new Window(page, folder, scratch));
  } finally {
    await page.context().close();
  }
}

/** The frame in which the panel's app runs. */
async function frameOf(page: Page): Promise<Frame> {
  for (const frame of page.frames()) {
    if (
      (await frame
        .locator('#turn-1 .transcript')
        .count()
        .catch(() => 0)) > 0
    )
      return frame;
  }
  throw new Error('The report panel has no frame.');
}
