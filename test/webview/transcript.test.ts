import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLink } from '../../src/protocol/panel.ts';
import type { Citation } from '../../src/protocol/report-values.ts';
import { fullText, type StepRow, steps, turns } from '../../src/protocol/turn-rows.ts';
import { type Standalone, standalone } from './app.ts';
import { failure, quote, recording, sampleReport, session, target, turn } from './recording.ts';
import { call, model } from './steps.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const passage = (field: Citation['field'], start: number, end: number, step: number | null = null): Citation => ({
  turn: 0,
  step,
  field,
  item: 0,
  start,
  end,
});

describe('the text of a turn', () => {
  it('folds after eight lines, with a count', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const rows = [turn(0, { input: quote(lines.join('\n'), '/i'), output: quote('word '.repeat(1000), '/o') })];
    await using open = await app.open(recording(sampleReport(rows)));
    const [first, second] = [open.page.locator('.user .text'), open.page.locator('.agent .text')];
    expect(await first.textContent()).toBe(lines.slice(0, 8).join('\n'));
    expect((await second.textContent())?.length).toBe(8 * 80);
    await open.page.getByRole('button', { name: 'Show 4,360 more characters', expanded: false }).waitFor();
    await open.page.getByRole('button', { name: 'Show 32 more lines' }).click();
    expect(await first.textContent()).toBe(lines.join('\n'));
    await open.page.getByRole('button', { name: 'Show Less', expanded: true }).click();
    expect(await first.textContent()).toBe(lines.slice(0, 8).join('\n'));
  });

  it('fetches the rest of a long text in parts', async () => {
    const whole = Array.from({ length: 9000 }, (_, index) => `word${index}`).join(' ');
    const rows = [turn(0, { output: quote(whole.slice(0, 900), '/o', whole.length - 900) })];
    const address = { session, path: [], turn: 0, step: null, field: 'output', item: 0 };
    const log = recording(sampleReport(rows, {}, [{ method: fullText.method, params: address, text: whole }]));
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: /more characters$/ }).click();
    await open.page.getByRole('button', { name: /^Show 20,000 of \d\d,\d{3} further characters$/ }).click();
    const [less, further] = await Promise.all(
      [/^Show Less$/, /further characters$/].map((name) => open.page.getByRole('button', { name }).boundingBox()),
    );
    expect((further?.x ?? 0) - (less?.x ?? 0) - (less?.width ?? 0)).toBeGreaterThanOrEqual(8);
    while (await open.page.getByRole('button', { name: /further character/ }).isVisible()) {
      await open.page.getByRole('button', { name: /further character/ }).click();
      await expect.poll(() => open.page.locator('.long button:disabled').count()).toBe(0);
    }
    expect(await open.page.locator('.agent .text').textContent()).toBe(whole);
  });

  it('renders a subset of Markdown, and copies as plain text', async () => {
    const message = 'I **did** it:\n\n- `one`\n- two\n\nSee https://example.com/order/1.';
    await using open = await app.open(recording(sampleReport([turn(0, { output: quote(message, '/o') })])));
    await open.page.locator('strong').getByText('did').waitFor();
    expect(await open.page.locator('.items code').textContent()).toBe('one');
    const selected = await open.page.evaluate<string>(`(() => {
      getSelection().selectAllChildren(document.querySelector('.transcript'));
      return getSelection().toString();
    })()`);
    expect(selected).not.toMatch(/user|agent/);
    expect(selected).toContain('I did it:');
    await open.page.getByRole('link', { name: 'https://example.com/order/1' }).click();
    expect(await open.asked()).toContainEqual({
      method: openLink.method,
      params: { url: 'https://example.com/order/1' },
    });
  });

  it('shows when it was not recorded, is missing, or cannot be read again', async () => {
    const rows = [turn(0, { recorded: false }), turn(1, { input: null, output: null }), turn(2, { unread: true })];
    await using open = await app.open(recording(sampleReport(rows)));
    for (const sentence of [
      'This turn was not recorded.',
      'The agent spoke first.',
      'No answer.',
      'The text of this turn is unavailable.',
    ]) {
      await open.page.getByText(sentence).waitFor();
    }
  });
});

