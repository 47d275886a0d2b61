import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { type CancellationToken, onNotification, sendRequest } from '../../../src/protocol/rpc.ts';
import {
  type RunningScenario,
  runScenarios,
  type ScenarioRunParams,
  scenarioProgress,
  scenarioResults,
  scenarioResultsChanged,
} from '../../../src/protocol/scenarios.ts';
import type { RunStore } from '../../../src/runs/run-store.ts';
import { createEvaluateFiles } from '../../../src/server/features/model-requests.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { startSampleAgent } from '../../support/sample-agent.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ConnectedEditor } from '../connected-editor.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', '..', 'samples', 'agent', 'refund.sim.ts');

export const FILE = 'refund.sim.ts';
export const REFUND = 'refund a delivered order';

/** An editor on a project with the example scenarios, and the example agent. */
export class Shop implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  project = '';
  endpoint = '';
  store!: RunStore;
  editor!: ConnectedEditor;
  readonly progress: { readonly phase: string; readonly trial: number }[] = [];
  /** What was shown last of each scenario while it ran, by name. */
  readonly running = new Map<string, RunningScenario>();
  readonly changed: (readonly string[])[] = [];
  output = '';

  static async open(
    files: Readonly<Record<string, string>> = {},
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Shop> {
    const shop = new Shop();
    const stack = shop.#stack;
    shop.endpoint = stack.use(await startSampleAgent()).endpoint;
    const home = stack.use(await temporaryFolder()).path;
    const sample = await readFile(SAMPLE, 'utf8');
    shop.project = stack.use(await temporaryFolder({ '.git/HEAD': '', [FILE]: sample, ...files })).path;
    if (!('turnwise.config.json' in files)) await shop.configure();
    shop.store = stack.use(openRunStore(home, { cwd: shop.project, warn: (sentence) => expect.fail(sentence) }));
    await shop.connect(options);
    return shop;
  }

  /** Connects another editor: the one before it is closed. */
  async connect(options: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.editor?.[Symbol.asyncDispose]();
    this.editor = await ConnectedEditor.to({
      files: nodeFileSystem,
      runs: this.store,
      folders: [this.project],
      options: { trusted: true, ...options },
      evaluateFiles: { create: (context) => createEvaluateFiles(context, evaluateFiles, {}, this.store) },
    });
    onNotification(this.editor.connection, scenarioProgress, ({ attempts, output, results = [] }) => {
      this.progress.push(...attempts);
      for (const result of results) this.running.set(result.name, result);
      this.output += output;
    });
    onNotification(this.editor.connection, scenarioResultsChanged, ({ uris }) => void this.changed.push(uris));
  }

  /** Writes a configuration with the agent, and perhaps a fault of it. */
  async configure(fault?: string, simulation: object = {}): Promise<void> {
    const agent = { endpoint: this.endpoint, body: fault === undefined ? {} : { fault } };
    await this.write(
      'turnwise.config.json',
      JSON.stringify({ simulation: { agent: 'shop', agents: { shop: agent }, requestTimeoutMs: 1000, ...simulation } }),
    );
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.project, name), text);
  }

  uri(name = FILE): string {
    return pathToFileURL(join(this.project, name)).href;
  }

  run(params: Partial<ScenarioRunParams> = {}, token?: CancellationToken) {
    const files = [{ uri: this.uri(), names: [REFUND] }];
    return sendRequest(this.editor.connection, runScenarios, { run: 'r', files, ...params }, token);
  }

  async results(...names: string[]) {
    const uris = names.length === 0 ? undefined : names.map((name) => this.uri(name));
    return (await sendRequest(this.editor.connection, scenarioResults, { uris })).results;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.editor[Symbol.asyncDispose]();
    await this.#stack.disposeAsync();
  }
}
