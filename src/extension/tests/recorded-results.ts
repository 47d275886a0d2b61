import * as vscode from 'vscode';
import { errorMessage } from '../../core/error-message.ts';
import { type ScenarioResult, scenarioResults, scenarioResultsChanged } from '../../protocol/scenarios.ts';
import type { LanguageServer } from '../language-server.ts';
import { normalizeUri } from '../locations.ts';
import { reportResult } from './report-result.ts';
import type { RequestedRuns } from './requested-runs.ts';
import type { ScenarioDiscovery } from './scenario-discovery.ts';
import type { TestTree } from './test-tree.ts';
import type { UpdateQueue } from './update-queue.ts';

/** Changes within this time are requested together. */
const WAIT_MS = 250;

interface RecordedResultsOptions {
  readonly controller: Pick<vscode.TestController, 'createTestRun' | 'invalidateTestResults'>;
  readonly server: Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification' | 'onDidChangeState'>;
  readonly discovery: Pick<ScenarioDiscovery, 'onDidResolve' | 'resolveMissing'>;
  readonly runs: Pick<RequestedRuns, 'isBusy' | 'onDidEnd'>;
  readonly tree: TestTree;
  readonly queue: UpdateQueue;
  readonly log: Pick<vscode.LogOutputChannel, 'warn'>;
}

/**
 * Shows results that the Test Explorer did not ask for: from a lens, a terminal or an earlier window. They appear as a run that
 * takes no focus and is not stored by the editor, never while a requested run is going on.
 */
export class RecordedResults implements vscode.Disposable {
  readonly #options: RecordedResultsOptions;
  readonly #listening: vscode.Disposable;
  /** Files whose results are to be requested. */
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: RecordedResultsOptions) {
    this.#options = options;
    const { server, discovery, runs, tree } = options;
    server.onNotification(scenarioResultsChanged, ({ uris }) => {
      this.#requestSoon(uris.map(normalizeUri).filter((uri) => tree.hasFile(uri)));
    });
    this.#listening = vscode.Disposable.from(
      discovery.onDidResolve((uri) => this.#requestSoon([uri])),
      runs.onDidEnd(() => this.#requestSoon([])),
      server.onDidChangeState((state) => {
        if (state === 'on') this.showAll();
      }),
    );
  }

  /** Shows the results of all files that a running server has; it is not started for them. */
  showAll(): void {
    if (this.#options.server.isRunning && !this.#isDisposed) this.#requestSoon(this.#options.tree.uris);
  }

  #requestSoon(uris: readonly string[]): void {
    for (const uri of uris) this.#pending.add(uri);
    if (this.#pending.size === 0 || this.#options.runs.isBusy || this.#isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#show().catch((error: unknown) => {
        if (!this.#isDisposed) this.#options.log.warn(errorMessage(error));
      });
    }, WAIT_MS);
  }

  async #show(): Promise<void> {
    const { server, discovery, runs, tree, queue } = this.#options;
    if (runs.isBusy) return;
    const uris = [...this.#pending];
    this.#pending.clear();
    const { results } = await server.request(scenarioResults, { uris });
    const known = results.map((result) => ({ ...result, uri: normalizeUri(result.uri) }));
    await discovery.resolveMissing([...new Set(known.map(({ uri }) => uri))].filter((uri) => tree.hasFile(uri)));
    // A run began: what it replaces is not shown any more.
    if (runs.isBusy) return this.#requestSoon(uris);
    const changed = known.filter((result) => {
      const item = tree.scenario(result.uri, result.name);
      const shown = item && tree.result(item);
      return shown?.finishedAt !== result.finishedAt || shown.isStale !== result.isStale;
    });
    const reported: { readonly item: vscode.TestItem; readonly result: ScenarioResult; readonly isNew: boolean }[] = [];
    for (const result of changed) {
      queue.add(`result ${result.uri} ${result.name}`, () => {
        const before = tree.scenario(result.uri, result.name);
        const isNew = (before && tree.result(before))?.finishedAt !== result.finishedAt;
        const item = tree.setResult(result);
        if (item) reported.push({ item, result, isNew });
      });
    }
    await queue.settled();
    this.#publish(reported);
  }

  #publish(
    reported: readonly { readonly item: vscode.TestItem; readonly result: ScenarioResult; readonly isNew: boolean }[],
  ): void {
    const { controller, tree } = this.#options;
    const fresh = reported.filter(({ isNew }) => isNew);
    if (fresh.length > 0) {
      const items = fresh.map(({ item }) => item);
      const request = new vscode.TestRunRequest(items, undefined, undefined, false, true);
      const run = controller.createTestRun(request, vscode.l10n.t('Recorded Results'), false);
      for (const { item, result } of fresh) reportResult(run, tree, item, result);
      run.end();
    }
    const stale = reported.filter(({ result }) => result.isStale).map(({ item }) => item);
    if (stale.length > 0) controller.invalidateTestResults(stale);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#listening.dispose();
  }
}
