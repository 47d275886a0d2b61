import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { evaluate } from '../../src/protocol/messages.ts';
import { sendRequest } from '../../src/protocol/rpc.ts';
import type { ThemeKind } from '../../webview/recording.ts';
import { ConnectedEditor } from '../server/connected-editor.ts';
import { type Standalone, standalone } from './app.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'test-results');
const SAMPLES = join(ROOT, 'samples');

const THEMES: readonly ThemeKind[] = ['light', 'dark', 'hc-light', 'hc-dark'];

/** Ids and folders of which a few letters are shown. */
const TEXTS_CUT_TO_LETTERS = `[...document.querySelectorAll('.beside > .cut')]
  .filter(({ parentElement, offsetTop }) => offsetTop < parentElement.offsetTop + parentElement.clientHeight)
  .filter(({ clientWidth, scrollWidth }) => clientWidth < Math.min(48, scrollWidth))
  .map(({ textContent }) => textContent)`;

let app: Standalone;
let server: ConnectedEditor;
beforeAll(async () => {
  await mkdir(PICTURES, { recursive: true });
  [app, server] = await Promise.all([
    standalone(),
    ConnectedEditor.to({ files: nodeFileSystem, folders: [dirname(SAMPLES)] }),
  ]);
  await sendRequest(server.connection, evaluate, { uris: [pathToFileURL(SAMPLES).href] });
}, 120_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe('screenshots of the sessions overview', () => {
  it.each([400, 1200])('fit at %i px and are accessible', async (width) => {
    await using open = await app.open([], {
      page: 'sessions',
      viewport: { width, height: 900 },
      // Axe is added as an inline script.
      bypassCSP: true,
      reducedMotion: 'reduce',
      answer: (method, params) =>
        method.startsWith('turnwise/panel/') ? {} : server.connection.sendRequest(method, params),
    });
    const { page, setTheme } = open;
    await page.locator('[role=row]:not(.heads)').first().waitFor();
    await page.getByRole('row', { name: 'Task 12 4 attempts' }).click();
    await page.getByText('attempt 3').waitFor();
    await page.getByText('pass@k: at least one of k attempts succeeds.').waitFor();
    expect(await page.evaluate(TEXTS_CUT_TO_LETTERS)).toEqual([]);
    for (const theme of THEMES) {
      await setTheme(theme);
      await page.screenshot({ path: join(PICTURES, `overview-${theme}-${width}.png`) });
    }
    await page.getByRole('button', { name: 'Scores' }).click();
    await page.getByRole('region', { name: 'Means' }).waitFor();
    await page.addScriptTag({ content: axe.source });
    for (const theme of THEMES) {
      await setTheme(theme);
      await page.screenshot({ path: join(PICTURES, `overview-scores-${theme}-${width}.png`) });
      const violations = await page.evaluate<unknown>(
        'axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      expect(violations, theme).toEqual([]);
    }
    const [whole, seen] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
    expect(whole).toBe(seen);
  });
});
