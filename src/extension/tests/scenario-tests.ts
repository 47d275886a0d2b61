import * as vscode from 'vscode';
import { errorMessage } from '../../core/error-message.ts';
import { showError } from '../errors.ts';
import type { LanguageServer } from '../language-server.ts';
import type { OverviewPanels } from '../overview-panels.ts';
import { compareAgents } from './compare-agents.ts';
import { runContinuously } from './continuous-run.ts';
import { DebuggerAttachment } from './debugger-attachment.ts';
import { RecordedResults } from './recorded-results.ts';
import { RequestedRuns } from './requested-runs.ts';
import { ScenarioDiscovery } from './scenario-discovery.ts';
import { ScenarioFiles } from './scenario-files.ts';
import type { RunScope } from './test-selection.ts';
import { TestTree } from './test-tree.ts';
import { CoverageOfRuns } from './tool-coverage.ts';
import { UpdateQueue } from './update-queue.ts';

interface ScenarioTestsOptions {
  readonly server: Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification' | 'onDidChangeState'>;
  readonly overviews: Pick<OverviewPanels, 'open'>;
  readonly log: vscode.LogOutputChannel;
}

/** Scenarios in the Test Explorer. Nothing is searched, and no server started, before it is shown or a scenario file is opened. */
export class ScenarioTests implements vscode.Disposable {
  readonly controller = vscode.tests.createTestController('turnwise', 'Turnwise');
  readonly tree = new TestTree(this.controller);
  readonly profiles: readonly vscode.TestRunProfile[];
  readonly #options: ScenarioTestsOptions;
  readonly #queue = new UpdateQueue();
  readonly #files = new ScenarioFiles();
  readonly #discovery: ScenarioDiscovery;
  readonly #runs: RequestedRuns;
  readonly #recorded: RecordedResults;
  readonly #debugger: DebuggerAttachment;

  constructor(options: ScenarioTestsOptions) {
    this.#options = options;
    const { server, log } = options;
    const { controller, tree } = this;
    const queue = this.#queue;
    this.#discovery = new ScenarioDiscovery({ server, files: this.#files, tree, queue, log });
    const discovery = this.#discovery;
    this.#runs = new RequestedRuns({ controller, server, discovery, tree, queue });
    const runs = this.#runs;
    this.#recorded = new RecordedResults({ controller, server, discovery, runs, tree, queue, log });
    this.#debugger = new DebuggerAttachment(server, runs, (error) => void showError(error, log));
    controller.resolveHandler = (item) => this.#resolve(item);
    controller.refreshHandler = (token) => this.#search(token);
    this.profiles = this.#createProfiles();
  }

  #createProfiles(): readonly vscode.TestRunProfile[] {
    const { Run, Debug, Coverage } = vscode.TestRunProfileKind;
    const { overviews, server, log } = this.#options;
    const runs = this.#runs;
    const run = this.#createProfile(vscode.l10n.t({ message: 'Run', comment: ['A verb'] }), Run, (request, token) => {
      if (!request.continuous) return runs.start(request);
      const runScope = (scope: RunScope) => runs.start(request, {}, scope);
      return runContinuously(request, token, { files: this.#files, tree: this.tree, run: runScope });
    });
    run.supportsContinuousRun = true;
    const compare = (request: vscode.TestRunRequest) =>
      compareAgents(request, { server, runs, tree: this.tree, overviews }).catch((error: unknown) => {
        void showError(error, log);
      });
    const tools = new CoverageOfRuns(server);
    const coverage = this.#createProfile(vscode.l10n.t('Tool Coverage'), Coverage, (request) =>
      runs.start(request, {}, request, (made, files) => tools.add(made, files)),
    );
    coverage.loadDetailedCoverage = (_, file) => tools.load(file);
    return [
      run,
      this.#createProfile(vscode.l10n.t('Debug'), Debug, (request) => runs.start(request, { isDebug: true })),
      this.#createProfile(vscode.l10n.t('Replay'), Run, (request) => runs.start(request, { isReplay: true }), false),
      this.#createProfile(vscode.l10n.t('Compare Agents…'), Run, compare, false),
      coverage,
    ];
  }

  #createProfile(
    label: string,
    kind: vscode.TestRunProfileKind,
    run: (request: vscode.TestRunRequest, token: vscode.CancellationToken) => Promise<unknown>,
    isDefault = true,
  ): vscode.TestRunProfile {
    const handler = async (request: vscode.TestRunRequest, token: vscode.CancellationToken) => {
      // A coding agent can ask before the Test Explorer was shown.
      if (!request.include && this.tree.uris.length === 0) await this.#search();
      await run(request, token);
    };
    return this.controller.createRunProfile(label, kind, handler, isDefault);
  }

  async #resolve(item: vscode.TestItem | undefined): Promise<void> {
    const subject = item && this.tree.subject(item);
    if (!item) await this.#search();
    else if (subject?.kind === 'file') {
      await this.#discovery.resolve(subject.uri).catch((error: unknown) => {
        item.error = errorMessage(error);
      });
    }
  }

  async #search(token?: vscode.CancellationToken): Promise<void> {
    await this.#discovery.search(token);
    this.#recorded.showAll();
  }

  dispose(): void {
    for (const part of [this.#debugger, this.#recorded, this.#runs, this.#discovery, this.#files]) part.dispose();
    this.#queue[Symbol.dispose]();
    this.controller.dispose();
  }
}
