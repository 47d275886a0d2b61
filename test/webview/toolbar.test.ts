import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchTurns, type TurnMatches, type TurnQuery } from '../../src/protocol/turn-search.ts';
import type { RecordedRequest } from '../../webview/recording.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { failingTurn, failure, quote, recording, sampleReport, session, turn } from './recording.ts';
import { call } from './steps.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const rows = Array.from({ length: 40 }, (_, index) => (index % 10 === 3 ? failingTurn(index) : turn(index)));
const facets = {
  metrics: [{ name: 'task_completion', turns: 4 }],
  labels: [{ name: 'wrong tool', turns: 4 }],
  severities: [{ name: 'high', turns: 4 }],
  statuses: [
    { name: 'scored', turns: 40 },
    { name: 'needs_judge', turns: 40 },
  ],
  belowThreshold: 4,
} as const;

function finds(wanted: TurnQuery, turns: readonly number[], parts: Partial<TurnMatches> = {}): RecordedRequest {
  const result: TurnMatches = { turns, occurrences: turns.length, hits: [], ...parts };
  return { method: searchTurns.method, params: { session, query: wanted }, result };
}

const openFilter = (open: OpenReport) => open.page.getByRole('button', { name: /^Filter/ }).click();

const log = recording(
  sampleReport(rows, { facets }, [
    finds({ labels: ['wrong tool'] }, [3, 13, 23, 33]),
    finds({ labels: ['wrong tool'], belowThreshold: true }, [13]),
    finds({ statuses: ['needs_judge'] }, []),
    finds({ text: 'Answer 2' }, [1, 19, 20, 21, 22], { occurrences: 7 }),
    finds({ text: 'nowhere' }, []),
    finds({ text: 'Answer 2', labels: ['wrong tool'] }, [23], { occurrences: 1 }),
  ]),
);

describe('the filter', () => {
  it('shows the matching turns and their number', async () => {
    await using open = await app.open(log);
    await openFilter(open);
    await open.page.getByRole('combobox', { name: 'Filter by problem' }).selectOption({ label: 'wrong tool (4)' });
    const filter = open.page.getByRole('group', { name: 'Filter' });
    await open.page.getByText('4 of 40 turns').waitFor();
    const titles = open.page.getByRole('article').getByRole('heading');
    await expect.poll(() => titles.allTextContents()).toEqual(['Turn 4', 'Turn 14', 'Turn 24', 'Turn 34']);
    expect(await open.page.getByRole('article').first().getAttribute('aria-setsize')).toBe('4');
    await filter.getByRole('checkbox', { name: 'below threshold' }).check();
    // The selected turn stays.
    await expect.poll(() => titles.allTextContents()).toEqual(['Turn 4', 'Turn 14']);
    await open.page.getByRole('button', { name: 'Clear' }).click();
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    await open.page.getByRole('button', { name: 'Clear' }).waitFor({ state: 'detached' });
  });

  it('has a toggle for turns with problems, beside the others', async () => {
    const severities = ['low', 'medium', 'high', 'critical'] as const;
    const parts = recording(sampleReport(rows, { facets }, [finds({ severities }, [3, 13, 23, 33])]));
    await using open = await app.open(parts, { turn: 3 });
    const toggle = open.page.getByRole('button', { name: 'Problems Only' });
    await toggle.click();
    await open.page.getByText('4 of 40 turns').waitFor();
    const titles = open.page.getByRole('article').getByRole('heading');
    await expect.poll(() => titles.allTextContents()).toEqual(['Turn 4', 'Turn 14', 'Turn 24', 'Turn 34']);
    await open.page.getByRole('button', { name: 'Filter', exact: true }).waitFor();
    await toggle.and(open.page.getByRole('button', { pressed: true })).click();
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
  });

  it('limits j to the matching turns', async () => {
    await using open = await app.open(log, { turn: 0 });
    await openFilter(open);
    await open.page.getByRole('combobox', { name: 'Filter by problem' }).selectOption('wrong tool');
    await open.page.getByText('4 of 40 turns').waitFor();
    await open.page.locator('body').click({ position: { x: 5, y: 5 } });
    const visited: (string | null)[] = [];
    for (const key of ['j', 'j', 'k']) {
      await open.page.keyboard.press(key);
      visited.push(await open.page.locator(':focus').getAttribute('id'));
    }
    expect(visited).toEqual(['turn-4', 'turn-14', 'turn-4']);
  });

  it('shows a message when no turn matches', async () => {
    await using open = await app.open(log, { turn: 0 });
    await openFilter(open);
    await open.page.getByRole('combobox', { name: 'Filter by status' }).selectOption({ label: 'needs a judge (40)' });
    await open.page.getByText('No turn matches the filter.').waitFor();
    expect(await open.page.getByRole('article').count()).toBe(0);
  });

  it('is restored after a reload', async () => {
    await using open = await app.open(log, { turn: 0 });
    await openFilter(open);
    await open.page.getByRole('combobox', { name: 'Filter by problem' }).selectOption('wrong tool');
    await open.page.getByText('4 of 40 turns').waitFor();
    await open.page.reload();
    await open.page.getByText('4 of 40 turns').waitFor();
    await openFilter(open);
    expect(await open.page.getByRole('combobox', { name: 'Filter by problem' }).inputValue()).toBe('wrong tool');
  });

  it('is behind a button with a count', async () => {
    await using open = await app.open(log, { turn: 0, viewport: { width: 400, height: 800 } });
    const choice = open.page.getByRole('combobox', { name: 'Filter by problem' });
    expect(await choice.count()).toBe(0);
    await open.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await choice.selectOption('wrong tool');
    await open.page.getByRole('button', { name: 'Filter, 1 set' }).waitFor();
  });
});

