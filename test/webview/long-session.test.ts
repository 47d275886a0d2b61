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
/** Turns of heights that nobody can guess. */
const rows = Array.from({ length: COUNT }, (_, index) => ({
  ...(index === 7776 ? failingTurn(index) : turn(index)),
  input: quote(`Question ${index + 1}${'\n.'.repeat(index % 11)}`, `/${index}/input`),
}));
const log = recording(sampleReport(rows));

async function first(page: Page): Promise<void> {
  await page.getByText('Answer 1', { exact: true }).waitFor();
}

/** How far from the end of what stays at the top a turn begins; heights have fractions. */
function distance(page: Page, number: number): Promise<number> {
  return page.evaluate<number>(`
    Math.abs(document.getElementById('turn-${number}').getBoundingClientRect().top
      - document.querySelector(".sticky").getBoundingClientRect().bottom)`);
}

describe('a session of ten thousand turns', () => {
  it('draws and fetches what is near, and says how much there is', async () => {
    await using open = await app.open(log);
    await first(open.page);
    const articles = open.page.getByRole('feed', { name: 'Turns' }).getByRole('article');
    expect(await articles.count()).toBeLessThan(40);
    expect(await articles.first().getAttribute('aria-posinset')).toBe('1');
    expect(await articles.first().getAttribute('aria-setsize')).toBe(String(COUNT));
    const asked = await open.page.evaluate<{ method: string }[]>('turnwise.requests');
    expect(asked.filter(({ method }) => method === turns.method).length).toBeLessThan(6);
  });

  it('has a strip of groups, and below it the turns around the selected one', async () => {
    await using open = await app.open(log);
    await first(open.page);
    const all = open.page.getByRole('toolbar', { name: 'Risk of all turns, in groups' });
    expect(await all.getByRole('button').count()).toBeLessThan(200);
    await all
      .getByRole('button', { name: /^Turns \d+ to \d+, up to risk 0\.70 in turn 7777, mean 0\.0\d, 1 problem$/ })
      .click();
    await open.page.getByText('Answer 7777').waitFor();
    await open.page.getByRole('button', { name: 'Turn 7777, risk 0.70, 1 problem' }).waitFor();
    await expect.poll(() => distance(open.page, 7777)).toBeLessThan(2);
    expect(await open.page.getByText('Answer 4000', { exact: true }).count()).toBe(0);
  });

  it('n finds a failure that is not fetched, and puts the focus on it', async () => {
    await using open = await app.open(log);
    await first(open.page);
    await open.page.keyboard.press('n');
    await expect.poll(() => open.page.locator(':focus').getAttribute('id')).toBe('turn-7777-failure-1');
    await expect.poll(() => distance(open.page, 7777)).toBeLessThan(2);
  });

  it('is restored at the turn that was selected, in the tab that was open', async () => {
    await using open = await app.open(log);
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

  it('does not move what one looks at while rows above and below are drawn, and are others', async () => {
    await using open = await app.open(log);
    await first(open.page);
    await open.tell({ event: 'select', session: 'recorded', turn: 2999 });
    await open.page.getByText('Answer 3000', { exact: true }).waitFor();
    await expect.poll(() => distance(open.page, 3000)).toBeLessThan(2);
    // Upwards, where nothing was measured: each step is as long as the wheel says.
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
    // What grew above has moved nothing that is seen.
    await expect.poll(async () => Math.abs((await topOf(open.page, seen.id)) - seen.top)).toBeLessThan(2);
  });

  it('keeps the selected turn, and the focus in it, however far one scrolls', async () => {
    await using open = await app.open(log);
    await first(open.page);
    for (const key of ['j', 'j']) await open.page.keyboard.press(key);
    await open.page.evaluate('window.scrollTo(0, 500000)');
    await expect.poll(() => open.page.locator('article').count()).toBeGreaterThan(2);
    expect(await open.page.locator('article:focus[aria-current]').getAttribute('id')).toBe('turn-2');
    await open.page.keyboard.press('j');
    await expect.poll(() => distance(open.page, 3)).toBeLessThan(2);
  });

  it('new results take the place of the old ones, and the selection and the focus stay', async () => {
    await using open = await app.open(log);
    await first(open.page);
    for (const key of ['j', 'j']) await open.page.keyboard.press(key);
    const again = rows.map((row) => ({ ...row, output: quote(`Better ${row.index + 1}`, '/output') }));
    await open.change(recording(sampleReport(again, { id: 'made again' })));
    await open.page.getByText('Better 2', { exact: true }).waitFor();
    await open.page.getByRole('heading', { name: 'made again' }).waitFor();
    expect(await open.page.locator('article:focus[aria-current]').getAttribute('id')).toBe('turn-2');
    expect(await open.page.getByText('Answer 2', { exact: true }).count()).toBe(0);
  });
});

/** The first turn that is seen below what stays at the top, and where it begins. */
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
