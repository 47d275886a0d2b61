import { describe, expect, it, vi } from 'vitest';
import { debuggerNeeded } from '../../../../src/protocol/scenarios.ts';
import { CancellationTokenSource, fake, TestRunRequest, Uri } from './fake-testing.ts';
import { attempt, fileUri, scenarioResult } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { DELIVERY, REFUND, settle, shown, TWO_FILES, useFakeEditor } = await import('./test-explorer.ts');

useFakeEditor();

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
