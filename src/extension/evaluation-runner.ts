import * as vscode from 'vscode';
import { type EvaluateResult, evaluate } from '../protocol/messages.ts';
import { setContext } from './context-keys.ts';
import { showFileProblem, showJudgeOutage, UserError } from './errors.ts';
import { escapeLabel, fileName } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import { ResultsView } from './results-view.ts';

/** Evaluates what the user points at, with progress in the results, until it is done or stopped. */
export class EvaluationRunner implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #held: ResultsModel;
  readonly #results: ResultsView;
  readonly #log: Pick<vscode.LogOutputChannel, 'show'>;
  readonly #running = new Set<vscode.CancellationTokenSource>();

  constructor(
    server: LanguageServer,
    held: ResultsModel,
    results: ResultsView,
    log: Pick<vscode.LogOutputChannel, 'show'>,
  ) {
    this.#server = server;
    this.#held = held;
    this.#results = results;
    this.#log = log;
  }

  /**
   * Resolves when the results are shown; what is wrong with the files has been said then.
   *
   * @param where `here`: who asked sees the results where they are, and the view stays as it is.
   */
  async run(uris: readonly vscode.Uri[], where: 'view' | 'here' = 'view'): Promise<EvaluateResult> {
    for (const uri of uris) requireOnDisk(uri);
    const stop = new vscode.CancellationTokenSource();
    this.#running.add(stop);
    try {
      await setContext('turnwise.evaluating', true);
      this.#results.progress = vscode.l10n.t('Evaluating…');
      await saveDirty(uris);
      if (where === 'view') await this.#results.show();
      const evaluated = await vscode.window.withProgress({ location: { viewId: ResultsView.id } }, () =>
        this.#evaluate(uris, stop.token),
      );
      await this.#held.refresh();
      this.#tell(evaluated);
      return evaluated;
    } finally {
      this.#running.delete(stop);
      stop.dispose();
      if (this.#running.size === 0) {
        this.#results.progress = undefined;
        await setContext('turnwise.evaluating', false);
      }
    }
  }

  stop(): void {
    for (const running of this.#running) running.cancel();
  }

  async #evaluate(uris: readonly vscode.Uri[], token: vscode.CancellationToken): Promise<EvaluateResult> {
    const workDoneToken = crypto.randomUUID();
    const progress = await this.#server.onProgress(workDoneToken, ({ message }) => {
      if (message !== undefined) this.#results.progress = vscode.l10n.t('Evaluating: {0}', escapeLabel(message));
    });
    try {
      // A request that is cancelled before it is sent is an error to the client.
      if (token.isCancellationRequested) return { complete: false, sessions: 0, problems: [] };
      const given = { uris: uris.map((uri) => uri.toString()), workDoneToken };
      return await this.#server.request(evaluate, given, token);
    } finally {
      progress.dispose();
    }
  }

  #tell({ problems, outage }: EvaluateResult): void {
    const [first, ...others] = problems.filter(({ severity }) => severity === 'error');
    // The message waits for the user; the evaluation is over without.
    if (first) void showFileProblem(first, others.length);
    if (outage !== undefined) void showJudgeOutage(outage, this.#log);
  }

  dispose(): void {
    this.stop();
  }
}

function requireOnDisk(uri: vscode.Uri): void {
  if (uri.scheme === 'file') return;
  const name = fileName(uri);
  throw new UserError(
    uri.scheme === 'untitled'
      ? vscode.l10n.t('Save {0} to evaluate it.', name)
      : vscode.l10n.t('{0} is not on disk ({1}:). Save a copy to evaluate it.', name, uri.scheme),
  );
}

/** What is evaluated is what the user sees. */
async function saveDirty(uris: readonly vscode.Uri[]): Promise<void> {
  const wanted = new Set(uris.map((uri) => uri.toString()));
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || !wanted.has(document.uri.toString())) continue;
    if (!(await document.save())) {
      throw new UserError(vscode.l10n.t("{0} couldn't be saved and was not evaluated.", fileName(document.uri)));
    }
  }
}
