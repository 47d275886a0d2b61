import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type TimelineEntry,
  type TimelineSummaryRow,
  timelineRows,
  timelineSummary,
} from '../../src/protocol/timeline.ts';
import { type Standalone, standalone } from './app.ts';
import { recording, sampleReport, session, target, turn } from './recording.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const SUMMARY: TimelineSummaryRow = {
  rows: 0,
  timed: { turns: 1, steps: 2 },
  durationMs: 4000,
  slowest: null,
  tokens: { input: 1200, output: 34 },
  cost: 0.0125,
  models: [{ name: 'gpt-5', calls: 1, tokens: { input: 1200, output: 34 }, cost: 0.0125 }],
  modelsOmitted: 0,
};

function entry(parts: Partial<TimelineEntry>): TimelineEntry {
  return {
    type: 'tool',
    turn: 0,
    step: 0,
    depth: 1,
    name: 'find',
    text: 'id: 7',
    outcome: 'ok',
    model: null,
    startMs: null,
    durationMs: null,
    turnMs: null,
    tokens: null,
    cost: null,
    target: target('/x'),
    ...parts,
  };
}

const turnEntry = (index: number, parts: Partial<TimelineEntry> = {}) =>
  entry({
    type: 'turn',
    turn: index,
    step: null,
    depth: 0,
    name: null,
    outcome: null,
    text: `Question ${index + 1}`,
    ...parts,
  });

const TIMED = [
  turnEntry(0, { startMs: 0, durationMs: 4000, turnMs: 4000, tokens: { input: 1200, output: 34 }, cost: 0.0125 }),
  entry({ startMs: 1000, durationMs: 2000, turnMs: 4000 }),
  entry({ step: 1, name: 'pay', outcome: 'error', startMs: 1500, durationMs: 500, turnMs: 4000 }),
];

function report(rows: readonly TimelineEntry[], parts: Partial<TimelineSummaryRow> = {}, turns = 1) {
  const summary = { ...SUMMARY, ...parts, rows: rows.length };
  const made = Array.from({ length: turns }, (_, index) => turn(index));
  return recording(
    sampleReport(made, {}, [
      { method: timelineSummary.method, params: { session }, result: { summary } },
      { method: timelineRows.method, params: { session }, rows },
    ]),
  );
}

describe('the timeline', () => {
  it('is a table of steps with start, duration, tokens and cost', async () => {
    await using open = await app.open(report(TIMED));
    const { page } = open;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const grid = page.getByRole('treegrid', { name: 'Timeline' });
    await grid.getByText('pay').waitFor();
    const rows = await page.evaluate(`[...document.querySelectorAll('.span-row')].map((row) =>
      [...row.querySelectorAll('[role=columnheader], [role=gridcell]')].map((cell) => cell.textContent))`);
    expect(rows).toEqual([
      ['Step', 'Start', 'Duration', 'Tokens in, out', 'Cost (USD)'],
      ['Turn 1Question 1', '', '4.0 s', '1,200, 34', '0.0125'],
      ['findid: 7', '+1.0 s', '2.0 s', '', ''],
      ['payfailedid: 7', '+1.5 s', '0.5 s', '', ''],
    ]);
  });

  it('shows with bars which steps ran at the same time', async () => {
    await using open = await app.open(report(TIMED));
    const { page } = open;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('pay').waitFor();
    const shares = await page.evaluate(`[...document.querySelectorAll('.track')].map((track) => {
      const [whole, bar] = [track.getBoundingClientRect(), track.firstElementChild.getBoundingClientRect()];
      return [bar.left - whole.left, bar.width].map((size) => Math.round((100 * size) / whole.width));
    })`);
    expect(shares).toEqual([
      [0, 100],
      [25, 50],
      [38, 13],
    ]);
  });

  it('leaves out what the trace does not say, and says so', async () => {
    const nothing = { timed: { turns: 0, steps: 0 }, durationMs: null, tokens: null, cost: null, models: [] };
    await using open = await app.open(report([turnEntry(0), entry({})], nothing));
    const { page } = open;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('This trace has no times and no token counts.').waitFor();
    await page.getByText('find').waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Step']);
  });

  it('moves between rows with arrow keys, and Enter shows the step in the transcript', async () => {
    await using open = await app.open(report(TIMED));
    const { page } = open;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('#span-1').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.id')).toBe('span-2');
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.id')).toBe('span-3');
    await page.keyboard.press('Enter');
    await page.getByText('Question 1').first().waitFor();
    expect(await page.getByRole('tab', { name: 'Transcript' }).getAttribute('aria-selected')).toBe('true');
  });

  it('renders only the visible rows of ten thousand turns', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => [turnEntry(index), entry({ turn: index })]).flat();
    await using open = await app.open(report(rows, {}, 10_000));
    const { page } = open;
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('#span-1').focus();
    await page.keyboard.press('End');
    await page.getByText('Turn 10000').waitFor();
    expect(await page.locator('.span-row').count()).toBeLessThan(120);
  });
});
