import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateAgain, leave, reveal } from '../../../src/protocol/panel.ts';
import { type Standalone, standalone } from './app.ts';
import { evaluated, GONE, made, type Parts, recording, turn } from './recording.ts';

const FAILURE = {
  label: 'wrong tool',
  severity: 'high',
  reason: '`pay` was called, and there is no such tool.',
  target: { uri: 'file:///traces/made.json', pointer: '/failing' },
} as const;

const failing = (index: number) => turn(index, { failures: [{ turn: index, ...FAILURE }] });

let app: Standalone;
let refund: Parts;
beforeAll(async () => {
  [app, refund] = await Promise.all([standalone(), evaluated('test/vscode/workspace/refund.json')]);
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

describe('the report of a real trace', () => {
  it('says the verdict and why, and has a cell for each turn', async () => {
    await using open = await app.open(recording(refund));
    const summary = open.page.getByRole('banner');
    await summary.getByRole('heading', { name: 'refund' }).waitFor();
    const text = (await summary.textContent()) ?? '';
    expect(text).toMatch(/passed/);
    expect(text).toMatch(/repeated tool call medium · turn 2/);
    expect(text).toMatch(/1 of 1 gate met · \d+ of \d+ results scored · rules only/);
    const strip = open.page.getByRole('toolbar', { name: 'Risk of each turn' });
    await strip.getByRole('button', { name: 'Turn 1, risk 0.00', exact: true }).waitFor();
    await strip.getByRole('button', { name: /^Turn 2, risk 0\.\d\d, \d failures?$/ }).waitFor();
    expect(await strip.getByRole('button').count()).toBe(2);
  });

  it('shows what was said and done in a turn, and its scores beside it', async () => {
    await using open = await app.open(recording(refund));
    const second = open.page.getByRole('article', { name: 'Turn 2' });
    await second.getByText('It arrived broken. Please refund it.').waitFor();
    await second.getByText('I could not refund your order. Please write to the shop.').waitFor();
    const calls = second.getByRole('list', { name: 'Calls' }).getByRole('button');
    expect(await calls.allTextContents()).toEqual(Array(3).fill('refund_orderorder_id: "A-1001", amount: 425failed'));
    const scores = second.getByRole('complementary', { name: 'Scores of turn 2' });
    await scores.getByText('was called 2 more times').first().waitFor();
    await scores.getByText('loop_detection').waitFor();
    await scores.getByText(/^\d+ metrics need a judge$/).waitFor();
  });

  it('leads from a turn, a call and a reason to their JSON', async () => {
    await using open = await app.open(recording(refund));
    const second = open.page.getByRole('article', { name: 'Turn 2' });
    await second.getByRole('button', { name: 'Turn 2' }).click();
    await second.getByRole('list', { name: 'Calls' }).getByRole('button').nth(1).click();
    await second.getByRole('button', { name: /was called 2 more times/ }).click();
    // Where one works is what is selected.
    expect(await open.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-2');
    const uri = refund.header.target.uri;
    expect(await open.asked()).toEqual(
      ['/messages/5', '/messages/8/tool_calls/0', '/messages/8/tool_calls/0'].map((pointer) => ({
        method: reveal.method,
        params: { target: { uri, pointer }, focus: false },
      })),
    );
  });
});

describe('the ways to be without a score', () => {
  it('look different, count, and say why', async () => {
    const unscored = [
      { status: 'error', metrics: 1, reasons: [{ reason: 'The server said 503.', metrics: ['helpfulness'] }] },
      { status: 'needs_judge', metrics: 2, reasons: [{ reason: 'Only a model can judge this.', metrics: ['a', 'b'] }] },
      { status: 'not_applicable', metrics: 1, reasons: [{ reason: 'There is no plan.', metrics: ['plan_quality'] }] },
    ] as const;
    const vacuous = {
      metric: 'loop_detection',
      status: 'vacuous',
      value: 1,
      scale: [0, 1],
      threshold: 0.5,
      passed: null,
      band: null,
      reason: 'This is the first turn.',
      target: null,
    } as const;
    const zero = { ...vacuous, metric: 'task_completion', status: 'scored', value: 0, passed: false } as const;
    const rows = [turn(0, { unscored, scores: [zero, vacuous] })];
    await using open = await app.open(recording(made(rows)));
    const scores = open.page.getByRole('complementary', { name: 'Scores of turn 1' });
    // What failed is said at once, the rest when it is opened.
    await scores.getByText('The server said 503.').waitFor();
    expect(await scores.getByText('Only a model can judge this.').isVisible()).toBe(false);
    await scores.getByText('2 metrics need a judge').click();
    await scores.getByText('Only a model can judge this. a, b').waitFor();
    await scores.getByText('1 metric does not apply').waitFor();
    expect(await scores.locator('summary').allTextContents()).toEqual(
      expect.arrayContaining(['task_completion0.00below its threshold 0.50', 'loop_detection(1.00)nothing to judge']),
    );
    const [short, hollow] = await scores.locator('.bar').all();
    expect([await short?.locator('rect').count(), await hollow?.locator('rect').count()]).toEqual([2, 1]);
    const signs = await Promise.all((await scores.locator('.without .mark').all()).map((one) => one.innerHTML()));
    expect(new Set(signs).size).toBe(3);
  });
});

describe('the verdict', () => {
  it('undecided and failed gates are open, with their reasons', async () => {
    const gate = { scope: 'run', metric: 'task_completion', threshold: 0.5 } as const;
    const gates = [
      { ...gate, met: null, reason: 'nothing scored' },
      { ...gate, scope: 'session', metric: 'severity', threshold: 'critical', met: true, reason: 'nothing found' },
    ] as const;
    await using open = await app.open(recording(made([turn(0)], { verdict: 'undecided', gates })));
    await open.page.getByText('1 of 2 gates met').waitFor();
    const shown = open.page.getByRole('region', { name: 'Gates' }).getByRole('listitem');
    expect(await shown.allTextContents()).toEqual([
      'task_completion 0.50 · undecided · of the runnothing scored',
      'severity critical · metnothing found',
    ]);
  });

  it('a session without turns or risk says so', async () => {
    const header = { risk: null, riskReason: 'No turn of this session has a risk.', complete: false };
    await using open = await app.open(recording(made([], header)));
    await open.page.getByText('no risk figure').waitFor();
    await open.page.getByText('No turn of this session has a risk.').waitFor();
    await open.page.getByText('The evaluation was stopped').waitFor();
  });

  it('results that are gone can be had again', async () => {
    await using open = await app.open(GONE);
    await open.page.getByRole('heading', { name: 'The results of this session are gone' }).waitFor();
    await open.page.getByRole('button', { name: 'Evaluate Trace' }).click();
    expect(await open.asked()).toEqual([{ method: evaluateAgain.method, params: { session: 'recorded' } }]);
    await open.change(recording(made([turn(0)])));
    await open.page.getByText('Answer 1').waitFor();
  });

  it('an answer that is not understood is said, not swallowed', async () => {
    const [header, ...pages] = recording(made([turn(0)]));
    if (!header) throw new Error('There is no header.');
    await using open = await app.open([{ ...header, result: { header: { id: 1 } } }, ...pages]);
    await open.page.getByRole('alert').getByText('does not have the agreed shape').waitFor();
  });
});

describe('the keyboard', () => {
  const rows = [turn(0), failing(1), turn(2), failing(3), turn(4)];

  it('j and k go through the turns, n and p through those that failed', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page.getByText('Answer 5').waitFor();
    const visited: (string | null)[] = [];
    for (const key of ['j', 'j', 'j', 'k', 'n', 'n', 'p', 'p', 'k', 'k']) {
      await open.page.keyboard.press(key);
      visited.push(await open.page.locator('article:focus[aria-current]').getAttribute('id'));
    }
    const turns = [1, 2, 3, 2, 4, 4, 2, 2, 1, 1];
    expect(visited).toEqual(turns.map((number) => `turn-${number}`));
  });

  it('Enter goes to the JSON of the selected turn, Escape back to the file', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page.getByText('Answer 5').waitFor();
    for (const key of ['n', 'Enter', 'Escape']) await open.page.keyboard.press(key);
    expect(await open.asked()).toEqual([
      { method: reveal.method, params: { target: rows[1]?.target, focus: true } },
      { method: leave.method, params: { session: 'recorded' } },
    ]);
  });

  it('Enter on a reason goes to its place, and nowhere else', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page
      .getByRole('button', { name: FAILURE.reason.replaceAll('`', '') })
      .first()
      .focus();
    await open.page.keyboard.press('Enter');
    expect(await open.asked()).toEqual([{ method: reveal.method, params: { target: FAILURE.target, focus: true } }]);
  });

  it('the strip is one stop, and the arrows go along it', async () => {
    await using open = await app.open(recording(made(rows)));
    const strip = open.page.getByRole('toolbar');
    await strip.getByRole('button', { name: 'Turn 1' }).focus();
    const names: (string | null)[] = [];
    for (const key of ['ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await open.page.keyboard.press(key);
      names.push(await strip.locator('button:focus[aria-current]').getAttribute('aria-label'));
    }
    expect(names.map((name) => name?.split(',')[0])).toEqual(['Turn 2', 'Turn 5', 'Turn 5', 'Turn 4', 'Turn 1']);
    expect(await strip.locator('button[tabindex="0"]').count()).toBe(1);
  });
});

describe('a long session', () => {
  const words = (index: number) => ({
    text: `Question ${index + 1}\n\n\n\n\n\n\n.`,
    omitted: 0,
    target: turn(index).target,
  });
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    ...(index === 777 ? failing(index) : turn(index)),
    input: words(index),
  }));

  it('loads what is near, and a turn far away when its cell is pressed', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    expect(await open.page.getByText('Answer 778').count()).toBe(0);
    await open.page.getByRole('button', { name: 'Turn 778, risk 0.70, 1 failure' }).click();
    const far = open.page.getByText('Answer 778');
    await far.waitFor();
    // The strip covers the top; the turn stands right below it, though all turns around it are taller than their places.
    const title = open.page.getByRole('heading', { name: 'Turn 778' });
    await expect.poll(async () => Math.round((await title.boundingBox())?.y ?? 0)).toBe(128);
    expect(await open.page.getByText('Answer 400').count()).toBe(0);
  });

  it('n finds a failure that is not loaded', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    await open.page.keyboard.press('n');
    await open.page.getByText('Answer 778').waitFor();
    expect(await open.page.locator('article:focus').getAttribute('id')).toBe('turn-778');
  });

  it('is restored at the turn that was selected', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page.getByRole('button', { name: 'Turn 500, risk 0.00' }).click();
    await open.page.getByText('Answer 500').waitFor();
    await open.page.reload();
    await open.page.getByText('Answer 500').waitFor();
    expect(await open.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-500');
  });

  it('new results take the place of the old ones, and the selection and the focus stay', async () => {
    await using open = await app.open(recording(made(rows)));
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    for (const key of ['j', 'j']) await open.page.keyboard.press(key);
    const again = rows.map((row) => ({
      ...row,
      output: { text: `Better ${row.index + 1}`, omitted: 0, target: row.target },
    }));
    await open.change(recording(made(again, { id: 'made again' })));
    await open.page.getByText('Better 2', { exact: true }).waitFor();
    await open.page.getByRole('heading', { name: 'made again' }).waitFor();
    expect(await open.page.locator('article:focus[aria-current]').getAttribute('id')).toBe('turn-2');
    expect(await open.page.getByText('Answer 2', { exact: true }).count()).toBe(0);
  });
});

