import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { debuggerNeeded, scenarioProgress, scenarioResultsChanged } from '../../../../src/protocol/scenarios.ts';
import { githubToken } from '../../../support/github-token.ts';
import { CancellationTokenSource, changes, fake, TestRunRequest, Uri } from './fake-testing.ts';
import { attempt, attemptMessage, fileUri, scenarioResult, scenarioRow } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { testExplorer } = await import('./test-explorer.ts');

const REFUND = fileUri('refund.sim.ts');
const DELIVERY = fileUri('delivery.scenario.yaml');
const TWO_FILES = {
  [REFUND]: [scenarioRow('refund an order', 2), scenarioRow('refuse a refund', 9)],
  [DELIVERY]: [scenarioRow('find an order')],
};

beforeEach(() => {
  vi.useFakeTimers();
  fake.reset();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = (ms = 2000) => vi.advanceTimersByTimeAsync(ms);

/** With all files found and all scenarios shown. */
async function shown(options: Parameters<typeof testExplorer>[0]) {
  const explorer = testExplorer(options);
  await explorer.controller.resolveHandler?.(undefined);
  const resolved = explorer.controller.items.all.map((item) => explorer.controller.resolveHandler?.(item));
  await settle();
  await Promise.all(resolved);
  return explorer;
}

describe('the tree of scenarios', () => {
  it('searches nothing and asks no server before it is shown', async () => {
    const { requests } = testExplorer({ scenarios: TWO_FILES });
    await settle();
    expect(fake.searches).toBe(0);
    expect(requests).toEqual([]);
  });

  it('lists files at first, and the scenarios of a file when it is opened', async () => {
    const { controller, outline, item, requests } = testExplorer({ scenarios: TWO_FILES });
    await controller.resolveHandler?.(undefined);
    expect(outline()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts']);
    expect(requests).not.toContain('turnwise/scenarios');
    const resolved = controller.resolveHandler?.(item('refund.sim.ts'));
    await settle();
    await resolved;
    expect(outline()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts', '  refund an order', '  refuse a refund']);
    expect(item('refuse a refund').range?.start).toEqual({ line: 9, character: 0 });
  });

  it('adds the files that only a configuration names, and asks no server where there is no configuration', async () => {
    const named = fileUri('tests/orders.ts');
    const configured = [named, REFUND];
    const { controller, outline, requests } = testExplorer({ scenarios: TWO_FILES, configured });
    await controller.resolveHandler?.(undefined);
    await settle();
    expect(requests).not.toContain('turnwise/scenarios/files');
    fake.files.push(fileUri('turnwise.config.yaml'));
    await controller.refreshHandler?.(new CancellationTokenSource().token);
    await settle();
    expect(outline().sort()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts', 'tests/orders.ts']);
    fake.files.splice(fake.files.indexOf(REFUND), 1);
    configured.splice(0, 2, fileUri('tests/returns.ts'));
    await controller.refreshHandler?.(new CancellationTokenSource().token);
    await settle();
    expect(outline().sort()).toEqual(['delivery.scenario.yaml', 'tests/returns.ts']);
  });

  it('shows the scenarios of a file that is opened in an editor before anything was searched', async () => {
    const { outline } = testExplorer({ scenarios: TWO_FILES });
    fake.open(REFUND);
    fake.open(fileUri('notes.md'));
    await settle();
    expect(fake.searches).toBe(0);
    expect(outline()).toEqual(['refund.sim.ts', '  refund an order', '  refuse a refund']);
  });

  it('follows what is typed, after a pause, and sends the text', async () => {
    const scenarios = { ...TWO_FILES };
    const { outline, texts, item } = await shown({ scenarios });
    const before = item('refuse a refund');
    const document = fake.open(REFUND, 'the new text');
    scenarios[REFUND] = [scenarioRow('refund two orders', 2), scenarioRow('refuse a refund', 12)];
    document.isDirty = true;
    texts.length = 0;
    for (let key = 0; key < 10; key += 1) {
      fake.edited.fire({ document });
      await settle(100);
    }
    expect(texts).toEqual([]);
    await settle();
    expect(texts).toEqual(['the new text']);
    expect(outline()).toContain('  refund two orders');
    expect(outline()).not.toContain('  refund an order');
    expect(item('refuse a refund')).toBe(before);
    expect(before.range?.start.line).toBe(12);
  });

  it('follows files that are created, changed and deleted on disk', async () => {
    const scenarios: Record<string, ReturnType<typeof scenarioRow>[]> = { [REFUND]: [scenarioRow('refund an order')] };
    const { outline } = await shown({ scenarios });
    scenarios[DELIVERY] = [scenarioRow('find an order')];
    fake.created.fire(Uri.parse(DELIVERY));
    scenarios[REFUND] = [scenarioRow('cancel an order')];
    fake.changed.fire(Uri.parse(REFUND));
    await settle();
    expect(outline()).toEqual(['refund.sim.ts', '  cancel an order', 'delivery.scenario.yaml']);
    fake.deleted.fire(Uri.parse(REFUND));
    await settle();
    expect(outline()).toEqual(['delivery.scenario.yaml']);
  });

  it('removes the files of a folder that is deleted, and no others', async () => {
    const inside = fileUri('tests/a.sim.ts');
    const { outline } = await shown({ scenarios: { [inside]: [], [fileUri('tests.sim.ts')]: [] } });
    fake.deleted.fire(Uri.parse(fileUri('tests')));
    await settle();
    expect(outline()).toEqual(['tests.sim.ts']);
  });

  it('shows names of hostile files as plain text on one line', async () => {
    const { outline } = await shown({
      scenarios: { [REFUND]: [scenarioRow('a\0b $(error) \n c'), scenarioRow('\n')] },
    });
    expect(outline()).toEqual(['refund.sim.ts', '  ab $ (error) c', '  "\\n"']);
  });

  it('shows 5,000 scenarios with three attempts each in at most 20 updates a second', async () => {
    const scenarios: Record<string, ReturnType<typeof scenarioRow>[]> = {};
    for (let file = 0; file < 500; file += 1) {
      scenarios[fileUri(`${file}.sim.ts`)] = Array.from({ length: 10 }, (_, nth) =>
        scenarioRow(`scenario ${nth}`, nth),
      );
    }
    const results = Object.entries(scenarios).flatMap(([uri, rows]) =>
      rows.map(({ name }) =>
        scenarioResult(uri, name ?? '', [attempt('passed'), attempt('passed'), attempt('failed')]),
      ),
    );
    const { start, lastRun, controller } = await shown({ scenarios, run: () => ({ results }) });
    const startedAt = performance.now();
    const run = start('Run');
    await settle(10_000);
    await run;
    expect(lastRun().events.filter((event) => /^(passed|failed)/.test(event))).toHaveLength(5000 * 4);
    expect(controller.items.all[0]?.children.all[0]?.children.size).toBe(3);
    const times = [...new Set(changes.filter((time) => time >= startedAt))].sort((a, b) => a - b);
    for (const [nth, time] of times.entries())
      expect((times[nth + 20] ?? Infinity) - time).toBeGreaterThanOrEqual(1000);
  });
});

describe('a run', () => {
  const failed = attempt('failed', {
    messages: [
      attemptMessage('Turn 2 must call refund_order.\nExpected: refund_order\nDone: cancel_order\ntrace.json:12', {
        expected: 'refund_order',
        actual: 'cancel_order',
      }),
      attemptMessage('The answer must contain "refunded".'),
    ],
  });

  it('runs all files, and reports passed, failed, undecided as an error, and what cannot be replayed as skipped', async () => {
    const notRun = attempt('undecided', { headline: { kind: 'not-run', text: 'Nothing is recorded.', turn: null } });
    const { start, runs, lastRun } = await shown({
      scenarios: { [REFUND]: ['a', 'b', 'c', 'd'].map((name) => scenarioRow(name)) },
      run: () => ({
        results: [
          scenarioResult(REFUND, 'a', [attempt('passed')]),
          scenarioResult(REFUND, 'b', [failed]),
          scenarioResult(REFUND, 'c', [attempt('undecided')]),
          scenarioResult(REFUND, 'd', [notRun]),
        ],
      }),
    });
    const run = start('Run');
    await settle();
    await run;
    expect(runs.map(({ files }) => files)).toEqual([[{ uri: REFUND }]]);
    expect(['a', 'b', 'c', 'd'].map((name) => lastRun().stateOf(name))).toEqual([
      'passed',
      'failed',
      'errored',
      'skipped',
    ]);
    expect(lastRun().durations.get('a')).toBe(10);
    expect(lastRun().isOver).toBe(true);
    expect(
      lastRun()
        .messages.get('c')
        ?.map(({ message }) => message),
    ).toEqual(['It undecided.']);
  });

  it('gives what can be compared as a comparison and as a text with all of it, with the location in the scenario', async () => {
    const { start, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: () => ({ results: [scenarioResult(REFUND, 'refund an order', [failed])] }),
    });
    const run = start('Run');
    await settle();
    await run;
    const [comparison, text, other, ...rest] = lastRun().messages.get('refund an order') ?? [];
    expect(comparison).toMatchObject({
      message: 'Turn 2 must call refund_order.',
      expectedOutput: 'refund_order',
      actualOutput: 'cancel_order',
    });
    expect(text?.message).toBe(failed.messages[0]?.text);
    expect(text?.expectedOutput).toBeUndefined();
    expect(other).toMatchObject({ message: 'The answer must contain "refunded".' });
    expect(other?.expectedOutput).toBeUndefined();
    expect(rest).toEqual([]);
    for (const message of [comparison, text, other]) {
      expect(message?.location?.uri.toString()).toBe(REFUND);
      expect(message?.contextValue).toBe('turnwise.attempt');
    }
  });

  it('shows attempts below their scenario, which the next run replaces', async () => {
    const results = [scenarioResult(REFUND, 'refund an order', [attempt('passed'), failed, attempt('passed')])];
    const { start, lastRun, outline, item } = await shown({ scenarios: TWO_FILES, run: () => ({ results }) });
    const run = start('Run', [item('refund an order')]);
    await settle();
    await run;
    expect(outline().slice(2)).toEqual([
      'refund.sim.ts',
      '  refund an order (2/3 · 1.2K tokens)',
      '    Attempt 1 (It passed. · 2 turns · 400 tokens)',
      '    Attempt 2 (It failed. · 2 turns · 400 tokens)',
      '    Attempt 3 (It passed. · 2 turns · 400 tokens)',
      '  refuse a refund',
    ]);
    expect(lastRun().stateOf('refund an order')).toBe('failed');
    expect(
      lastRun()
        .messages.get('refund an order')
        ?.map(({ message }) => message),
    ).toEqual(['2 of 3 succeeded']);
    expect(lastRun().stateOf('Attempt 2')).toBe('failed');
    expect(lastRun().messages.get('Attempt 2')).toHaveLength(3);
    results[0] = scenarioResult(REFUND, 'refund an order', [attempt('passed')], {
      finishedAt: '2026-01-02T00:00:00.000Z',
    });
    const again = start('Run', [item('Attempt 2')]);
    await settle();
    await again;
    expect(outline().slice(3)).toEqual(['  refund an order (1/1 · 400 tokens)', '  refuse a refund']);
  });

  it('does not show a scenario that passed as failed because of one attempt', async () => {
    const result = scenarioResult(REFUND, 'refund an order', [attempt('passed'), failed], { verdict: 'passed' });
    const { start, lastRun, item } = await shown({ scenarios: TWO_FILES, run: () => ({ results: [result] }) });
    const run = start('Run');
    await settle();
    await run;
    expect(lastRun().stateOf('refund an order')).toBe('passed');
    expect(lastRun().stateOf('Attempt 1')).toBe('passed');
    expect(lastRun().stateOf('Attempt 2')).toBeUndefined();
    expect(item('Attempt 2').description).toMatch(/^It failed\./);
  });

  it('runs what is included without what is excluded; an attempt stands for its scenario', async () => {
    const results = [scenarioResult(REFUND, 'refund an order', [attempt('passed'), attempt('failed')])];
    const { start, runs, item } = await shown({ scenarios: TWO_FILES, run: () => ({ results }) });
    const selections = [
      start('Run', [item('refund.sim.ts')], [item('refuse a refund')]),
      start('Run', undefined, [item('delivery.scenario.yaml')]),
      start('Run', [item('refuse a refund'), item('find an order')]),
    ];
    await settle();
    await Promise.all(selections);
    const attempts = start('Run', [item('Attempt 1'), item('Attempt 2')]);
    await settle();
    await attempts;
    expect(runs.map(({ files }) => files)).toEqual([
      [{ uri: REFUND, names: ['refund an order'] }],
      [{ uri: REFUND }],
      [
        { uri: REFUND, names: ['refuse a refund'] },
        { uri: DELIVERY, names: ['find an order'] },
      ],
      [{ uri: REFUND, names: ['refund an order'] }],
    ]);
  });

  it('finds the files first when a coding agent runs all tests before the Test Explorer was shown', async () => {
    const { start, lastRun } = testExplorer({
      scenarios: TWO_FILES,
      run: () => ({ results: [scenarioResult(REFUND, 'refund an order', [attempt('passed')])] }),
    });
    const run = start('Run');
    await settle();
    await run;
    expect(lastRun().stateOf('refund an order')).toBe('passed');
  });

  it('shows phases while it goes on, and what the code of the user printed', async () => {
    const gate = Promise.withResolvers<void>();
    const { start, lastRun, runs, notify } = await shown({
      scenarios: TWO_FILES,
      run: async () => {
        await gate.promise;
        const result = scenarioResult(REFUND, 'refund an order', [attempt('passed', { output: 'looked up\nA-1001' })]);
        return { results: [result] };
      },
    });
    const run = start('Run');
    await settle();
    expect(lastRun().stateOf('refund an order')).toBe('enqueued');
    const at = { uri: REFUND, name: 'refund an order', trial: 1, agent: 'shop' };
    const progress = { run: runs[0]?.run ?? '', done: 0, of: 3, output: '' };
    notify(scenarioProgress, { ...progress, attempts: [{ ...at, phase: 'simulating' }], output: 'loaded\n' });
    notify(scenarioProgress, { ...progress, attempts: [{ ...at, phase: 'evaluating' }] });
    notify(scenarioProgress, { ...progress, run: 'another', attempts: [], output: 'of another run' });
    await settle();
    expect(lastRun().stateOf('refund an order')).toBe('started');
    gate.resolve();
    await settle();
    await run;
    expect(lastRun().output.split('\r\n')).toEqual([
      'loaded',
      '0 of 3 attempts finished · 1 simulating',
      '0 of 3 attempts finished · 1 evaluating',
      'looked up',
      'A-1001',
      '',
    ]);
  });

  it('shows results of scenarios that have finished before the others', async () => {
    const { start, lastRun, runs, notify } = await shown({
      scenarios: TWO_FILES,
      run: () => new Promise(() => {}),
    });
    void start('Run');
    await settle();
    const results = [scenarioResult(REFUND, 'refund an order', [attempt('passed')])];
    notify(scenarioProgress, { run: runs[0]?.run ?? '', attempts: [], done: 1, of: 3, output: '', results });
    await settle(100);
    expect(lastRun().stateOf('refund an order')).toBe('passed');
    expect(lastRun().isOver).toBe(false);
  });

  it('ends within a second of Stop, also when the server does not answer, and leaves the rest without results', async () => {
    const { start, lastRun, runs, notify } = await shown({
      scenarios: TWO_FILES,
      run: () => new Promise(() => {}),
    });
    const run = start('Run');
    await settle();
    lastRun().stop();
    await settle(1000);
    await run;
    expect(lastRun().isOver).toBe(true);
    expect(lastRun().events.filter((event) => !event.startsWith('enqueued'))).toEqual([]);
    const late = [scenarioResult(REFUND, 'refund an order', [attempt('passed')])];
    notify(scenarioProgress, { run: runs[0]?.run ?? '', attempts: [], done: 1, of: 1, output: 'late', results: late });
    await settle();
    expect(lastRun().output).toBe('');
  });

  it('keeps the attempts that were finished when it was stopped', async () => {
    const { start, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: () => ({ complete: false, results: [scenarioResult(REFUND, 'refund an order', [attempt('passed')])] }),
    });
    const run = start('Run');
    await settle(1);
    lastRun().stop();
    await settle();
    await run;
    expect(lastRun().stateOf('refund an order')).toBe('passed');
    expect(lastRun().stateOf('find an order')).toBe('enqueued');
  });

  it('reports what is wrong with a file as errors of its scenarios, at its line', async () => {
    const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 9 } };
    const problem = {
      severity: 'error' as const,
      message: 'The agent "shop" is not configured.',
      location: { uri: REFUND, range },
    };
    const { start, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: () => ({ problems: [problem], results: [scenarioResult(DELIVERY, 'find an order', [attempt('passed')])] }),
    });
    const run = start('Run');
    await settle();
    await run;
    expect(lastRun().stateOf('refund an order')).toBe('errored');
    expect(lastRun().stateOf('refuse a refund')).toBe('errored');
    expect(lastRun().stateOf('find an order')).toBe('passed');
    expect(lastRun().messages.get('refund an order')?.[0]).toMatchObject({ message: problem.message });
    expect(lastRun().output).toContain('error: /workspace/refund.sim.ts:5: The agent "shop" is not configured.');
  });

  it('reports a problem of the configuration as an error of all scenarios', async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const location = { uri: fileUri('turnwise.config.yaml'), range };
    const { start, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: () => ({ problems: [{ severity: 'error', message: 'simulation: Unknown key.', location }] }),
    });
    const run = start('Run');
    await settle();
    await run;
    expect(lastRun().stateOf('refund an order')).toBe('errored');
    expect(lastRun().stateOf('find an order')).toBe('errored');
  });

  it('reports a failed request as an error of each scenario', async () => {
    const { start, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: () => {
        throw new Error('Trust this workspace to run its scenarios.');
      },
    });
    const run = start('Run');
    await settle();
    await run;
    expect(lastRun().stateOf('find an order')).toBe('errored');
    expect(lastRun().messages.get('find an order')?.[0]?.message).toBe('Trust this workspace to run its scenarios.');
  });

  it('redacts secrets and control characters in messages and output', async () => {
    const key = githubToken(1);
    const messages = [attemptMessage(`\u001b[31mIt said ${key}.`, { expected: 'nothing', actual: key })];
    const { start, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: () => ({
        results: [scenarioResult(REFUND, 'refund an order', [attempt('failed', { messages, output: key })])],
      }),
    });
    const run = start('Run');
    await settle();
    await run;
    const told = JSON.stringify([lastRun().messages.get('refund an order'), lastRun().output]);
    expect(told).not.toContain(key.slice(8));
    expect(told).not.toContain('[31m');
    expect(told).toContain('It said ');
  });

  it('shows scenarios with computed names when a run reports them, and keeps them while the file is typed', async () => {
    const scenarios = { [REFUND]: [scenarioRow(null, 7)] };
    const { start, outline, item } = await shown({
      scenarios,
      run: () => ({ results: [scenarioResult(REFUND, 'refund A-1', [attempt('passed')])] }),
    });
    expect(outline()).toEqual(['refund.sim.ts']);
    const run = start('Run');
    await settle();
    await run;
    expect(outline()).toEqual(['refund.sim.ts', '  refund A-1 (1/1 · 400 tokens)']);
    expect(item('refund A-1').range?.start.line).toBe(7);
    fake.changed.fire(Uri.parse(REFUND));
    await settle();
    expect(outline()).toContain('  refund A-1 (1/1 · 400 tokens)');
    scenarios[REFUND] = [scenarioRow('refund an order')];
    fake.changed.fire(Uri.parse(REFUND));
    await settle();
    expect(outline()).toEqual(['refund.sim.ts', '  refund an order']);
  });
});

