import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { HEADLINE_KINDS } from '../../src/core/statuses.ts';
import { openRunsPage } from '../../src/protocol/runs.ts';
import {
  EMPTY_SUMMARY,
  evaluateScope,
  type OverviewRow,
  type OverviewScores,
  type OverviewSessionRow,
  type OverviewSummary,
  openSessionReport,
  overviewRows,
  overviewScores,
  overviewSummary,
} from '../../src/protocol/sessions-overview.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

function row(index: number, parts: Partial<OverviewSessionRow> = {}): OverviewSessionRow {
  return {
    type: 'session',
    isAttempt: false,
    standsOut: false,
    key: `file:///w/tau.json#s${index}`,
    id: `s${index}`,
    file: 'tau.json',
    folder: null,
    task: null,
    headline: { kind: HEADLINE_KINDS[index % 6] ?? 'clean', text: `Headline ${index}`, turn: null },
    worst: index % 2 === 0 ? { severity: 'high', title: 'false information' } : null,
    problems: index % 2 === 0 ? 3 : 0,
    turns: index + 1,
    calls: index,
    tokens: null,
    cost: null,
    durationMs: 1500,
    risk: 0.7,
    riskLevel: 'high',
    state: 'fresh',
    isRunning: false,
    ...parts,
  };
}

function summaryOf(sessions: number): OverviewSummary {
  return {
    sessions,
    kinds: { failed: sessions - 1, undecided: 0, problems: 1, 'not-run': 0, clean: 0, succeeded: 0 },
    running: 0,
    labels: [{ name: 'false information', sessions: 2 }],
    rules: [{ name: 'ungrounded', sessions: 1 }],
    columns: ['session', 'outcome', 'problem', 'turns', 'calls', 'duration', 'risk'],
    tasks: 0,
  };
}

const query = z.object({ offset: z.number(), limit: z.number(), filter: z.object({ text: z.optional(z.string()) }) });

interface Shown {
  readonly rows: readonly OverviewRow[];
  readonly summary?: OverviewSummary;
  readonly scores?: OverviewScores;
}

/** The table, whose rows are filtered by text as the server does. */
function open({ rows, summary = summaryOf(rows.length), scores }: Shown): Promise<OpenReport> {
  return app.open([{ method: overviewSummary.method, params: { scope: null }, result: summary }], {
    page: 'sessions',
    viewport: { width: 1200, height: 800 },
    answer(method, params) {
      if (method === overviewScores.method) return scores;
      if (method !== overviewRows.method) return {};
      const { offset, limit, filter } = z.parse(query, params);
      const result = rows.filter((row) => row.type === 'task' || row.headline.text.includes(filter.text ?? ''));
      return { total: result.length, matching: result.length, rows: result.slice(offset, offset + limit) };
    },
  });
}

const editor = async (openReport: OpenReport) =>
  (await openReport.asked()).filter(({ method }) => method === openSessionReport.method).map(({ params }) => params);

/** The parameters of the last request for rows. */
async function lastQuery({ page }: OpenReport): Promise<unknown> {
  const method = JSON.stringify(overviewRows.method);
  return page.evaluate(`turnwise.requests.findLast((one) => one.method === ${method}).params`);
}

/** The ends of ids, and short ones, of which no part is cut off. */
const SEEN_ENDS = `[...document.querySelectorAll('.middle-cut > .end, .cut.short')].filter((element) => {
  const [own, cell] = [element, element.closest('.cell')].map((it) => it.getBoundingClientRect());
  return own.width > 0 && element.scrollWidth <= element.clientWidth + 1 && own.right <= cell.right;
}).map(({ textContent }) => textContent)`;

const five = Array.from({ length: 5 }, (_, index) => row(index));

