import { describe, expect, it, vi } from 'vitest';
import { type RunningScenario, scenarioProgress } from '../../../../src/protocol/scenarios.ts';
import { changes } from './fake-testing.ts';
import { attempt, fileUri, scenarioResult, scenarioRow } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { settle, shown, useFakeEditor } = await import('./test-explorer.ts');

const REFUND = fileUri('refund.sim.ts');
const NAME = 'refund an order';

useFakeEditor();

/** A run that goes on: `tell` is what the server tells of it, `end` its answer. */
async function started(scenarios = { [REFUND]: [scenarioRow(NAME)] }) {
  const answer = Promise.withResolvers<readonly RunningScenario[]>();
  const explorer = await shown({ scenarios, run: async () => ({ results: await answer.promise }) });
  const run = explorer.start('Run');
  await settle();
  const progress = { run: explorer.runs[0]?.run ?? '', attempts: [], done: 0, of: 0, output: '' };
  return {
    ...explorer,
    tell: (...results: RunningScenario[]) => explorer.notify(scenarioProgress, { ...progress, results }),
    async end(...results: RunningScenario[]) {
      answer.resolve(results);
      await settle();
      await run;
    },
  };
}

const [PASSED, FAILED, ERRORED] = [attempt('passed'), attempt('failed'), attempt('undecided')];

describe('a scenario that runs', () => {
  it('shows each attempt when it is known, and its own state after the last one', async () => {
    const { tell, end, outline, lastRun, item } = await started();
    tell(scenarioResult(REFUND, NAME, [{ ...PASSED, output: 'looked up' }], { pending: 1 }));
    await settle(100);
    expect(outline().slice(1)).toEqual([
      `  ${NAME} (1/1 · 1 pending · 400 tokens)`,
      '    Attempt 1 (It passed. · 2 turns · 400 tokens)',
    ]);
    expect(lastRun().stateOf('Attempt 1')).toBe('passed');
    expect(lastRun().stateOf(NAME)).toBe('enqueued');
    const first = item('Attempt 1');

    const both = [{ ...PASSED, output: 'looked up' }, FAILED];
    tell(scenarioResult(REFUND, NAME, both, { pending: 0, finishedAt: '2026-01-01T00:00:01.000Z' }));
    await settle(100);
    expect(lastRun().stateOf('Attempt 2')).toBe('failed');
    expect(lastRun().stateOf(NAME)).toBe('failed');
    expect(item('Attempt 1')).toBe(first);
    expect(lastRun().isOver).toBe(false);

    await end(scenarioResult(REFUND, NAME, both, { finishedAt: '2026-01-01T00:00:02.000Z' }));
    expect(outline()[1]).toBe(`  ${NAME} (1/2 · 800 tokens)`);
    const ended = lastRun().events.filter((event) => /^(passed|failed)/.test(event));
    expect(ended).toEqual(['passed Attempt 1', `failed ${NAME}`, 'failed Attempt 2']);
    expect(lastRun().output.match(/looked up/g)).toHaveLength(1);
  });

  it('is reported again where it turns out worse at the end', async () => {
    const { tell, end, lastRun } = await started();
    tell(scenarioResult(REFUND, NAME, [PASSED]));
    await settle(100);
    expect(lastRun().stateOf(NAME)).toBe('passed');
    await end(scenarioResult(REFUND, NAME, [FAILED]));
    expect(lastRun().events.slice(-2)).toEqual([`passed ${NAME}`, `failed ${NAME}`]);
  });

  it('shows an attempt as an error only when it is known that the scenario has not failed', async () => {
    const { tell, end, lastRun } = await started();
    tell(scenarioResult(REFUND, NAME, [ERRORED], { pending: 1 }));
    await settle(100);
    expect(lastRun().stateOf('Attempt 1')).toBeUndefined();
    await end(scenarioResult(REFUND, NAME, [ERRORED, FAILED], { verdict: 'failed' }));
    expect(lastRun().stateOf('Attempt 1')).toBeUndefined();
    expect(lastRun().stateOf('Attempt 2')).toBe('failed');
    expect(lastRun().output).toContain('Attempt 1: errored: It undecided.');
  });

  it('has the tags of the agents that it names and that try it', async () => {
    const { tell, item } = await started({ [REFUND]: [{ ...scenarioRow(NAME), agent: 'shop' }] });
    expect(item(NAME).tags.map(({ id }) => id)).toEqual(['shop']);
    tell(scenarioResult(REFUND, NAME, [{ ...PASSED, agent: 'hasty' }], { pending: 1 }));
    await settle(100);
    expect(item(NAME).tags.map(({ id }) => id)).toEqual(['hasty']);
  });

  it('changes the tree at most 20 times a second, however often the server tells something', async () => {
    const names = Array.from({ length: 100 }, (_, nth) => `scenario ${nth}`);
    const { tell } = await started({ [REFUND]: names.map((name) => scenarioRow(name)) });
    const before = changes.length;
    for (let round = 0; round < 200; round += 1) {
      tell(
        ...names.map((name) => scenarioResult(REFUND, name, [attempt('passed', { tokens: round })], { pending: 1 })),
      );
      await settle(10);
    }
    const times = [...new Set(changes.slice(before))];
    expect(times.length).toBeGreaterThan(20);
    for (const [nth, time] of times.entries())
      expect((times[nth + 20] ?? Infinity) - time).toBeGreaterThanOrEqual(1000);
  });
});

describe('a request for a file and for a scenario of another one', () => {
  it('runs all of the file and this scenario, as coding agents ask for files and names', async () => {
    const other = fileUri('delivery.scenario.yaml');
    const { item, runs, start, end } = await started({
      [REFUND]: [scenarioRow(NAME), scenarioRow('refuse a refund')],
      [other]: [scenarioRow('find an order'), scenarioRow('lose an order')],
    });
    await end();
    void start('Run', [item('delivery.scenario.yaml'), item('refuse a refund'), item('find an order')]);
    await settle();
    expect(runs[1]?.files).toEqual([{ uri: other }, { uri: REFUND, names: ['refuse a refund'] }]);
  });
});