describe('a profile', () => {
  it('Run is the default, and runs files again when they or their configuration change', async () => {
    const { controller, runs, item } = await shown({ scenarios: TWO_FILES });
    const stop = new CancellationTokenSource();
    const profile = controller.profiles.find(({ label }) => label === 'Run');
    expect(profile).toMatchObject({ isDefault: true, supportsContinuousRun: true });
    expect(controller.profiles.filter(({ isDefault, kind }) => isDefault && kind === 1)).toHaveLength(1);
    const going = profile?.run(new TestRunRequest([item('refund.sim.ts')], [], profile, true), stop.token);
    await settle();
    expect(runs).toEqual([]);
    for (const uri of [REFUND, REFUND, DELIVERY]) fake.changed.fire(Uri.parse(uri));
    await settle();
    expect(runs.map(({ files }) => files)).toEqual([[{ uri: REFUND }]]);
    fake.changed.fire(Uri.parse(fileUri('turnwise.config.yaml')));
    await settle();
    expect(runs.map(({ files }) => files)).toEqual([[{ uri: REFUND }], [{ uri: REFUND }]]);
    fake.changed.fire(Uri.parse(fileUri('elsewhere/turnwise.config.yaml')));
    await settle();
    expect(runs).toHaveLength(2);
    stop.cancel();
    await going;
    fake.changed.fire(Uri.parse(REFUND));
    await settle();
    expect(runs).toHaveLength(2);
    expect(new Set(controller.runs.map(({ request }) => request)).size).toBe(1);
  });

  it('Replay asks for recorded answers', async () => {
    const { start, runs } = await shown({ scenarios: TWO_FILES });
    const run = start('Replay');
    await settle();
    await run;
    expect(runs[0]).toMatchObject({ isReplay: true });
  });

  it('Tool Coverage draws tools as declarations and what calls can have as branches, and says what is not measured', async () => {
    const at = { start: { line: 4, character: 2 }, end: { line: 4, character: 14 } };
    const parts = [
      { label: 'reason: "lost"', times: 1 },
      { label: 'an error as the result', times: 0 },
    ];
    const tools = [{ name: 'cancel_order', range: at, calls: 2, parts }];
    const { start, lastRun, controller } = await shown({
      scenarios: TWO_FILES,
      coverage: { files: [{ uri: REFUND, tools }], notMeasured: ['Clauses of the policy are not measured.'] },
    });
    const run = start('Tool Coverage');
    await settle();
    await run;
    const [file] = lastRun().coverage;
    expect(String(file?.uri)).toBe(REFUND);
    expect(lastRun().output).toContain('Clauses of the policy are not measured.');
    const profile = controller.profiles.find(({ label }) => label === 'Tool Coverage');
    expect(profile).toMatchObject({ kind: 3, isDefault: true });
    expect(file && (await profile?.loadDetailedCoverage?.(lastRun(), file))).toMatchObject([
      { name: 'cancel_order', executed: 2, location: at },
      {
        executed: 2,
        branches: [
          { executed: 1, label: 'reason: "lost"' },
          { executed: 0, label: 'an error as the result' },
        ],
      },
    ]);
  });

  it('Debug runs one file after the other, attaches the debugger, and ends its session', async () => {
    const gates: PromiseWithResolvers<void>[] = [];
    const { start, runs, notify, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: async () => {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
        return {};
      },
    });
    const run = start('Debug');
    await settle();
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ isDebug: true, files: [{ uri: DELIVERY }] });
    notify(debuggerNeeded, { run: runs[0]?.run ?? '', port: 9229 });
    notify(debuggerNeeded, { run: 'another', port: 9230 });
    await settle();
    expect(fake.debugged).toHaveLength(1);
    expect(fake.debugged[0]).toMatchObject({ configuration: { type: 'node', request: 'attach', port: 9229 } });
    expect(fake.debugged[0]?.run).toBe(lastRun());
    gates[0]?.resolve();
    await settle();
    expect(runs[1]).toMatchObject({ isDebug: true, files: [{ uri: REFUND }] });
    gates[1]?.resolve();
    await settle();
    await run;
    expect(fake.stoppedSessions).toEqual(['session 1']);
  });

  it('Compare Agents lets the user pick agents, marks the attempts of each, and opens the overview of the run', async () => {
    const uri = fileUri('.turnwise/runs/1/refund.session.json');
    const attempts = [attempt('passed', { agent: 'shop', uri }), attempt('failed', { agent: 'hasty', uri })];
    const { start, runs, overviews, item, outline } = await shown({
      scenarios: TWO_FILES,
      agents: ['shop', 'hasty', 'slow'],
      run: () => ({ results: [scenarioResult(REFUND, 'refund an order', attempts)] }),
    });
    fake.quickPick = (items) => items.slice(0, 2);
    const run = start('Compare Agents…', [item('refund an order')]);
    await settle();
    await run;
    expect(runs[0]).toMatchObject({ agents: ['shop', 'hasty'] });
    expect(overviews).toEqual([fileUri('.turnwise/runs/1')]);
    expect(outline().map((line) => line.replace(/ \(.*/, ''))).toContain('    Attempt 2 · hasty');
    expect(item('refund an order').tags.map(({ id }) => id)).toEqual(['shop', 'hasty']);
    fake.quickPick = (items) => items.slice(0, 1);
    const one = start('Compare Agents…', [item('refund an order')]);
    await settle();
    await one;
    expect(runs).toHaveLength(1);
  });
});

