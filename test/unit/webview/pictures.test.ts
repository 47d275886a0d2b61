import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Standalone, standalone, type Theme } from './app.ts';
import { evaluated } from './evaluated.ts';
import { type Parts, recording } from './recording.ts';

const PICTURES = join(import.meta.dirname, '..', '..', '..', 'test-results');
const THEMES: readonly Theme[] = ['light', 'dark', 'hc-light', 'hc-dark'];

let app: Standalone;
let parts: Parts;
beforeAll(async () => {
  [app, parts] = await Promise.all([standalone(), evaluated('samples/refund-claimed-after-error.json')]);
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

describe('the report, to be looked at', () => {
  it.each(THEMES.flatMap((theme) => [400, 1200].map((width) => ({ theme, width }))))(
    '$theme at $width px, without scrolling sideways',
    async ({ theme, width }) => {
      await using open = await app.open(recording(parts), { theme, viewport: { width, height: 900 } });
      await open.page.getByText('Yes please, to the same card.').waitFor();
      await mkdir(PICTURES, { recursive: true });
      await open.page.screenshot({ path: join(PICTURES, `report-${theme}-${width}.png`), fullPage: true });
      expect(await open.page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );
});