describe('find', () => {
  it('highlights and counts matches, and goes from turn to turn', async () => {
    await using open = await app.open(log, { turn: 0 });
    const field = open.page.getByRole('textbox', { name: 'Find in transcript' });
    await field.fill('Answer 2');
    await open.page.getByText('7 in 5 turns').waitFor();
    expect(await open.page.locator('mark.found').first().textContent()).toBe('Answer 2');
    // Other turns are still shown.
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    const visited: (string | null)[] = [];
    for (const key of ['Enter', 'Enter', 'Shift+Enter', 'Shift+Enter', 'Enter', 'Shift+Enter']) {
      await field.press(key);
      visited.push(await open.page.locator('article[aria-current]').getAttribute('id'));
    }
    // Wraps around at both ends.
    expect(visited).toEqual([2, 20, 2, 23, 2, 23].map((number) => `turn-${number}`));
    await open.page.getByText('turn 5 of 5').waitFor();
    await open.page.getByRole('button', { name: 'Previous' }).click();
    expect(await open.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-22');
  });

  it('goes to a match when Enter was pressed before the search finished', async () => {
    await using open = await app.open(log, { turn: 0 });
    const field = open.page.getByRole('textbox', { name: 'Find in transcript' });
    await field.fill('Answer 2');
    await field.press('Enter');
    await open.page.getByText('turn 1 of 5').waitFor();
    expect(await open.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-2');
  });

  it('shows only matching turns, within the filtered ones', async () => {
    await using open = await app.open(log, { turn: 1 });
    await open.page.getByRole('textbox', { name: 'Find in transcript' }).fill('Answer 2');
    await open.page.getByRole('checkbox', { name: 'only' }).check();
    const titles = open.page.getByRole('article').getByRole('heading');
    await expect.poll(() => titles.allTextContents()).toEqual(['Turn 2', 'Turn 20', 'Turn 21', 'Turn 22', 'Turn 23']);
    await openFilter(open);
    await open.page.getByRole('combobox', { name: 'Filter by problem' }).selectOption('wrong tool');
    await expect.poll(() => titles.allTextContents()).toEqual(['Turn 2', 'Turn 24']);
  });

  it('scrolls to a match, also in a sentence about the turn', async () => {
    const long = turn(1, {
      steps: Array.from({ length: 39 }, (_, index) => call(index)),
      output: quote('Here is the needle.', '/o'),
      problems: [failure(1, { reason: 'There is no `needle` in it.' })],
    });
    const recordedRequests = recording(
      sampleReport([turn(0), long], {}, [finds({ text: 'needle' }, [1], { occurrences: 2 })]),
    );
    await using open = await app.open(recordedRequests, { turn: 0, viewport: { width: 400, height: 500 } });
    await open.page.getByRole('textbox', { name: 'Find in transcript' }).fill('needle');
    await open.page.getByText('2 in 1 turn').waitFor();
    expect(await open.page.locator('mark.found').allTextContents()).toEqual(['needle', 'needle']);
    await open.page.getByRole('button', { name: 'Next' }).click();
    const seen = async () => (await open.page.locator('.agent mark.found').boundingBox())?.y ?? -1;
    await expect.poll(async () => (await seen()) > 0 && (await seen()) < 500).toBe(true);
  });

  it('shows a message when there are no results', async () => {
    await using open = await app.open(log, { turn: 0 });
    await open.page.getByRole('textbox', { name: 'Find in transcript' }).fill('nowhere');
    await open.page.getByText('no results', { exact: true }).waitFor();
    expect(await open.page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  });
});