describe('the sessions overview', () => {
  it.each([1000, 1440])('shows the end of ids and tasks, in which they differ, at %i px', async (width) => {
    const summary = {
      ...summaryOf(2),
      columns: ['session', 'task', 'outcome', 'problem', 'turns', 'tokens', 'cost'],
    } as const;
    const ids = ['5c24791c-f947-41db-afde-8125c9de5b12', '5c24791c-f947-41db-afde-8125c9de77aa'];
    const rows = ids.map((id, index) =>
      row(index, {
        id,
        file: 'ft-gpt-4.1.json',
        task: { name: `django__django-1234${index}`, of: 'retail · gpt-4.1-2025-04-14', attempt: '0' },
        ...(index === 0 && { state: 'stale' }),
      }),
    );
    await using openReport = await open({ rows, summary });
    const { page } = openReport;
    await page.setViewportSize({ width, height: 800 });
    await page.getByText('de5b12').first().waitFor();
    expect(await page.evaluate(SEEN_ENDS)).toEqual(['de5b12', '-12340', 'attempt 0', 'de77aa', '-12341', 'attempt 0']);
    expect(await page.getByTitle(`ft-gpt-4.1.json · ${ids[0]}`).count()).toBeGreaterThan(0);
    await page.screenshot({ path: `test-results/overview-ids-${width}.png` });
  });

  it('shows a row per session, and opens its report with a click', async () => {
    await using openReport = await open({ rows: five });
    const { page } = openReport;
    await page.getByText('Headline 3').click();
    expect(await editor(openReport)).toEqual([{ session: 'file:///w/tau.json#s3' }]);
    expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('6');
    await page
      .getByRole('row', { name: /tau\.json.*Headline 0.*High.*false information.*\+2.*1.*0.*1\.5 s.*High/ })
      .waitFor();
  });

  it('moves between rows with the arrow keys, and opens the report with Enter', async () => {
    await using openReport = await open({ rows: five });
    const { page } = openReport;
    await page.getByText('Headline 0').waitFor();
    await page.locator('#session-1').focus();
    const visited: (string | null)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowDown', 'Home']) {
      await page.keyboard.press(key);
      visited.push(await page.locator(':focus').getAttribute('id'));
    }
    expect(visited).toEqual([2, 3, 2, 5, 5, 1].map((nth) => `session-${nth}`));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await editor(openReport)).toEqual([{ session: 'file:///w/tau.json#s1' }]);
    expect(await page.locator('[role=row][tabindex="0"]').count()).toBe(1);
  });

  it('sorts by a column, and in the other direction with a second click', async () => {
    await using openReport = await open({ rows: five });
    const { page } = openReport;
    await page.getByText('Headline 0').waitFor();
    expect(await lastQuery(openReport)).toMatchObject({ sort: { column: 'outcome', isReversed: false } });
    const head = page.getByRole('columnheader', { name: 'Turns' });
    await head.getByRole('button').click();
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await head.getByRole('button').click();
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(() => lastQuery(openReport)).toMatchObject({ sort: { column: 'turns', isReversed: true } });
  });

  it('filters by outcome, by problem and by text, and says when nothing matches', async () => {
    await using openReport = await open({ rows: five });
    const { page } = openReport;
    await page.getByText('Headline 0').waitFor();
    await page.getByRole('button', { name: '4 failed' }).click();
    await page.getByRole('combobox', { name: 'Filter by problem' }).selectOption('rule ungrounded');
    await page.getByRole('textbox', { name: 'Find sessions' }).fill('Headline 2');
    await expect
      .poll(() => lastQuery(openReport))
      .toMatchObject({
        filter: { kinds: ['failed'], rule: 'ungrounded', text: 'Headline 2' },
      });
    await page.getByText('1 of 5').waitFor();
    await page.getByRole('textbox', { name: 'Find sessions' }).fill('nowhere');
    await page.getByText('No session matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Headline 4').waitFor();
    expect(await page.getByRole('button', { name: '4 failed' }).getAttribute('aria-pressed')).toBe('false');
  });

  it('keeps the filter and the order when the page reloads', async () => {
    await using openReport = await open({ rows: five });
    const { page } = openReport;
    await page.getByRole('textbox', { name: 'Find sessions' }).fill('Headline 2');
    await page.getByText('1 of 5').waitFor();
    await page.reload();
    await page.getByText('1 of 5').waitFor();
    expect(await page.getByRole('textbox', { name: 'Find sessions' }).inputValue()).toBe('Headline 2');
  });

  it('renders and requests only the visible rows of 50,000 sessions', async () => {
    await using openReport = await open({ rows: Array.from({ length: 50_000 }, (_, index) => row(index)) });
    const { page } = openReport;
    await page.getByText('Headline 0', { exact: true }).waitFor();
    await page.locator('#session-1').focus();
    await page.keyboard.press('End');
    await page.getByText('Headline 49999').waitFor();
    expect(await page.locator(':focus').getAttribute('id')).toBe('session-50000');
    expect(await page.locator('[role=row]').count()).toBeLessThan(200);
    const input: number = await page.evaluate(
      `turnwise.requests.filter((one) => one.method === ${JSON.stringify(overviewRows.method)}).length`,
    );
    expect(input).toBeLessThan(10);
  });

  it('shows the attempts of a task in one row, which opens with Enter or an arrow key', async () => {
    const task: OverviewRow = {
      type: 'task',
      key: 'task 1',
      name: 'buy shoes',
      kind: 'failed',
      attempts: 4,
      matching: 4,
      succeeded: 3,
      known: 4,
      estimates: [{ k: 2, passAtK: 1, passPowK: 0.5, passAtKInterval: [0.49, 0.99], passPowKInterval: [0.08, 0.9] }],
      agreement: { attempts: 4, agreeing: 3, standOut: 1, likely: ['`cancel_order`'] },
      strategy: 0.75,
      isExpanded: false,
    };
    await using openReport = await open({ rows: [task], summary: { ...summaryOf(4), tasks: 1 } });
    const { page } = openReport;
    const name =
      /Task buy shoes.*4 attempts.*3 of 4 succeeded.*3 of 4 agree 1 stands out.*pass@2 1\.00 \(0\.49–0\.99\).*pass\^2 0\.50.*strategy 0\.75/;
    await page.getByRole('row', { name }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => lastQuery(openReport)).toMatchObject({ isGrouped: true, expanded: ['task 1'] });
    await page.keyboard.press('Enter');
    await expect.poll(() => lastQuery(openReport)).toMatchObject({ expanded: [] });
    expect(await editor(openReport)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Group attempts' }).uncheck();
    await expect.poll(() => lastQuery(openReport)).toMatchObject({ isGrouped: false });
  });

  it('shows means, attempts, and the distribution of a score as a chart and as a table', async () => {
    const scores: OverviewScores = {
      distributions: [
        {
          metric: 'faithfulness',
          unit: 'turn',
          n: 3,
          mean: 0.5,
          standardDeviation: 0.5,
          interval: [0, 1],
          scale: [0, 1],
          threshold: 0.7,
          lowerIsBetter: false,
          bins: [
            { from: 0, to: 0.5, count: 1 },
            { from: 0.5, to: 1, count: 2 },
          ],
        },
      ],
      correctedShares: [{ metric: 'faithfulness', text: '45 % would pass by 60 labels of people' }],
      completion: { score: 0.5, reason: '1 of 2 sessions were completed.' },
      attempts: {
        estimator: 'unbiased',
        correctBy: 'outcome',
        scenarios: 1,
        leftOut: 0,
        table: [{ k: 1, passAtK: 0.5, passPowK: 0.25 }],
      },
    };
    await using openReport = await open({ rows: five, scores });
    const { page } = openReport;
    await page.getByRole('button', { name: 'Scores' }).click();
    const region = page.getByRole('region', { name: 'Scores' });
    await region.getByRole('row', { name: 'faithfulness 0.50 / 1 0.00 – 1.00 0.50 3 turns' }).waitFor();
    await region.getByRole('row', { name: '1 0.50 0.25' }).waitFor();
    await region.getByText('1 task, success by outcome, unbiased estimator').waitFor();
    await region.getByText('Completed without human help: 50%').waitFor();
    await region.getByText('faithfulness: 45 % would pass by 60 labels of people').waitFor();
    await region.getByRole('img', { name: 'Distribution of faithfulness' }).waitFor();
    await region.getByRole('button', { name: 'Show Table' }).click();
    await region.getByRole('row', { name: '0.50 1.00 2', exact: true }).waitFor();
  });

  it('compares two selected sessions, by mouse or keyboard, and takes the last two of three', async () => {
    await using openReport = await open({ rows: five });
    const { page } = openReport;
    await page
      .getByRole('row', { name: /Headline 0/ })
      .getByRole('checkbox', { name: 'Select to compare' })
      .check();
    await page.getByText('1 session selected. Select another one to compare.').waitFor();
    expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0);
    await page.locator('#session-1').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('c');
    await page.getByRole('row', { name: /Headline 3/ }).click({ modifiers: ['Control'] });
    expect(await page.locator('[role=row][aria-selected=true]').allInnerTexts()).toEqual([
      expect.stringContaining('Headline 1'),
      expect.stringContaining('Headline 3'),
    ]);
    await page.getByRole('button', { name: 'Compare' }).click();
    const of = (nth: number) => ({ of: 'results', key: `file:///w/tau.json#s${nth}` });
    expect((await openReport.asked()).map(({ method, params }) => [method, params])).toEqual([
      [openRunsPage.method, { scope: { show: 'transcripts', left: of(1), right: of(3) } }],
    ]);
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await page.locator('[role=row][aria-selected=true]').count()).toBe(0);
  });

  it('offers the evaluation where there are no results', async () => {
    await using openReport = await open({ rows: [], summary: EMPTY_SUMMARY });
    await openReport.page.getByRole('button', { name: 'Evaluate' }).click();
    expect((await openReport.asked()).map(({ method }) => method)).toEqual([evaluateScope.method]);
  });

  it('shows text of traces as text', async () => {
    const text = '<img src=x onerror=alert(1)> $(trash) \u202Eevil';
    const hostile = row(0, {
      id: text,
      file: text,
      folder: text,
      task: { name: text, of: text, attempt: text },
      headline: { kind: 'failed', text, turn: null },
      worst: { severity: 'high', title: text },
    });
    const summary = { ...summaryOf(2), labels: [{ name: text, sessions: 1 }] };
    await using openReport = await open({
      rows: [hostile],
      summary: { ...summary, columns: [...summary.columns, 'task'] },
    });
    await openReport.page.getByRole('treegrid').getByText('<img src=x onerror=alert(1)>').first().waitFor();
    expect(await openReport.page.locator('#report :is(img, script, [onerror])').count()).toBe(0);
    expect(await openReport.page.locator('#report').innerText()).not.toContain('\u202E');
  });
});
