import * as vscode from 'vscode';
import type * as z from 'zod/mini';
import { runScenarios, type ScenarioRunResult, scenarioProgress } from '../../protocol/scenarios.ts';
import type { LanguageServer } from '../language-server.ts';
import { RequestedRun } from './requested-run.ts';
import type { ScenarioDiscovery } from './scenario-discovery.ts';
import { type RunScope, type SelectedFile, selectScenarios } from './test-selection.ts';
import type { TestTree } from './test-tree.ts';
import type { UpdateQueue } from './update-queue.ts';

/** What the server may take to answer after Stop. Then the run ends without it. */
const STOP_MS = 500;

/** How scenarios are run. */
export type RunMode = Pick<z.infer<typeof runScenarios.params>, 'agents' | 'isReplay' | 'isDebug'>;

interface RequestedRunsOptions {
  readonly controller: Pick<vscode.TestController, 'createTestRun'>;
  readonly server: Pick<LanguageServer, 'request' | 'onNotification'>;
  readonly discovery: Pick<ScenarioDiscovery, 'resolve'>;
  readonly tree: TestTree;
  readonly queue: UpdateQueue;
}

/** A run and how it is shown. */
interface OpenRun {
  readonly run: vscode.TestRun;
  readonly view: RequestedRun;
  readonly files: readonly SelectedFile[];
  readonly mode: RunMode;
}

/** The runs that the user asked for. */
export class RequestedRuns implements vscode.Disposable {
  readonly #options: RequestedRunsOptions;
  readonly #ended = new vscode.EventEmitter<void>();
  readonly #open = new Set<OpenRun>();
  /** By the ids that the server was given. */
  readonly #requests = new Map<string, OpenRun>();

  readonly #closed = new vscode.EventEmitter<string>();

  /** The last open run has ended. */
  readonly onDidEnd = this.#ended.event;

  /** The server works for a request no longer, or nobody waits for it. Gives its id. */
  readonly onDidClose = this.#closed.event;

  constructor(options: RequestedRunsOptions) {
    this.#options = options;
    options.server.onNotification(scenarioProgress, (progress) => {
      this.#requests.get(progress.run)?.view.onProgress(progress);
    });
  }

  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** The run with an id that the server was given. */
  find(id: string): vscode.TestRun | undefined {
    return this.#requests.get(id)?.run;
  }

  /**
   * Runs the scenarios of a request, or of a part of it.
   *
   * @param onRun called before a run ends that was not stopped.
   * @returns what the server answered: once, or for each file when debugging; nothing where it failed or was stopped.
   */
  async start(
    request: vscode.TestRunRequest,
    mode: RunMode = {},
    scope: RunScope = request,
    onRun: (run: vscode.TestRun, files: readonly SelectedFile[]) => Promise<void> = async () => {},
  ): Promise<readonly ScenarioRunResult[]> {
    const { controller, tree, queue } = this.#options;
    const files = selectScenarios(tree, scope);
    const run = controller.createTestRun(request);
    const open: OpenRun = { run, view: new RequestedRun({ run, tree, queue, files }), files, mode };
    this.#open.add(open);
    try {
      const answers = await untilStopped(this.#run(open), run.token);
      if (answers && !run.token.isCancellationRequested) await onRun(run, files);
      return answers ?? [];
    } catch (error) {
      if (!run.token.isCancellationRequested) open.view.fail(error);
      return [];
    } finally {
      open.view.end();
      this.#open.delete(open);
      // The server may still stop what nobody waits for any more.
      for (const [id, { run: other }] of this.#requests) if (other === run) this.#close(id);
      if (this.#open.size === 0) this.#ended.fire();
    }
  }

  async #run(open: OpenRun): Promise<readonly ScenarioRunResult[]> {
    const { run, view, files, mode } = open;
    if (files.length === 0) return [];
    const shown = Promise.all(files.map(({ uri }) => this.#show(uri, view)));
    const answers: ScenarioRunResult[] = [];
    // The server debugs the code of one file at a time.
    for (const batch of mode.isDebug ? files.map((file) => [file]) : [files]) {
      if (run.token.isCancellationRequested) break;
      const answer = await this.#request(open, batch);
      await shown;
      await view.finish(answer, batch);
      answers.push(answer);
    }
    return answers;
  }

  async #show(uri: string, view: RequestedRun): Promise<void> {
    const { discovery, tree } = this.#options;
    // What is wrong with the file is a problem of the run.
    if (!tree.isResolved(uri)) await discovery.resolve(uri).catch(() => {});
    view.enqueue(uri);
  }

  async #request(open: OpenRun, files: readonly SelectedFile[]): Promise<ScenarioRunResult> {
    const id = crypto.randomUUID();
    this.#requests.set(id, open);
    try {
      return await this.#options.server.request(runScenarios, { run: id, files, ...open.mode }, open.run.token);
    } finally {
      this.#close(id);
    }
  }

  #close(id: string): void {
    if (this.#requests.delete(id)) this.#closed.fire(id);
  }

  dispose(): void {
    this.#ended.dispose();
    this.#closed.dispose();
  }
}

/** The value of a promise; undefined where it does not come within the time that Stop allows. */
async function untilStopped<Value>(
  promise: Promise<Value>,
  token: vscode.CancellationToken,
): Promise<Value | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    timer ??= setTimeout(() => resolve(undefined), STOP_MS);
  };
  const listener = token.onCancellationRequested(stop);
  if (token.isCancellationRequested) stop();
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    clearTimeout(timer);
    listener.dispose();
  }
}
