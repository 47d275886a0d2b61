import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ScenarioTests } from '../../../../src/extension/tests/scenario-tests.ts';
import type { Tests } from '../../../support/vscode/suite.ts';
import { withTimeout } from '../../../support/vscode/timeout.ts';
import { MANY_FILES, SCENARIO_FILES, SCENARIOS_IN_FILE } from '../names.ts';
import { measureHostLoad, waitUntilIdle } from './host-load.ts';
import { record } from './record.ts';

const ALL_SCENARIOS = SCENARIO_FILES * SCENARIOS_IN_FILE;
/** A longer run is stopped: what it did until then is measured. */
const RUN_MS = 120_000;
/** Calls within this time are one update: the extension spends at most 20 ms on one, and begins one every 50 ms at most. */
const UPDATE_MS = 30;

/** A window whose folder has many scenario files. */
export const manyFilesSteps: Tests = {
  async 'the files appear'() {
    const { controller } = await tests();
    await waitUntilIdle();
    const started = performance.now();
    await vscode.commands.executeCommand('workbench.view.testing.focus');
    await until('all files', () => controller.items.size === MANY_FILES);
    const rootsFirst = performance.now() - started;
    await waitUntilIdle();
    const { token } = new vscode.CancellationTokenSource();
    const again = performance.now();
    await controller.refreshHandler?.(token);
    record({ rootsFirst, rootsAgain: performance.now() - again });
  },
};

/** A window with 5,000 scenarios, whose agent is a recording. */
export const scenarioSteps: Tests = {
  async 'the scenarios of all files appear'() {
    const { controller } = await tests();
    await vscode.commands.executeCommand('workbench.view.testing.focus');
    await until('all files', () => controller.items.size === SCENARIO_FILES);
    await waitUntilIdle();
    const files = [...controller.items].map(([, item]) => item);
    const [first, ...others] = files;
    const started = performance.now();
    await controller.resolveHandler?.(first);
    // Starts the server.
    const resolvedFirst = performance.now() - started;
    const load = await measureHostLoad(async () => {
      const began = performance.now();
      await Promise.all(others.map((item) => controller.resolveHandler?.(item)));
      return performance.now() - began;
    });
    const found = files.reduce((sum, { children }) => sum + children.size, 0);
    if (found !== ALL_SCENARIOS) throw new Error(`${found} scenarios were found.`);
    record({ resolvedFirst, resolvedAll: load.made, workResolving: load.longestWork });
  },

  async 'all of them run, three attempts each'() {
    const going = await startRun();
    const load = await measureHostLoad(async () => {
      await Promise.race([going.ended, setTimeout(RUN_MS)]);
      return performance.now() - going.startedAt;
    });
    const { outcomes, updates } = going;
    record({
      verdicts: outcomes.length,
      verdictFirst: (outcomes[0] ?? Number.NaN) - going.startedAt,
      verdictsPerSecond: outcomes.length / (load.made / 1000),
      updatesInSecond: mostInSecond(updates()),
      workRunning: load.longestWork,
    });
    if (going.isOver()) record({ runEnded: load.made });
    going.stop();
    await going.ended;
  },

  async 'a run is stopped'() {
    const going = await startRun();
    await until('a verdict', () => going.outcomes.length > 0, 60_000);
    const stoppedAt = performance.now();
    going.stop();
    await going.ended;
    record({ stopped: performance.now() - stoppedAt });
  },
};

async function tests(): Promise<Pick<ScenarioTests, 'controller' | 'profiles'>> {
  const extension = vscode.extensions.getExtension<{ readonly tests: Pick<ScenarioTests, 'controller' | 'profiles'> }>(
    'turnwise.turnwise',
  );
  if (!extension) throw new Error('The extension is not installed.');
  return (await extension.activate()).tests;
}

/** Runs everything, and notes when a scenario, which has three attempts below it, gets its outcome. */
async function startRun() {
  const { controller, profiles } = await tests();
  const outcomes: number[] = [];
  const calls: number[] = [];
  const stop = new vscode.CancellationTokenSource();
  const create = controller.createTestRun;
  controller.createTestRun = (...args) => {
    const run = create.apply(controller, args);
    for (const name of ['started', 'passed', 'failed', 'errored'] as const) {
      const real = run[name].bind(run) as (item: vscode.TestItem, ...rest: unknown[]) => void;
      const value = (item: vscode.TestItem, ...rest: unknown[]) => {
        calls.push(performance.now());
        if (name !== 'started' && item.parent?.parent === undefined) outcomes.push(performance.now());
        real(item, ...rest);
      };
      Object.defineProperty(run, name, { value });
    }
    // A run that an extension starts by itself has no Stop: its token is that of the test.
    Object.defineProperty(run, 'token', { value: stop.token });
    return run;
  };
  const [profile] = profiles;
  if (!profile) throw new Error('There is no profile.');
  let isOver = false;
  const startedAt = performance.now();
  const request = new vscode.TestRunRequest(undefined, undefined, profile);
  const ended = Promise.resolve(profile.runHandler(request, stop.token)).then(() => {
    isOver = true;
    controller.createTestRun = create;
  });
  return {
    startedAt,
    ended,
    outcomes,
    stop: () => stop.cancel(),
    isOver: () => isOver,
    updates: () => updatesOf(calls),
  };
}

/** When updates began. */
function updatesOf(calls: readonly number[]): readonly number[] {
  const updates: number[] = [];
  for (const time of calls) if (time - (updates.at(-1) ?? Number.NEGATIVE_INFINITY) > UPDATE_MS) updates.push(time);
  return updates;
}

function mostInSecond(times: readonly number[]): number {
  let [most, from] = [0, 0];
  for (const [to, time] of times.entries()) {
    while (time - (times[from] ?? time) >= 1000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

async function until(what: string, isSo: () => boolean, timeout = 30_000): Promise<void> {
  const wait = async () => {
    while (!isSo()) await setTimeout(2);
  };
  await withTimeout(timeout, what, wait());
}
