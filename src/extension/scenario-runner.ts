import * as vscode from 'vscode';
import {
  runScenarios,
  type ScenarioRunParams,
  type ScenarioRunResult,
  scenarioProgress,
} from '../protocol/scenarios.ts';
import { showFileProblem } from './errors.ts';
import { saveDirty } from './evaluation-runner.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';

type Progress = vscode.Progress<{ readonly message?: string }>;

/** Runs scenarios with progress in a notification, where they can be cancelled. */
export class ScenarioRunner {
  readonly #server: Pick<LanguageServer, 'request' | 'onNotification'>;
  readonly #model: Pick<ResultsModel, 'refresh'>;
  /** Of runs, by their ids. */
  readonly #running = new Map<string, Progress>();

  constructor(server: Pick<LanguageServer, 'request' | 'onNotification'>, model: Pick<ResultsModel, 'refresh'>) {
    this.#server = server;
    this.#model = model;
    server.onNotification(scenarioProgress, ({ run, done, of }) => {
      this.#running.get(run)?.report({ message: vscode.l10n.t('{0} of {1} attempts', done, of) });
    });
  }

  /** Saves the files first: what runs is on disk. Resolves when the results are shown. */
  async run(params: Omit<ScenarioRunParams, 'run'>): Promise<ScenarioRunResult> {
    await saveDirty(params.files.map(({ uri }) => vscode.Uri.parse(uri)));
    const run = crypto.randomUUID();
    const title = vscode.l10n.t('Running scenarios');
    const ran = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (progress, token) => {
        this.#running.set(run, progress);
        try {
          return await this.#server.request(runScenarios, { run, ...params }, token);
        } finally {
          this.#running.delete(run);
        }
      },
    );
    await this.#model.refresh();
    const [first, ...others] = ran.problems.filter(({ severity }) => severity === 'error');
    // Not awaited: the message stays open until the user closes it.
    if (first) void showFileProblem(first, others.length);
    return ran;
  }
}
