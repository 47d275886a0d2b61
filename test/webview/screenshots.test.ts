import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ThemeKind } from '../../webview/recording.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { evaluateReport } from './evaluated-report.ts';
import { failingTurn, type Parts, recording, sampleReport, turn } from './recording.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');
const THEMES: readonly ThemeKind[] = ['light', 'dark', 'hc-light', 'hc-dark'];
const WIDTHS = [400, 1200];

let app: Standalone;
let parts: Parts;
beforeAll(async () => {
  await mkdir(PICTURES, { recursive: true });
  [app, parts] = await Promise.all([standalone(), evaluateReport('samples/refund-claimed-after-error.json')]);
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

/** Expects that nothing is cut off or needs horizontal scrolling. */
async function fits(page: Page): Promise<void> {
  const [whole, seen] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
  expect(whole).toBe(seen);
}

/** Takes a picture in each theme. Nothing is cut off. */
async function take({ page, setTheme }: OpenReport, name: string, width: number): Promise<void> {
  for (const theme of THEMES) {
    await setTheme(theme);
    await page.screenshot({ path: join(PICTURES, `panel-${name}${theme}-${width}.png`) });
    await fits(page);
  }
}

/** Texts of the header that are cut off or overlap what is beside them. */
const CUT_FACTS = `[...document.querySelectorAll('.headline-facts > *, .turn-marks, .groups-of-turns > *')].filter((element) => {
  const { left, right, bottom } = element.getBoundingClientRect();
  const section = (element.closest('section') ?? document.body).getBoundingClientRect();
  return left < 0 || right > window.innerWidth || bottom > section.bottom + 1;
}).map(({ textContent }) => textContent)`;

describe('screenshots of the report', () => {
  it.each([400, 600, 800])('show all facts of the headline and all numbers of turns at %i px', async (width) => {
    const judgedTasks = { mean: 0.85, lowest: 0.2, turn: 1, turns: 7 };
    const rows = Array.from({ length: 7 }, (_, index) => failingTurn(index, {}, {}));
    const report = sampleReport(rows, { judgedTasks, risk: 0.9, riskLevel: 'high' });
    await using open = await app.open(recording(report), { viewport: { width, height: 700 }, reducedMotion: 'reduce' });
    const { page } = open;
    await page.getByText('judge: task completion 0.85').waitFor();
    await page.screenshot({ path: join(PICTURES, `panel-facts-${width}.png`) });
    expect(await page.evaluate(CUT_FACTS)).toEqual([]);
    const strip = page.getByRole('toolbar', { name: 'Problems by turn' });
    expect((await strip.innerText()).match(/\d+/g)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    await fits(page);
  });

  it.each(WIDTHS)('fit at %i px without horizontal scrolling', async (width) => {
    await using open = await app.open(recording(parts), { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    const { page } = open;
    await page.getByText('Yes please, to the same card.').waitFor();
    // Select the first problem, below the header of the page.
    await page.keyboard.press('n');
    await page.evaluate('window.scrollTo(0, 0)');
    await page.locator('mark.chosen').first().waitFor();
    await take(open, '', width);
    for (const tab of ['Problems', 'Metrics', 'Run']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).getByRole('heading').first().waitFor();
      await page.mouse.move(0, 0);
      await page.evaluate('window.scrollTo(0, 0)');
      await take(open, `${tab.toLowerCase()}-`, width);
    }
  });

  it.each(WIDTHS)('show a long session during evaluation at %i px', async (width) => {
    const rows = Array.from({ length: 10_000 }, (_, index) => (index % 23 === 4 ? failingTurn(index) : turn(index)));
    const going = sampleReport(rows, { turnsDone: 6200, verdict: 'failed', risk: 0.71 });
    await using open = await app.open(recording(going), { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    await take(open, 'long-', width);
  });

  it.each([
    ['reduce', 0],
    ['no-preference', 0.12],
  ] as const)('moves no longer than it may: %s', async (reducedMotion, most) => {
    await using open = await app.open(recording(parts), { reducedMotion });
    await open.page.getByText('Yes please, to the same card.').waitFor();
    const longest = await open.page.evaluate<number>(`Math.max(...[...document.querySelectorAll('*')].flatMap((one) =>
      [null, '::before'].flatMap((part) => {
        const { transitionDuration, animationDuration } = getComputedStyle(one, part);
        return [transitionDuration, animationDuration].flatMap((times) => times.split(',')).map(Number.parseFloat);
      })))`);
    expect(longest).toBeLessThanOrEqual(most);
    expect(longest > 0).toBe(most > 0);
  });
});
