import { afterEach, beforeEach, vi } from 'vitest';
import type * as z from 'zod/mini';
import type { ScenarioTests } from '../../../../src/extension/tests/scenario-tests.ts';
import type {
  ScenarioResult,
  ScenarioRow,
  ScenarioRunResult,
  scenarioCoverage,
} from '../../../../src/protocol/scenarios.ts';
import { fakeServer } from '../fake-server.ts';
import { type FakeController, type FakeItem, type FakeRun, fake, TestRunRequest } from './fake-testing.ts';
import { fileUri, scenarioRow } from './scenario-results.ts';

interface RunParams {
  readonly run: string;
  readonly files: readonly { readonly uri: string; readonly names?: readonly string[] }[];
  readonly agents?: readonly string[];
  readonly isReplay?: boolean;
  readonly isDebug?: boolean;
}

interface TestExplorerOptions {
  /** The scenarios of files, by URI. */
  readonly scenarios: Record<string, readonly ScenarioRow[]>;
  /** Answers a request to run scenarios. */
  readonly run?: (params: RunParams) => Partial<ScenarioRunResult> | Promise<Partial<ScenarioRunResult>>;
  readonly agents?: readonly string[];
  /** Files that the configuration names. */
  readonly configured?: readonly string[];
  readonly coverage?: z.infer<typeof scenarioCoverage.result>;
}

const { ScenarioTests: Tests } = await import('../../../../src/extension/tests/scenario-tests.ts');

const NO_COVERAGE = { files: [], notMeasured: [] };

/** The Test Explorer, with a server that has these files. */
export function testExplorer({
  scenarios,
  run,
  agents = [],
  configured = [],
  coverage = NO_COVERAGE,
}: TestExplorerOptions) {
  fake.files.push(...Object.keys(scenarios));
  const runs: RunParams[] = [];
  const texts: (string | undefined)[] = [];
  const stored: ScenarioResult[] = [];
  const overviews: string[] = [];
  const server = fakeServer({
    'turnwise/scenarios': (params) => {
      const { uri, text } = params as { uri: string; text?: string };
      texts.push(text);
      return { scenarios: scenarios[uri] ?? [], problems: [] };
    },
    'turnwise/scenarios/results': (params) => {
      const { uris } = params as { uris?: readonly string[] };
      return { results: stored.filter(({ uri }) => uris?.includes(uri) ?? true) };
    },
    'turnwise/scenarios/files': () => ({ uris: configured }),
    'turnwise/scenarios/agents': () => ({ agents, isScenarioFile: true }),
    'turnwise/scenarios/coverage': () => coverage,
    'turnwise/scenarios/run': async (params) => {
      runs.push(params as RunParams);
      return { complete: true, results: [], problems: [], ...(await run?.(params as RunParams)) };
    },
  });
  const log = { warn: () => {}, error: () => {}, show: () => {} };
  const options = {
    server: server.server,
    overviews: { open: (uri: string | null) => overviews.push(uri ?? '') },
    log,
  };
  const tests: ScenarioTests = new Tests(options as never);
  const controller = fake.controllers.at(-1) as FakeController;
  const find = (label: string, among: readonly FakeItem[] = controller.items.all): FakeItem | undefined => {
    for (const item of among) {
      const found = item.label === label ? item : find(label, item.children.all);
      if (found) return found;
    }
    return undefined;
  };
  return {
    ...server,
    tests,
    controller,
    runs,
    /** The texts of documents with which scenarios were requested. */
    texts,
    /** What the server has of earlier runs. */
    stored,
    overviews,
    find,
    item(label: string): FakeItem {
      const item = find(label);
      if (!item) throw new Error(`There is no item ${label}.`);
      return item;
    },
    outline: () => outline(controller.items.all),
    /** What a click on a profile of some items does. */
    start(profile: string, include?: readonly FakeItem[], exclude?: readonly FakeItem[], continuous = false) {
      const found = controller.profiles.find(({ label }) => label === profile);
      if (!found) throw new Error(`There is no profile ${profile}.`);
      const request = new TestRunRequest(include, exclude, found, continuous);
      return found.run(request, { isCancellationRequested: false, onCancellationRequested: () => {} } as never);
    },
    lastRun(): FakeRun {
      const run = controller.runs.at(-1);
      if (!run) throw new Error('There was no run.');
      return run;
    },
  };
}

export const REFUND = fileUri('refund.sim.ts');
export const DELIVERY = fileUri('delivery.scenario.yaml');
export const TWO_FILES = {
  [REFUND]: [scenarioRow('refund an order', 2), scenarioRow('refuse a refund', 9)],
  [DELIVERY]: [scenarioRow('find an order')],
};

/** Fake timers, and an editor without files, for each test of a file. */
export function useFakeEditor(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    fake.reset();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Lets timers and what waits for them go on. */
export const settle = (ms = 2000) => vi.advanceTimersByTimeAsync(ms);

/** With all files found and all scenarios shown. */
export async function shown(options: TestExplorerOptions) {
  const explorer = testExplorer(options);
  await explorer.controller.resolveHandler?.(undefined);
  const resolved = explorer.controller.items.all.map((item) => explorer.controller.resolveHandler?.(item));
  await settle();
  await Promise.all(resolved);
  return explorer;
}

/** `label (description)`, each followed by its children. */
function outline(items: readonly FakeItem[], indent = ''): string[] {
  return items.flatMap(({ label, description, children }) => [
    `${indent}${label}${description === undefined ? '' : ` (${description})`}`,
    ...outline(children.all, `${indent}  `),
  ]);
}
