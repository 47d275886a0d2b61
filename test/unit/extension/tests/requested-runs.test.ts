import { describe, expect, it, vi } from 'vitest';
import { scenarioProgress } from '../../../../src/protocol/scenarios.ts';
import { githubToken } from '../../../support/github-token.ts';
import { fake, Uri } from './fake-testing.ts';
import { attempt, attemptMessage, fileUri, scenarioResult, scenarioRow } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { DELIVERY, REFUND, settle, shown, testExplorer, TWO_FILES, useFakeEditor } = await import('./test-explorer.ts');

useFakeEditor();

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