describe('what a trace says', () => {
  const said = (text: string, omitted = 0) => ({ text, omitted, target: turn(0).target });

  it('is text, whatever it looks like', async () => {
    const hostile =
      '<img src=x onerror=alert(1)><script>alert(1)</script>[a](javascript:alert(1)) ![b](https://example.com/b.png)';
    const rows = [
      turn(0, {
        input: said(hostile),
        output: said(`\u202E${hostile}\u001B[31m\uD800`),
        calls: [
          {
            kind: 'tool',
            name: hostile,
            input: { text: hostile, omitted: 0 },
            outcome: 'missing',
            output: { text: hostile, omitted: 0 },
            requestedBy: 'user',
            target: turn(0).target,
          },
        ],
        failures: [{ turn: 0, ...FAILURE, label: hostile, reason: `\`${hostile}\`` }],
      }),
    ];
    const parts = made(rows, { id: hostile });
    await using open = await app.open(recording(parts));
    await open.page.getByRole('article', { name: 'Turn 1' }).getByText(hostile).first().waitFor();
    expect(await open.page.locator('#report :is(img, script, a, iframe, style)').count()).toBe(0);
    expect(await open.page.locator('[style]').count()).toBe(0);
  });

  it('folds behind twelve lines, with a count', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const rows = [turn(0, { input: said(lines.join('\n'), 5000), output: said('word '.repeat(1000)) })];
    await using open = await app.open(recording(made(rows)));
    const article = open.page.getByRole('article');
    const [first, second] = [
      article.getByRole('button', { name: /more characters/ }).first(),
      article.locator('.text').nth(1),
    ];
    expect(await article.locator('.text').first().textContent()).toBe(lines.slice(0, 12).join('\n'));
    expect((await second.textContent())?.length).toBe(12 * 80);
    await first.click();
    expect(await article.locator('.text').first().textContent()).toBe(lines.join('\n'));
    await article.getByText('5,000 more characters in the file').waitFor();
    await article.getByRole('button', { name: 'Show less' }).click();
    expect(await article.locator('.text').first().textContent()).toBe(lines.slice(0, 12).join('\n'));
  });

  it('was perhaps not recorded, or not said', async () => {
    const rows = [turn(0, { recorded: false }), turn(1, { input: null, output: null })];
    await using open = await app.open(recording(made(rows)));
    await open.page.getByText('What happened in this turn was not recorded.').waitFor();
    await open.page.getByText('The agent began.').waitFor();
    await open.page.getByText('The agent said nothing.').waitFor();
  });
});
