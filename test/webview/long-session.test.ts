import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turns } from '../../src/protocol/turn-rows.ts';
import { type Standalone, standalone } from './app.ts';
import { failingTurn, quote, recording, sampleReport, turn } from './recording.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const COUNT = 10_000;
/** Heights vary, so that estimates are wrong. */
const rows = Array.from({ length: COUNT }, (_, index) => ({
  ...(index === 7776 ? failingTurn(index) : turn(index)),
  input: quote(`Question ${index + 1}${'\n.'.repeat(index % 11)}`, `/${index}/input`),
}));
const log = recording(sampleReport(rows));

async function first(page: Page): Promise<void> {
  await page.getByText('Answer 1', { exact: true }).waitFor();
}

/** The distance of a turn from the bottom of the sticky header, in pixels; heights have fractions. */
function distance(page: Page, number: number): Promise<number> {
  return page.evaluate<number>(`
    Math.abs(document.getElementById('turn-${number}').getBoundingClientRect().top
      - document.querySelector(".sticky").getBoundingClientRect().bottom)`);
}

describe('a session of ten thousand turns', () => {
  it('renders and fetches only nearby turns, and shows the total', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    const articles = open.page.getByRole('feed', { name: 'Turns' }).getByRole('article');
    expect(await articles.count()).toBeLessThan(40);
    expect(await articles.first().getAttribute('aria-posinset')).toBe('1');
    expect(await articles.first().getAttribute('aria-setsize')).toBe(String(COUNT));
    const input = await open.page.evaluate<{ method: string }[]>('turnwise.requests');
    expect(input.filter(({ method }) => method === turns.method).length).toBeLessThan(6);
  });

  it('groups turns in the strip where there is no room for each', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    const all = open.page.getByRole('toolbar', { name: 'Problems by turn' });
    expect(await all.getByRole('button').count()).toBeLessThan(200);
    await all.getByRole('button', { name: /^Turns \d+ to \d+, 1 problem$/ }).click();
    await open.page.getByText('Answer 7777').waitFor();
    await expect.poll(() => distance(open.page, 7777)).toBeLessThan(2);
    expect(await open.page.getByText('Answer 4000', { exact: true }).count()).toBe(0);
  });

  it('focuses a problem in a turn that is not loaded with n', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    await open.page.keyboard.press('n');
    await expect.poll(() => open.page.locator(':focus').getAttribute('id')).toBe('turn-7777-failure-1');
    await expect.poll(() => distance(open.page, 7777)).toBeLessThan(2);
  });

  it('keeps the selected turn in view when the panel becomes narrow, until the user scrolls', async () => {
    await using open = await app.open(log, { turn: 4999 });
    await open.page.setViewportSize({ width: 1200, height: 800 });
    await open.page.getByText('Answer 5000', { exact: true }).waitFor();
    await expect.poll(() => distance(open.page, 5000)).toBeLessThan(2);
    await open.page.setViewportSize({ width: 400, height: 800 });
    await expect.poll(() => distance(open.page, 5000)).toBeLessThan(2);
    await open.page.mouse.wheel(0, 3000);
    await expect.poll(() => distance(open.page, 5000)).toBeGreaterThan(1000);
    await open.page.setViewportSize({ width: 1200, height: 800 });
    await open.page.waitForTimeout(300);
    expect(await distance(open.page, 5000)).toBeGreaterThan(500);
  });

  it('keeps the selected turn below what stays above it when the panel becomes higher', async () => {
    await using open = await app.open(log, { turn: 4999 });
    await open.page.setViewportSize({ width: 1200, height: 700 });
    await open.page.getByText('Answer 5000', { exact: true }).waitFor();
    await expect.poll(() => distance(open.page, 5000)).toBeLessThan(2);
    // Here the worst problems and the next steps stay, too.
    await open.page.setViewportSize({ width: 1200, height: 800 });
    await expect.poll(() => distance(open.page, 5000)).toBeLessThan(2);
  });

  it('restores the selected turn and the open tab', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    await open.tell({ event: 'select', session: 'recorded', turn: 4999 });
    await open.page.getByText('Answer 5000', { exact: true }).waitFor();
    await open.page.reload();
    await open.page.getByText('Answer 5000', { exact: true }).waitFor();
    await expect.poll(() => distance(open.page, 5000)).toBeLessThan(2);
    await open.page.getByRole('tab', { name: 'Run' }).click();
    await open.page.reload();
    await open.page.getByRole('region', { name: 'This run' }).waitFor();
    await open.page.getByRole('tab', { name: 'Transcript' }).click();
    await expect.poll(() => distance(open.page, 5000)).toBeLessThan(2);
  });

  it('keeps visible content in place while rows around it render and change', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    await open.tell({ event: 'select', session: 'recorded', turn: 2999 });
    await open.page.getByText('Answer 3000', { exact: true }).waitFor();
    await expect.poll(() => distance(open.page, 3000)).toBeLessThan(2);
    // Scroll up, where no row is measured: each step must move by exactly the wheel distance.
    for (let step = 0; step < 12; step += 1) {
      const before = await visibleTop(open.page);
      await open.page.mouse.move(500, 500);
      await open.page.mouse.wheel(0, -100);
      await expect.poll(async () => Math.abs((await topOf(open.page, before.id)) - before.top - 100)).toBeLessThan(2);
    }
    const seen = await visibleTop(open.page);
    const longer = rows.map((row) => ({ ...row, output: quote(`Better ${row.index + 1}\nand longer`, '/output') }));
    await open.change(recording(sampleReport(longer)));
    await open.page.getByText(`Better ${seen.id.split('-')[1]}`).waitFor();
    // Rows that grew above must not move visible content.
    await expect.poll(async () => Math.abs((await topOf(open.page, seen.id)) - seen.top)).toBeLessThan(2);
  });

  it('keeps the selected turn and its focus when scrolling far away', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    for (const key of ['j']) await open.page.keyboard.press(key);
    await open.page.evaluate('window.scrollTo(0, 500000)');
    await expect.poll(() => open.page.locator('article').count()).toBeGreaterThan(2);
    expect(await open.page.locator('article:focus[aria-current]').getAttribute('id')).toBe('turn-2');
    await open.page.keyboard.press('j');
    await expect.poll(() => distance(open.page, 3)).toBeLessThan(2);
  });

  it('replaces results and keeps the selection and the focus', async () => {
    await using open = await app.open(log, { turn: 0 });
    await first(open.page);
    for (const key of ['j']) await open.page.keyboard.press(key);
    const again = rows.map((row) => ({ ...row, output: quote(`Better ${row.index + 1}`, '/output') }));
    await open.change(recording(sampleReport(again, { id: 'made again' })));
    await open.page.getByText('Better 2', { exact: true }).waitFor();
    await open.page.getByRole('heading', { name: 'made again' }).waitFor();
    expect(await open.page.locator('article:focus[aria-current]').getAttribute('id')).toBe('turn-2');
    expect(await open.page.getByText('Answer 2', { exact: true }).count()).toBe(0);
  });
});

/** The first visible turn below the sticky header, and its position. */
function visibleTop(page: Page): Promise<{ id: string; top: number }> {
  return page.evaluate(`(() => {
    const edge = document.querySelector('.sticky').getBoundingClientRect().bottom;
    const found = [...document.querySelectorAll('article')].find((one) => one.getBoundingClientRect().bottom > edge + 20);
    return { id: found.id, top: Math.round(found.getBoundingClientRect().top) };
  })()`);
}

function topOf(page: Page, id: string): Promise<number> {
  return page.evaluate(`Math.round(document.getElementById('${id}')?.getBoundingClientRect().top ?? NaN)`);
}