describe('results of other runs', () => {
  it('appear as a run without focus that the editor does not store', async () => {
    const { stored, notify, controller, lastRun, item } = await shown({ scenarios: TWO_FILES });
    expect(controller.runs).toHaveLength(0);
    stored.push(scenarioResult(REFUND, 'refund an order', [attempt('failed')]));
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(controller.runs).toHaveLength(1);
    expect(lastRun()).toMatchObject({ isPersisted: false, isOver: true, name: 'Recorded Results' });
    expect(lastRun().request).toMatchObject({ preserveFocus: true, include: [item('refund an order')] });
    expect(lastRun().stateOf('refund an order')).toBe('failed');
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(controller.runs).toHaveLength(1);
  });

  it('wait while a requested run goes on, and repeat nothing that it reported', async () => {
    const gate = Promise.withResolvers<void>();
    const own = scenarioResult(REFUND, 'refund an order', [attempt('passed')]);
    const { stored, start, notify, controller, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: async () => {
        await gate.promise;
        return { results: [own] };
      },
    });
    const run = start('Run');
    await settle();
    stored.push(own, scenarioResult(DELIVERY, 'find an order', [attempt('passed')]));
    notify(scenarioResultsChanged, { uris: [REFUND, DELIVERY] });
    await settle();
    expect(controller.runs).toHaveLength(1);
    gate.resolve();
    await settle();
    await run;
    await settle();
    expect(controller.runs).toHaveLength(2);
    expect(lastRun().events).toEqual(['passed find an order']);
  });

  it('are marked as outdated when their file has changed', async () => {
    const { stored, notify, controller, item } = await shown({ scenarios: TWO_FILES });
    const result = scenarioResult(REFUND, 'refund an order', [attempt('passed')], { allPass: { k: 2, value: 1 / 3 } });
    stored.push(result);
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(item('refund an order').description).toBe('1/1 · pass^2 0.33 · 400 tokens');
    stored[0] = { ...result, isStale: true };
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(item('refund an order').description).toBe('1/1 · pass^2 0.33 · 400 tokens · outdated');
    expect(controller.invalidated).toEqual(['refund an order']);
    expect(controller.runs).toHaveLength(1);
  });
});
