import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { copyStandalonePage, standaloneBundle } from '../../scripts/webview-bundle.ts';
import type { PanelEvent } from '../../src/protocol/panel.ts';
import type { RunsScope } from '../../src/protocol/runs.ts';
import type { RecordedRequest, Recording, ThemeKind } from '../../webview/recording.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chromium } from '../support/vscode/install.ts';
import { launch } from '../support/vscode/workbench.ts';

/** The app in a plain browser. */
export interface Standalone extends AsyncDisposable {
  /** Opens a recorded report. Closing it fails if the page logged an error or made a network request. */
  open(log: readonly RecordedRequest[], options?: Options): Promise<OpenReport>;
}

interface Options extends BrowserContextOptions {
  readonly theme?: ThemeKind;
  /** Zero-based index of the turn to open; without it, that of the first problem. */
  readonly turn?: number;
  /** By default the report. */
  readonly page?: 'sessions' | 'runs';
  /** What a page about runs shows. */
  readonly scope?: RunsScope;
  /** Strings in the language of the editor, as JSON; without them, those in the code. */
  readonly translations?: string;
  /** Answers requests that are not in the log. */
  readonly answer?: (method: string, params: unknown) => unknown;
}

export interface OpenReport extends AsyncDisposable {
  readonly page: Page;
  /** The app's requests to the editor, without those to the server. */
  asked(): Promise<Recording['requests']>;
  /** Replaces the results of the given turns, or of all, as another evaluation does. */
  change(log: readonly RecordedRequest[], turns?: readonly number[]): Promise<void>;
  /** Sends the app an event, as the editor does. */
  tell(event: PanelEvent): Promise<void>;
  /** Shows another theme, as the editor does. */
  setTheme(theme: ThemeKind): Promise<void>;
}

/** Builds the app and starts a browser. */
export async function standalone(): Promise<Standalone> {
  const folder = await temporaryFolder();
  await build({ ...standaloneBundle, outdir: folder.path, metafile: false });
  await copyStandalonePage(folder.path);
  const browser = await launch(await chromium(() => {}));
  return {
    open: (log, options) => open(browser, folder.path, log, options),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function open(
  browser: Browser,
  folder: string,
  log: readonly RecordedRequest[],
  { theme = 'light', page: shownPage, scope, turn, translations, answer, ...options }: Options = {},
): Promise<OpenReport> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(pathToFileURL(folder).href)) complaints.push(`asked for ${request.url()}`);
  });
  page.on('dialog', (dialog) => complaints.push(`showed "${dialog.message()}"`));
  if (answer) await page.exposeFunction('answerOfTest', answer);
  const ask = answer ? ', ask: globalThis.answerOfTest' : '';
  await page.addInitScript(`globalThis.turnwise = { ...${JSON.stringify({ log, translations })}${ask} }`);
  if (turn !== undefined) {
    await page.addInitScript(`history.state ?? history.replaceState({ session: 'recorded', turn: ${turn} }, '')`);
  }
  const parameters = new URLSearchParams({
    theme,
    ...(shownPage && { page: shownPage }),
    ...(scope && { scope: JSON.stringify(scope) }),
  });
  await page.goto(`${pathToFileURL(join(folder, 'standalone.html')).href}?${parameters}`);
  return {
    page,
    async asked() {
      const all: Recording['requests'] = await page.evaluate('turnwise.requests');
      return all.filter(({ method }) => method.startsWith('turnwise/panel/'));
    },
    async change(next, turns) {
      await page.evaluate(`turnwise.change(${JSON.stringify(next)}, ${JSON.stringify(turns)})`);
    },
    async tell(event) {
      await page.evaluate(`turnwise.notify(${JSON.stringify(event)})`);
    },
    async setTheme(theme) {
      await page.evaluate(`turnwise.setTheme(${JSON.stringify(theme)})`);
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`);
    },
  };
}
