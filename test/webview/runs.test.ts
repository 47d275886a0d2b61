import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reveal } from '../../src/protocol/panel.ts';
import {
  comparedTranscripts,
  compareRuns,
  openRunsPage,
  type RunsScope,
  runRejudge,
  runRunCommand,
  runTrend,
} from '../../src/protocol/runs.ts';
import { openSessionReport } from '../../src/protocol/sessions-overview.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import {
  ALIGNED,
  alignedPart,
  answerRuns,
  compared,
  comparedMetric,
  comparedThree,
  comparison,
  flip,
  part,
  transcripts,
  trend,
  trendPoint,
} from './runs-fixture.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const TWO: RunsScope = { show: 'comparison', runs: ['r1', 'r2'] };
const TREND: RunsScope = { show: 'trend', run: 'r8' };
const PAIR: RunsScope = {
  show: 'transcripts',
  left: { of: 'results', key: 'file:///w/a.json#s1' },
  right: { of: 'results', key: 'file:///w/a.json#s2' },
};

type Answers = Parameters<typeof answerRuns>[0];

function open(scope: RunsScope, answers: Answers = {}, width = 1200): Promise<OpenReport> {
  return app.open([], {
    page: 'runs',
    scope,
    viewport: { width, height: 800 },
    timezoneId: 'UTC',
    answer: answerRuns(answers),
  });
}

/** The parameters of the requests of a kind, in order. */
async function requestsOf({ page }: OpenReport, { method }: { readonly method: string }): Promise<unknown[]> {
  return page.evaluate(
    `turnwise.requests.filter((one) => one.method === ${JSON.stringify(method)}).map((one) => one.params)`,
  );
}

