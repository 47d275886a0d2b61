import { describe, expect, it, vi } from 'vitest';
import { debuggerNeeded } from '../../../../src/protocol/scenarios.ts';
import { fake } from './fake-testing.ts';
import { fileUri, scenarioRow } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { settle, testExplorer, useFakeEditor } = await import('./test-explorer.ts');

useFakeEditor();

/** A debug run of two files, whose requests end one by one. */
async function debugging() {
  const requests: PromiseWithResolvers<void>[] = [];
  const explorer = testExplorer({
    scenarios: { [fileUri('a.sim.ts')]: [scenarioRow('a')], [fileUri('b.sim.ts')]: [scenarioRow('b')] },
    run: async () => {
      const request = Promise.withResolvers<void>();
      requests.push(request);
      await request.promise;
      return {};
    },
  });
  await explorer.controller.resolveHandler?.(undefined);
  const run = explorer.start('Debug');
  await settle();
  return {
    ...explorer,
    run,
    needDebugger: () => explorer.notify(debuggerNeeded, { run: explorer.runs.at(-1)?.run ?? '', port: 9229 }),
    async endRequest() {
      requests.at(-1)?.resolve();
      await settle();
    },
  };
}

describe('a debug session', () => {
  it('ends with the request that it debugs, before the next file is debugged', async () => {
    const { needDebugger, endRequest, runs } = await debugging();
    needDebugger();
    await settle();
    expect(fake.stoppedSessions).toEqual([]);
    await endRequest();
    expect(runs).toHaveLength(2);
    expect(fake.stoppedSessions).toEqual(['session 1']);
    needDebugger();
    await settle();
    await endRequest();
    expect(fake.stoppedSessions).toEqual(['session 1', 'session 2']);
  });

  it('ends at once where the run has ended before the debugger was attached', async () => {
    const { needDebugger, endRequest, run } = await debugging();
    await endRequest();
    const attached = Promise.withResolvers<void>();
    fake.attaching = attached.promise;
    needDebugger();
    await settle();
    await endRequest();
    await run;
    expect(fake.stoppedSessions).toEqual([]);
    attached.resolve();
    await settle();
    expect(fake.stoppedSessions).toEqual(['session 1']);
  });

  it('ends when the run is stopped, also while the server does not answer', async () => {
    const { needDebugger, lastRun, run } = await debugging();
    needDebugger();
    await settle();
    lastRun().stop();
    await settle(1000);
    await run;
    expect(fake.stoppedSessions).toEqual(['session 1']);
  });

  it('gives up to connect to a process that has ended, long before 15 seconds', async () => {
    const { needDebugger } = await debugging();
    needDebugger();
    await settle();
    expect(fake.debugged[0]?.configuration).toMatchObject({ timeout: 3000, continueOnAttach: true });
  });
});