describe('the steps of a turn', () => {
  it('show reasoning, calls and results; failed calls are expanded', async () => {
    const all = [
      model(0, 'Let me look.', 'First I need the order.\nThen the amount.'),
      call(1),
      call(2, { outcome: 'error', result: null, error: quote('Amount exceeds the order.', '/error') }),
      call(3, { outcome: 'missing', result: null, requestedBy: 'user' }),
    ];
    await using open = await app.open(recording(sampleReport([turn(0, { steps: all })])));
    const items = open.page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await items
      .nth(0)
      .getByRole('button', { name: /^reasoning First I need the order\. Then the amount\.$/ })
      .click();
    await items.nth(0).locator('.text').getByText('Then the amount.').waitFor();
    await items
      .nth(1)
      .getByRole('button', { name: /^tool_2 amount: 425 ok 0\.3 s$/, expanded: false })
      .waitFor();
    await items
      .nth(2)
      .getByRole('button', { name: /^tool_3 failed 0\.3 s$/, expanded: true })
      .waitFor();
    await items.nth(2).getByText('Amount exceeds the order.').waitFor();
    await items
      .nth(3)
      .getByRole('button', { name: /^tool_4 no result by the user/ })
      .waitFor();
    await items.nth(3).getByText('No result recorded.').waitFor();
  });

  it('are folded in a long turn, then rendered when visible and fetched in parts', async () => {
    const all = Array.from({ length: 3000 }, (_, index) => call(index));
    const rows = [turn(0, { steps: all.slice(0, 50), stepsOmitted: 2950 })];
    const log = recording(
      sampleReport(rows, {}, [{ method: steps.method, params: { session, path: [], turn: 0 }, rows: all }]),
    );
    await using open = await app.open(log);
    const items = open.page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await items.first().waitFor();
    expect(await items.count()).toBe(20);
    await open.page.getByRole('button', { name: 'Show 2,980 more steps' }).click();
    const list = open.page.getByRole('list', { name: 'Steps 1 to 3000 of 3,000' });
    await list.getByText('tool_21', { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(100);
    await open.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await list.getByText('tool_3000', { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(100);
    const input = await open.page.evaluate<{ method: string }[]>('turnwise.requests');
    expect(input.filter(({ method }) => method === steps.method).length).toBeLessThan(8);
  });

  it('are split into parts when there are a million', async () => {
    const rows = [turn(0, { steps: [call(0)], stepsOmitted: 999_999 })];
    const log = recording(
      sampleReport(rows, {}, [
        {
          method: steps.method,
          params: { session, path: [], turn: 0 },
          rows: Array.from({ length: 300 }, (_, n) => call(n)),
        },
      ]),
    );
    await using open = await app.open(log);
    await open.page.getByRole('button', { name: 'Show 999,980 more steps' }).click();
    await open.page
      .getByRole('list', { name: 'Steps 1 to 20000 of 1,000,000' })
      .getByText('tool_9', { exact: true })
      .waitFor();
    await open.page.getByText('part 1 of 50').waitFor();
    await open.page.getByRole('button', { name: 'Later steps' }).click();
    await open.page.getByRole('list', { name: 'Steps 20001 to 40000 of 1,000,000' }).waitFor();
    expect(await open.page.locator('[role=listitem]').count()).toBeLessThan(100);
  });

  it('stay expanded when they scroll out of view and back', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => turn(index, { steps: [call(0)] }));
    await using open = await app.open(recording(sampleReport(rows)));
    const first = open.page.getByRole('article', { name: 'Turn 1', exact: true });
    await first.getByRole('button', { name: /^tool_1/ }).click();
    await first.getByText('It was done.').waitFor();
    // Select another turn, so that the first one may be unmounted.
    await open.tell({ event: 'select', session, turn: 250 });
    await open.page.getByRole('heading', { name: 'Turn 251' }).waitFor();
    await first.waitFor({ state: 'detached' });
    await open.tell({ event: 'select', session, turn: 0 });
    await first.getByText('It was done.').waitFor();
  });
});

describe('a sub-agent', () => {
  const agent: StepRow = {
    type: 'agent',
    index: 0,
    target: target('/agent'),
    durationMs: 5000,
    name: 'researcher',
    turns: 2,
    calls: 7,
  };
  const inner = [
    turn(0, { output: quote('Found it.', '/inner') }),
    turn(1, { input: null, steps: [{ ...agent, index: 4 }] }),
  ];
  const path = [{ turn: 0, step: 0 }];

  it('is nested, collapsed initially, and may have sub-agents of its own', async () => {
    const log = recording(
      sampleReport([turn(0, { steps: [agent] })], {}, [
        { method: turns.method, params: { session, path }, rows: inner },
        {
          method: turns.method,
          params: { session, path: [...path, { turn: 1, step: 4 }] },
          rows: [turn(0, { output: quote('Deepest.', '/d') })],
        },
      ]),
    );
    await using open = await app.open(log);
    const opener = open.page.getByRole('button', { name: /^researcher sub-agent · 2 turns · 7 calls 5\.0 s$/ });
    expect(await opener.getAttribute('aria-expanded')).toBe('false');
    await opener.click();
    const nested = open.page.getByRole('list', { name: 'Turns of sub-agent researcher' }).first();
    await nested.getByText('Found it.').waitFor();
    await nested.getByRole('button', { name: /^researcher/ }).click();
    await nested.getByText('Deepest.').waitFor();
  });
});

describe('a problem', () => {
  it('has the label of its headline, where its title does not say it', async () => {
    const problems = [failure(0, { title: 'ok because the trace shows it', label: 'unsafe action' }), failure(0)];
    await using open = await app.open(recording(sampleReport([turn(0, { problems })])));
    const items = open.page.locator('.finding');
    await items.first().getByText('unsafe action', { exact: true }).waitFor();
    expect(await items.last().getByText('wrong tool', { exact: true }).count()).toBe(0);
  });
});

describe('evidence', () => {
  const message = 'Your refund of $425 was issued.';
  const cites = (label: string, passages: readonly Citation[]) =>
    failure(0, {
      label,
      evidence: passages.map((passage, n) => ({ note: `place ${n}`, target: target(`/${n}`), citation: passage })),
    });

  it('is highlighted in the text, more strongly for the selected item', async () => {
    const rows = [
      turn(0, {
        output: quote(message, '/o'),
        steps: [call(0)],
        problems: [
          cites('first', [passage('output', 5, 11)]),
          cites('second', [passage('output', 15, 19), passage('result', 0, 2, 0)]),
        ],
      }),
    ];
    await using open = await app.open(recording(sampleReport(rows)));
    await open.page.locator('.agent mark.cited').first().waitFor();
    expect(await open.page.locator('.agent mark.cited').allTextContents()).toEqual(['refund', '$425']);
    const [first, second] = [open.page.locator('#turn-1-failure-1'), open.page.locator('#turn-1-failure-2')];
    await first.click();
    expect(await open.page.locator('mark.chosen').allTextContents()).toEqual(['refund']);
    // Evidence in a call expands the call.
    await second.focus();
    expect(await open.page.locator('mark.chosen').allTextContents()).toEqual(['It', '$425']);
  });

  it('has a link with its note, also where it is only one', async () => {
    await using open = await app.open(
      recording(
        sampleReport([turn(0, { output: quote(message, '/o'), problems: [cites('one', [passage('output', 5, 11)])] })]),
      ),
    );
    await open.page.getByRole('list', { name: 'Evidence' }).getByRole('button', { name: 'place 0' }).waitFor();
  });

  it('opens its fold, and is fetched if it is beyond the loaded text', async () => {
    const long = `${'x '.repeat(1500)}HERE${' y'.repeat(500)}`;
    const far = `${'z '.repeat(2000)}${'a '.repeat(5000)}THERE and more`;
    const rows = [
      turn(0, {
        input: quote(far.slice(0, 4000), '/i', far.length - 4000),
        output: quote(long, '/o'),
        problems: [cites('deep', [passage('output', 3000, 3004), passage('input', 14_000, 14_005)])],
      }),
    ];
    const address = { session, path: [], turn: 0, step: null, field: 'input', item: 0 };
    await using open = await app.open(
      recording(sampleReport(rows, {}, [{ method: fullText.method, params: address, text: far }])),
    );
    await open.page.locator('mark.cited').getByText('HERE', { exact: true }).waitFor();
    expect(await open.page.getByText('THERE', { exact: true }).count()).toBe(0);
    await open.page.locator('#turn-1-failure-1').focus();
    await open.page.locator('.far mark.chosen').getByText('THERE', { exact: true }).waitFor();
    await open.page.getByText('characters further down:').waitFor();
  });

  it('scrolls into view on a mouse click', async () => {
    const rows = [
      turn(0, {
        steps: Array.from({ length: 38 }, (_, index) => call(index)),
        output: quote(message, '/o'),
        problems: [cites('low', [passage('output', 0, 4)])],
      }),
    ];
    await using open = await app.open(recording(sampleReport(rows)), { viewport: { width: 1200, height: 600 } });
    await open.page.locator('#turn-1-failure-1').click();
    const seen = async () => (await open.page.locator('mark.chosen').boundingBox())?.y ?? 10_000;
    await expect.poll(seen).toBeLessThan(600);
  });
});
