import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reevaluate, reveal, stopEvaluation } from '../../src/protocol/panel.ts';
import { sessionRun } from '../../src/protocol/report.ts';
import { type Standalone, standalone } from './app.ts';
import { evaluateReport } from './evaluated-report.ts';
import {
  failingTurn,
  NO_REPORT,
  type Parts,
  RUN_DETAILS,
  recording,
  sampleReport,
  score,
  session,
  target,
  turn,
} from './recording.ts';

let app: Standalone;
let refund: Parts;
beforeAll(async () => {
  [app, refund] = await Promise.all([standalone(), evaluateReport('test/vscode/workspace/refund.json')]);
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

describe('the report of a real trace', () => {
  it('shows the headline, the worst problems and a mark for each problem', async () => {
    await using open = await app.open(recording(refund));
    await open.page.getByRole('banner').getByRole('heading', { name: 'refund' }).waitFor();
    const { headline, problems } = refund.header;
    const line = open.page.getByRole('region', { name: 'Headline' });
    expect(await line.textContent()).toContain(headline.text);
    expect(await line.textContent()).toMatch(/Turn 2 of 2 · \d problems · risk (Low|Elevated|High)/);
    const worst = open.page.getByRole('list', { name: 'Worst problems' }).getByRole('listitem');
    expect((await worst.allTextContents()).every((text) => text.startsWith('Turn 2'))).toBe(true);
    const strip = open.page.getByRole('toolbar', { name: 'Problems by turn' });
    await strip.getByRole('button', { name: 'Turn 1, 0 problems' }).waitFor();
    await strip.getByRole('button', { name: `Turn 2, ${problems} problems` }).waitFor();
    expect(await strip.getByRole('button', { name: /^Problem \d of turn 2/ }).count()).toBe(problems);
  });

  it('has room for all next steps below the headline', async () => {
    const reasons = [{ reason: 'The server said 503.', metrics: ['helpfulness'] }];
    const unscored = [{ status: 'error', metrics: 1, reasons }] as const;
    const header = { ...refund.header, unscored };
    await using open = await app.open(recording({ ...refund, header }));
    await open.page.setViewportSize({ width: 860, height: 800 });
    const steps = open.page.locator('.next-steps');
    await steps.getByRole('button', { name: 'Change Judge…' }).waitFor();
    const summary = await open.page.locator('.summary').boundingBox();
    for (const button of await steps.getByRole('button').all()) {
      const box = await button.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(summary?.y ?? Number.NaN);
      expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThanOrEqual(
        (summary?.y ?? 0) + (summary?.height ?? 0),
      );
    }
  });

  it('goes from the header and from the strip to a problem', async () => {
    await using open = await app.open(recording(refund));
    const focused = () => open.page.locator(':focus').getAttribute('id');
    await open.page.getByRole('button', { name: 'Show problem 2 of turn 2' }).click();
    await expect.poll(focused).toBe('turn-2-failure-2');
    await open.page.getByRole('button', { name: /^Problem 1 of turn 2/ }).click();
    await expect.poll(focused).toBe('turn-2-failure-1');
  });

  it('shows the transcript of a turn and its scores beside it', async () => {
    await using open = await app.open(recording(refund));
    const second = open.page.getByRole('article', { name: 'Turn 2' });
    await second.getByText('It arrived broken. Please refund it.').waitFor();
    await second.getByText('I could not refund your order. Please write to the shop.').waitFor();
    // Failed calls are expanded and show arguments and result.
    const calls = second.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    expect(await calls.count()).toBe(3);
    expect(await calls.first().textContent()).toMatch(
      /^refund_orderfailed.*argumentsorder_id: "A-1001", amount: 425error/,
    );
    const scores = second.getByRole('complementary', { name: 'Scores of turn 2' });
    await scores.getByText('was called 2 more times').first().waitFor();
    await scores.getByRole('button', { name: /^\d+ more scores/ }).click();
    await scores.getByRole('button', { name: /^loop_detection/ }).waitFor();
    await scores.getByText(/^\d+ metrics need a judge$/).waitFor();
  });

  it('opens the JSON of a turn, a call and a reason, and highlights what the reason cites', async () => {
    await using open = await app.open(recording(refund));
    const second = open.page.getByRole('article', { name: 'Turn 2' });
    await second.getByRole('button', { name: 'Turn 2', exact: true }).click();
    await second.getByRole('button', { name: 'arguments' }).nth(1).click();
    expect(await second.locator('.chosen').count()).toBe(0);
    await second.getByRole('button', { name: /was called 2 more times/ }).click();
    await second.locator('.step.chosen mark.chosen').first().waitFor();
    // Clicking in a turn selects it.
    expect(await open.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-2');
    const asked = (await open.asked()).filter(({ method }) => method === reveal.method);
    const uri = refund.header.target.uri;
    expect(asked).toEqual(
      ['/messages/5', '/messages/8/tool_calls/0', '/messages/8/tool_calls/0'].map((pointer) => ({
        method: reveal.method,
        params: { target: { uri, pointer }, focus: false },
      })),
    );
  });

  it('opens all problems from their number where the first lines do not name all', async () => {
    const header = { ...refund.header, problems: refund.header.worst.length + 1 };
    await using open = await app.open(recording({ ...refund, header }));
    await open.page.getByRole('button', { name: `${header.problems} problems` }).click();
    await open.page.getByRole('tab', { name: /^Problems/, selected: true }).waitFor();
  });

  it('explains the metrics of the session and groups its problems', async () => {
    await using open = await app.open(recording(refund));
    await open.page.getByRole('tab', { name: 'Metrics' }).click();
    const risk = open.page.getByRole('region', { name: 'session_risk' });
    await risk.getByText('How strong are the signs that this session failed its user?').waitFor();
    const terms = risk.getByRole('list', { name: 'Terms of session_risk' });
    await terms.getByRole('button', { name: '→ turn 2' }).first().click();
    // The link returns to the transcript and focuses the turn.
    expect(await open.page.locator('article:focus').getAttribute('id')).toBe('turn-2');
    await open.page.getByRole('tab', { name: 'Problems' }).click();
    const group = open.page.getByRole('region', { name: 'repeated tool call' });
    await group.getByText('medium').waitFor();
    await group.getByRole('button', { name: 'turn 2' }).first().waitFor();
  });
});

describe('metrics without a score', () => {
  it('are grouped by status with counts and reasons', async () => {
    const unscored = [
      { status: 'error', metrics: 1, reasons: [{ reason: 'The server said 503.', metrics: ['helpfulness'] }] },
      { status: 'needs_judge', metrics: 2, reasons: [{ reason: 'Only a model can judge this.', metrics: ['a', 'b'] }] },
      { status: 'not_applicable', metrics: 1, reasons: [{ reason: 'There is no plan.', metrics: ['plan_quality'] }] },
    ] as const;
    const zero = score('task_completion', 0);
    const vacuous = score('loop_detection', 1, { status: 'vacuous', passed: null });
    await using open = await app.open(recording(sampleReport([turn(0, { unscored, scores: [zero, vacuous] })])));
    const scores = open.page.getByRole('complementary', { name: 'Scores of turn 1' });
    // Errors are expanded, other groups are not.
    await scores.getByText('The server said 503.').waitFor();
    expect(await scores.getByText('Only a model can judge this.').count()).toBe(0);
    await scores.getByRole('button', { name: '4 more scores' }).click();
    await scores.getByRole('button', { name: '2 metrics need a judge' }).click();
    await scores.getByText('Only a model can judge this. a, b').waitFor();
    await scores.getByRole('button', { name: '1 metric does not apply' }).waitFor();
    await scores.getByRole('button', { name: 'task_completion 0.00 / 1 below its threshold ≥ 0.50' }).waitFor();
    await scores.getByRole('button', { name: 'loop_detection (1.00 / 1) nothing to judge' }).waitFor();
    const signs = await Promise.all(
      (await scores.locator('.without .mark').all()).map((locator) => locator.innerHTML()),
    );
    expect(new Set(signs).size).toBe(3);
  });
});

describe('a score', () => {
  it('shows its band, reason, source and proven limit', async () => {
    const judged = score('tool_correctness', 0.5, {
      band: { name: 'doubtful', meaning: 'Some calls were wrong' },
      source: 'judge',
      judge: 'openai/some-model',
      cap: { most: 0.5, judged: 0.9 },
      hasPrompt: true,
    });
    await using open = await app.open(recording(sampleReport([turn(0, { scores: [judged] })])));
    const scores = open.page.getByRole('complementary', { name: 'Scores of turn 1' });
    await scores.getByRole('button', { name: '1 more score' }).click();
    await scores.getByRole('button', { name: /^tool_correctness/ }).click();
    for (const text of [
      'doubtful: Some calls were wrong',
      'This is why tool_correctness is 0.5.',
      'given by a judge: openai/some-model',
      'Judge score 0.90, limited to 0.50 by proven findings.',
    ]) {
      await scores.getByText(text).waitFor();
    }
    await scores.getByRole('button', { name: 'Show Prompt' }).waitFor();
  });
});

describe('the Run tab', () => {
  it('lists the gates with their reasons', async () => {
    const gate = { scope: 'run', metric: 'task_completion', threshold: 0.5, actual: null } as const;
    const gates = [
      { ...gate, met: null, reason: 'nothing scored' },
      {
        ...gate,
        scope: 'session',
        metric: 'severity',
        threshold: 'critical',
        actual: 'low',
        met: true,
        reason: 'nothing found',
      },
    ] as const;
    await using open = await app.open(recording(sampleReport([turn(0)], { verdict: 'undecided', gates })));
    await open.page.getByRole('tab', { name: 'Run' }).click();
    const locator = open.page.getByRole('region', { name: 'Gates' }).getByRole('listitem');
    expect(await locator.allTextContents()).toEqual([
      'task_completion undecided · limit 0.50 · of the runnothing scored',
      'severity met · low, limit criticalnothing found',
    ]);
  });

  it('shows the judge and the cost of a judged run', async () => {
    const { header } = sampleReport([turn(0)]);
    const run = {
      ...header.run,
      judgeCalls: 12,
      judgeCallsCached: 3,
      promptTokens: 4567,
      completionTokens: 89,
      cost: 0.0123,
    };
    await using open = await app.open(recording(sampleReport([turn(0)], { judges: ['openai/some-model'], run })));
    await open.page.getByRole('tab', { name: 'Run' }).click();
    const facts = open.page.getByRole('region', { name: 'This run' });
    const text = (await facts.textContent()) ?? '';
    for (const fact of ['openai/some-model', '12', '3 cached', '4,567 sent, 89 received', '0.0123', '4.1 s']) {
      expect(text).toContain(fact);
    }
  });

  it('names the expected calls that were not made, where nothing else says why a session failed', async () => {
    const headline = { kind: 'failed', text: 'Failed: reward 0.0 in the trace', turn: null } as const;
    const missedCalls = ['The expected call of pay was not made.'];
    await using open = await app.open(recording(sampleReport([turn(0)], { headline, missedCalls })));
    const calls = open.page.getByRole('list', { name: 'Expected calls' });
    await calls.getByText('The expected call of pay was not made.').waitFor();
    await calls.getByRole('button', { name: 'Show' }).click();
    const tab = open.page.getByRole('tab', { name: 'Problems', exact: true });
    expect(await tab.getAttribute('aria-selected')).toBe('true');
    expect(await open.page.getByText('No problems found.').count()).toBe(0);
  });

  it('shows that a session has no turns or no risk', async () => {
    const { header } = sampleReport([]);
    const parts = {
      risk: null,
      riskLevel: null,
      riskReason: 'No turn has a risk.',
      run: { ...header.run, complete: false },
    };
    await using open = await app.open(recording(sampleReport([], parts)));
    await open.page.getByText('risk –').and(open.page.getByTitle('No turn has a risk.')).waitFor();
    await open.page.getByText('The evaluation was stopped').waitFor();
    await open.page.getByText('This session has no turns.').waitFor();
  });

  it('offers to evaluate again when the results are gone', async () => {
    await using open = await app.open(NO_REPORT);
    await open.page.getByRole('heading', { name: 'No results for this session' }).waitFor();
    await open.page.getByRole('button', { name: 'Evaluate Trace' }).click();
    expect(await open.asked()).toEqual([{ method: reevaluate.method, params: { session } }]);
    await open.change(recording(sampleReport([turn(0)])));
    await open.page.getByText('Answer 1').waitFor();
  });

  it('shows an invalid response as an error that can be retried', async () => {
    const [header, ...pages] = recording(sampleReport([turn(0)]));
    if (!header) throw new Error('There is no header.');
    await using open = await app.open([{ ...header, result: { header: { id: 1 } } }, ...pages]);
    await open.page.getByRole('alert').getByText('does not have the agreed shape').waitFor();
    await open.page.evaluate(`turnwise.log = ${JSON.stringify([header, ...pages])}`);
    await open.page.getByRole('button', { name: 'Try again' }).click();
    await open.page.getByText('Answer 1').waitFor();
  });
});

describe('a running evaluation', () => {
  const rows = [turn(0), turn(1, { waiting: true }), turn(2, { waiting: true })];
  const going = sampleReport(rows, { turnsDone: 1 });

  it('shows its progress and can be stopped', async () => {
    await using open = await app.open(recording(going));
    const progress = open.page.getByRole('progressbar', { name: 'Evaluated turns' });
    expect([await progress.getAttribute('value'), await progress.getAttribute('max')]).toEqual(['1', '3']);
    await open.page.getByText('1 of 3 turns').waitFor();
    const waiting = open.page.getByText('Evaluating this turn…');
    await waiting.nth(1).waitFor();
    expect(await waiting.count()).toBe(2);
    await open.page.getByRole('button', { name: 'Stop Evaluation' }).click();
    expect(await open.asked()).toEqual([{ method: stopEvaluation.method, params: {} }]);
  });

  it('shows arriving results in place, keeps the focus, and announces the end', async () => {
    await using open = await app.open(recording(going));
    await open.page.getByText('Answer 1', { exact: true }).waitFor();
    await open.page.getByRole('button', { name: 'Copy turn 1 as Markdown' }).focus();
    const top = () => open.page.getByRole('heading', { name: 'Turn 1' }).boundingBox();
    const before = await top();
    await open.change(recording(sampleReport([turn(0), failingTurn(1), turn(2)])), [1, 2]);
    await open.page.getByText('Answer 3').waitFor();
    await open.page.getByRole('button', { name: 'Evaluate Again' }).waitFor();
    expect(await top()).toEqual(before);
    expect(await open.page.locator(':focus').getAttribute('aria-label')).toBe('Copy turn 1 as Markdown');
    await open.page.getByRole('status').getByText('Evaluation finished. 1 problems').waitFor();
  });

  it('marks stale results, which can be evaluated again', async () => {
    await using open = await app.open(recording(sampleReport([turn(0)], { state: 'stale', changed: 'configuration' })));
    await open.page.getByText('Outdated: the configuration changed').waitFor();
    await open.page.getByRole('button', { name: 'Evaluate Again' }).click();
    expect(await open.asked()).toEqual([{ method: reevaluate.method, params: { session } }]);
  });
});

describe('the Run tab', () => {
  it('says what the session was evaluated with, how it ended, and what was reported about its files', async () => {
    const run = {
      ...RUN_DETAILS,
      configurations: [{ name: 'turnwise.config.json', target: target('') }],
      companions: [{ name: 'made.turnwise.json', target: target('') }],
      agentVersion: 'v7',
      tools: ['get_order', 'refund_order'],
      outcome: { status: 'failed', source: 'recorded', reason: 'reward 0.0 in the trace', disagrees: ['judge'] },
      warnings: [{ severity: 'warning', message: 'Span skipped: it is not an object.', line: 12 }],
    };
    const more = [{ method: sessionRun.method, params: { session }, result: { run } }];
    await using open = await app.open(recording(sampleReport([turn(0)], {}, more)));
    const { page } = open;
    await page.getByRole('tab', { name: 'Run' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Run' });
    await panel.getByRole('button', { name: 'turnwise.config.json' }).waitFor();
    await panel.getByRole('button', { name: 'made.turnwise.json' }).waitFor();
    await panel.getByText('v7').waitFor();
    await panel.getByRole('region', { name: 'Available tools' }).getByText('refund_order').waitFor();
    const outcome = panel.getByRole('region', { name: 'Outcome' });
    expect(await outcome.textContent()).toContain('Failed recorded in the trace');
    expect(await outcome.textContent()).toContain('Otherwise: by the judge');
    expect(await panel.getByRole('region', { name: 'Warnings' }).textContent()).toContain('line 12');
  });

  it('names the number of turns in a call only where it is not one', async () => {
    for (const [turnsPerCall, shown] of [
      [1, 0],
      [2, 1],
    ] as const) {
      const run = { ...RUN_DETAILS, turnsPerCall };
      const more = [{ method: sessionRun.method, params: { session }, result: { run } }];
      await using open = await app.open(recording(sampleReport([turn(0)], { judges: ['openai/gpt-5-mini'] }, more)));
      await open.page.getByRole('tab', { name: 'Run' }).click();
      const panel = open.page.getByRole('tabpanel', { name: 'Run' });
      await panel.getByText('questions per call').waitFor();
      expect(await panel.getByText('turns per call').count()).toBe(shown);
    }
  });
});
