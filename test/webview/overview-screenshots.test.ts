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
  it.each(THEMES.flatMap((theme) => [400, 1200].map((width) => ({ theme, width }))))(
    'fits $theme at $width px and is accessible',
    async ({ theme, width }) => {
      await using open = await app.open([], {
        page: 'sessions',
        theme,
        viewport: { width, height: 900 },
        // Axe is added as an inline script.
        bypassCSP: true,
        answer: (method, params) =>
          method.startsWith('turnwise/panel/') ? {} : server.connection.sendRequest(method, params),
      });
      const { page } = open;
      await page.locator('[role=row]:not(.heads)').first().waitFor();
      await page.getByRole('row', { name: 'Task 12 4 attempts' }).click();
      await page.getByText('attempt 3').waitFor();
      await page.screenshot({ path: join(PICTURES, `overview-${theme}-${width}.png`) });
      await page.getByRole('button', { name: 'Scores' }).click();
      await page.getByRole('region', { name: 'Means' }).waitFor();
      await page.screenshot({ path: join(PICTURES, `overview-scores-${theme}-${width}.png`) });
      await page.addScriptTag({ content: axe.source });
      const violations = await page.evaluate<unknown>(
        'axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      expect(violations).toEqual([]);
      const [whole, seen] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
      expect(whole).toBe(seen);
    },
  );
});