/** The ids of the rows that are rendered. */
function rows({ page }: OpenReport, selector = '.flip'): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('${selector}')].map(({ id }) => id)`);
}

describe('the comparison of two runs', () => {
  it('begins with the conclusion, what limits it, and the sessions that changed', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    const conclusion = page.getByRole('region', { name: 'Conclusion' });
    await conclusion.getByText('Worse (correct). Success fell from 82% to 61%').waitFor();
    const notes = page.getByRole('list', { name: 'What limits the comparison' });
    await notes.getByText('Not compared: faithfulness, task_completion.').waitFor();
    await notes.getByText('Evaluate v1.2 again with the judge of v1.3.').waitFor();
    expect(await page.getByRole('tab', { selected: true }).innerText()).toMatch(/Changed Sessions\s*7/);
    await page
      .getByRole('row', { name: /Worse refund order 1 .*3 of 4 → 1 of 4 attempts.*Succeeded.*Failed/ })
      .waitFor();
  });

  it('shows the means, the difference and the interval of each metric, the success of sessions first', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    await page.getByRole('tab', { name: 'Metrics' }).click();
    const table = page.getByRole('region', { name: 'Compared metrics' });
    await table.getByRole('row', { name: 'correct Worse 82% 61% −21 points −31 to −11 points 240' }).waitFor();
    await table
      .getByRole('row', { name: 'session_risk lower is better Worse 0.31 0.44 +0.13 +0.05 to +0.21' })
      .waitFor();
    await table.getByRole('row', { name: 'cost lower is better Better $0.042 $0.031 −$0.011' }).waitFor();
    await table.getByRole('row', { name: 'faithfulness Not comparable 4.20 4.40 – – 0' }).waitFor();
    const names = await table.locator('tbody .metric').allInnerTexts();
    expect(names.slice(0, 3)).toEqual(['correct', 'verdict', 'session_risk']);
  });

  it('draws an improvement to the right, also where lower is better', async () => {
    const metrics = {
      cost: comparedMetric('better', {
        unit: 'usd',
        scale: null,
        lowerIsBetter: true,
        difference: -0.02,
        ci95: [-0.03, -0.01],
      }),
      correct: comparedMetric('worse'),
    };
    await using shown = await open(TWO, { compared: compared({ comparison: comparison({ metrics, flips: [] }) }) });
    const { page } = shown;
    await page.locator('.difference').first().waitFor();
    const centers: number[] = await page.evaluate(
      "[...document.querySelectorAll('.difference circle')].map((one) => Number(one.getAttribute('cx')))",
    );
    const [correct = 0, cost = 0] = centers;
    expect(correct).toBeLessThan(68);
    expect(cost).toBeGreaterThan(68);
  });

  it('opens the metrics where no session changed', async () => {
    await using shown = await open(TWO, { compared: compared({ comparison: comparison({ flips: [] }) }) });
    const { page } = shown;
    await page.getByRole('region', { name: 'Compared metrics' }).waitFor();
    await page.getByRole('tab', { name: 'Changed Sessions' }).click();
    await page.getByText('No session changed its outcome or verdict.').waitFor();
  });

  it('says nothing of changed sessions where none could be compared', async () => {
    const nothing = compared({ comparison: comparison({ flips: [] }), unchanged: null });
    await using shown = await open(TWO, { compared: nothing });
    const { page } = shown;
    await page.getByRole('region', { name: 'Compared metrics' }).waitFor();
    expect(await page.getByRole('tab', { name: 'Changed Sessions' }).count()).toBe(0);
  });

  it('filters the sessions by what changed', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    await page.getByRole('button', { name: '1 better' }).click();
    await page.getByRole('row', { name: /refund order 6/ }).waitFor();
    expect(await rows(shown)).toEqual(['flip-5']);
    await page.getByRole('button', { name: '1 better' }).click();
    expect(await rows(shown)).toHaveLength(7);
  });

  it('opens both transcripts of a session by keyboard, and goes back to where it was', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    await page.locator('#flip-0').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Diverges here').waitFor();
    expect((await requestsOf(shown, comparedTranscripts))[0]).toMatchObject({
      left: { of: 'run', run: 'r1', session: 's2', file: 'traces/refund.jsonl' },
      right: { of: 'run', run: 'r2', session: 's2', file: 'traces/refund.jsonl' },
    });
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Changed Sessions' }).waitFor();
    expect(await page.locator(':focus').getAttribute('id')).toBe('flip-1');
  });

  it('renders only visible rows of 2,000 changed sessions', async () => {
    const flips = Array.from({ length: 2_000 }, (_, index) => flip(index));
    await using shown = await open(TWO, { compared: compared({ comparison: comparison({ flips }) }) });
    const { page } = shown;
    await page.locator('#flip-0').focus();
    await page.keyboard.press('End');
    await page.getByText('refund order 1999').waitFor();
    expect((await rows(shown)).length).toBeLessThan(200);
  });

  it('stays where it is read when more sessions change in a running evaluation', async () => {
    const flips = Array.from({ length: 60 }, (_, index) => flip(index));
    let now = compared({ comparison: comparison({ flips }) });
    await using shown = await app.open([], {
      page: 'runs',
      scope: TWO,
      answer: (method, params) => (method === compareRuns.method ? now : answerRuns({})(method, params)),
    });
    const { page } = shown;
    await page.getByText('refund order 0').waitFor();
    await page.evaluate('window.scrollTo(0, 1200)');
    await page.getByText('refund order 20', { exact: true }).waitFor();
    const topOf = (): Promise<number> =>
      page.evaluate("document.getElementById('flip-20').getBoundingClientRect().top");
    const before = await topOf();
    now = compared({ comparison: comparison({ flips: [...flips, flip(60), flip(61)] }) });
    await shown.tell({ event: 'changed', turns: null });
    await page.getByRole('button', { name: '62 worse' }).waitFor();
    expect(Math.abs((await topOf()) - before)).toBeLessThan(2);
  });

  it('offers to choose another run, to set the baseline, and the trend', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    await page.getByRole('button', { name: 'Set as Baseline' }).click();
    await page.getByRole('button', { name: 'Compare With…' }).click();
    await page.getByRole('button', { name: 'Trend' }).click();
    expect(await requestsOf(shown, runRunCommand)).toEqual([
      { run: 'r2', command: 'setAsBaseline' },
      { run: 'r2', command: 'compareWith' },
    ]);
    expect(await requestsOf(shown, openRunsPage)).toEqual([{ scope: { show: 'trend', run: 'r2' } }]);
  });

  it('judges a run again with the judge of the other, at one click', async () => {
    const [note, ...notes] = comparison().comparability;
    if (!note) throw new Error('There is no note.');
    const rejudge = {
      run: 0,
      judge: { provider: 'openai', model: 'gpt-5-mini' },
      sessions: 41,
      of: 60,
      tokens: 120_000,
    };
    const comparability = [{ ...note, rejudge }, ...notes];
    await using shown = await open(TWO, { compared: compared({ comparison: comparison({ comparability }) }) });
    await shown.page.getByRole('button', { name: 'Judge Again' }).click();
    expect(await requestsOf(shown, runRejudge)).toEqual([{ run: 'r1', by: 'r2', isFirst: true }]);
  });

  it('lists judge noise, and what only one run has, apart', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    await page.getByRole('tab', { name: 'Judge Noise' }).click();
    await page.getByText('40 sessions are the same in both runs. Judged differently: 1.').waitFor();
    await page.getByRole('tab', { name: 'Not in All' }).click();
    await page.getByRole('heading', { name: 'Only in v1.2 1 task, not averaged' }).waitFor();
    await page.getByText('exchange item').waitFor();
  });

  it('keeps its tab when the page reloads', async () => {
    await using shown = await open(TWO);
    const { page } = shown;
    await page.getByRole('tab', { name: 'Metrics' }).click();
    await page.getByRole('region', { name: 'Compared metrics' }).waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Compared metrics' }).waitFor();
  });

  it('says why it cannot be loaded, and tries again', async () => {
    let answer: unknown;
    await using shown = await app.open([], {
      page: 'runs',
      scope: TWO,
      answer: (method) => (method === compareRuns.method ? answer : {}),
    });
    const { page } = shown;
    await page.getByRole('alert').waitFor();
    answer = compared();
    await page.getByRole('button', { name: 'Try Again' }).click();
    await page.getByText('Worse (correct).').waitFor();
  });

  it('shows texts of traces as text', async () => {
    const text = '<img src=x onerror=alert(1)> \u202Eevil';
    const hostile = flip(0, 'worse', { task: text });
    const one = {
      ...hostile,
      before: { ...hostile.before, file: text, headline: { kind: 'failed' as const, text, turn: null } },
    };
    await using shown = await open(TWO, {
      compared: compared({ comparison: comparison({ flips: [one] }) }),
      transcripts: transcripts([alignedPart('left', 'tool', { name: text, left: part(text) })]),
    });
    const { page } = shown;
    await page.locator('#flip-0').click();
    await page.getByText('only in A').waitFor();
    expect(await page.locator('#report :is(img, script, [onerror])').count()).toBe(0);
    expect(await page.locator('#report').innerText()).not.toContain('\u202E');
  });
});

describe('the ranking of more than two runs', () => {
  it('says when two places cannot be told apart, and which run is best where one is', async () => {
    await using shown = await open({ show: 'comparison', runs: ['r1', 'r2', 'r3'] }, { compared: comparedThree() });
    const table = shown.page.getByRole('region', { name: 'Ranking of runs' });
    await table
      .getByRole('row', { name: /^correct 60 tasks 82% .* place 1–2 80% .* place 1–2 61% .* place 3$/ })
      .waitFor();
    await table.getByText('gemini is cheaper than every other run.').waitFor();
  });

  it('lists the sessions that differ, and opens the transcripts of one beside that of the first run', async () => {
    await using shown = await open({ show: 'comparison', runs: ['r1', 'r2', 'r3'] }, { compared: comparedThree() });
    const { page } = shown;
    await page.getByRole('tab', { name: /^Changed Sessions 1/ }).click();
    const row = page.getByRole('row', {
      name: 'refund order 7 attempt 2 Succeeded: reward 1.0 in the trace no such attempt Failed: claimed success after an error (turn 2)',
    });
    const failed = row.getByRole('button');
    expect(await failed.count()).toBe(1);
    await failed.click();
    await page.getByText('Diverges here').waitFor();
    expect((await requestsOf(shown, comparedTranscripts))[0]).toMatchObject({
      left: { of: 'run', run: 'r1', session: 's7', file: 'traces/refund.jsonl' },
      right: { of: 'run', run: 'r3', session: 's7', file: 'traces/refund.jsonl' },
    });
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Changed Sessions' }).waitFor();
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Failed: claimed success after an error (turn 2)');
  });
});

describe('two transcripts side by side', () => {
  it('open at the step where they diverge, with the focus on it', async () => {
    const before = Array.from({ length: 40 }, (_, index) =>
      alignedPart('same', 'tool', { name: `step_${index}`, left: part('x'), right: part('x') }),
    );
    await using shown = await open(PAIR, { transcripts: transcripts([...before, ...ALIGNED.slice(3)]) });
    const { page } = shown;
    const divergence = page.getByRole('article', { name: 'refund_order: other arguments' });
    await divergence.getByText('Diverges here').waitFor();
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('part-40');
    const box = await divergence.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(700);
  });

  it('show what differs, and where each part is in the JSON', async () => {
    await using shown = await open(PAIR);
    const { page } = shown;
    const step = page.getByRole('article', { name: 'refund_order: other arguments' });
    await step.getByText('amount A 37 B 370').waitFor();
    await step.getByRole('button', { name: 'Show in JSON of B' }).click();
    expect(await requestsOf(shown, reveal)).toEqual([
      { target: { uri: 'file:///w/traces/refund.jsonl', pointer: '/11/turns/0' }, focus: false },
    ]);
    await page.getByRole('article', { name: 'refund_order: only in B' }).getByText('Not in A').waitFor();
    await page.getByText('2 differences in what was done, 2 in words alone.').waitFor();
  });

  it('go from difference to difference, and can show these alone', async () => {
    await using shown = await open(PAIR);
    const { page } = shown;
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('part-3');
    const visited: (string | null)[] = [];
    for (const key of ['n', 'n', 'n', 'p', 'k']) {
      await page.keyboard.press(key);
      visited.push(await page.locator(':focus').getAttribute('id'));
    }
    expect(visited).toEqual(['part-4', 'part-5', 'part-5', 'part-4', 'part-3']);
    await page.getByRole('checkbox', { name: 'Differences only' }).check();
    expect(await rows(shown, '.part')).toEqual(['part-1', 'part-3', 'part-4', 'part-5']);
  });

  it('say why there is no transcript', async () => {
    const missing = 'refund.jsonl has changed since this run. Record runs with --with-transcripts to keep their texts.';
    const shownPair = transcripts([]);
    await using shown = await open(PAIR, {
      transcripts: { ...shownPair, divergence: null, left: { ...shownPair.left, missing } },
    });
    await shown.page.getByRole('alert').getByText(missing).waitFor();
    expect(await shown.page.getByRole('checkbox').count()).toBe(0);
  });
});

describe('the trend of a metric', () => {
  it('marks changes, and reaches every run by keyboard', async () => {
    await using shown = await open(TREND);
    const { page } = shown;
    await page.getByText('Worse. tool_correctness fell from 0.83 to 0.61').waitFor();
    const chosen = page.getByRole('button', { pressed: true });
    await chosen.first().focus();
    const details = page.getByRole('region', { name: 'Selected run' });
    await details.getByText('8f2a1c9').waitFor();
    await page.keyboard.press('ArrowLeft');
    await details.getByText('7f2a1c9').waitFor();
    await page.keyboard.press('Home');
    await details.getByText('0f2a1c9').waitFor();
    expect(await details.getByRole('button', { name: 'Compare with Previous' }).count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await details.getByRole('button', { name: 'Compare with Previous' }).click();
    expect(await requestsOf(shown, openRunsPage)).toEqual([{ scope: { show: 'comparison', runs: ['r0', 'r1'] } }]);
  });

  it('draws no line between runs that cannot be compared, and says why', async () => {
    await using shown = await open(TREND);
    const { page } = shown;
    await page.locator('.trend-line').first().waitFor();
    expect(await page.locator('.trend-line').count()).toBe(2);
    expect(await page.locator('.break').count()).toBe(1);
    await page.getByText('The judge changed from openai/gpt-4.1 to openai/gpt-5-mini.').waitFor();
  });

  it('is also a table, and stays one after a reload', async () => {
    await using shown = await open(TREND);
    const { page } = shown;
    await page.getByRole('button', { name: 'Show Table' }).first().click();
    const table = page.getByRole('region', { name: 'Trend as a table' });
    await table.getByRole('row', { name: 'Nov 7, 09:10 0.61 0.53 – 0.69 240 6f2a1c9 v1.3 Worse' }).waitFor();
    await page.reload();
    await table.waitFor();
  });

  it('shows another metric, and a task of the leaderboard', async () => {
    await using shown = await open(TREND);
    const { page } = shown;
    await page.getByRole('combobox').selectOption({ label: 'cost' });
    await page.getByRole('button', { name: 'refund order 1' }).last().click();
    await expect
      .poll(() => requestsOf(shown, runTrend))
      .toEqual([
        { run: 'r8', subject: null, task: null },
        { run: 'r8', subject: 'cost', task: null },
        { run: 'r8', subject: 'cost', task: 'refund order 1' },
      ]);
    await page.getByRole('button', { name: 'All Tasks' }).waitFor();
  });

  it('keeps the chosen run when a new one arrives', async () => {
    let now = trend();
    await using shown = await app.open([], {
      page: 'runs',
      scope: TREND,
      timezoneId: 'UTC',
      answer: (method, params) => answerRuns({ trend: now })(method, params),
    });
    const { page } = shown;
    await page.locator('.trend-point').nth(4).click();
    const details = page.getByRole('region', { name: 'Selected run' });
    await details.getByText('4f2a1c9').waitFor();
    const [first, ...others] = now.segments;
    const longer = others.map((segment) => ({ ...segment, to: 9 }));
    now = trend({ points: [...now.points, trendPoint(9, 0.9)], segments: first ? [first, ...longer] : [] });
    await shown.tell({ event: 'changed', turns: null });
    await expect.poll(() => page.locator('.trend-point').count()).toBe(10);
    await details.getByText('4f2a1c9').waitFor();
  });

  it('opens the report of a session of the leaderboard, and its file where it has none', async () => {
    await using shown = await open(TREND);
    const { page } = shown;
    await page.getByRole('button', { name: 'refund order 2' }).first().click();
    await page.getByRole('button', { name: 'refund order 3' }).first().click();
    expect(await requestsOf(shown, openSessionReport)).toEqual([{ session: 'file:///w/traces/refund.jsonl#s2' }]);
    expect(await requestsOf(shown, reveal)).toEqual([
      { target: { uri: 'file:///w/traces/refund.jsonl', pointer: '' }, focus: true },
    ]);
  });

  it('says what to do where no run has a value', async () => {
    await using shown = await open(TREND, { trend: null });
    await shown.page.getByText('No recorded run has a value yet.').waitFor();
  });
});
