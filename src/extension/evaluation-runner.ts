import * as vscode from 'vscode';
import { type EvaluationOverrides, evaluateWith } from '../protocol/evaluate-with.ts';
import { type EvaluateResult, evaluate } from '../protocol/messages.ts';
import { setContext } from './context-keys.ts';
import { requireOnDisk, showFileProblem, showJudgeOutage, UserError } from './errors.ts';
import { escapeLabel, fileName } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import { ResultsView } from './results-view.ts';

/** Runs evaluations with progress in the Results view, until they finish or are stopped. */
export class EvaluationRunner implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #model: ResultsModel;
  readonly #results: ResultsView;
  readonly #log: Pick<vscode.LogOutputChannel, 'show'>;
  readonly #running = new Set<vscode.CancellationTokenSource>();

  constructor(
    server: LanguageServer,
    model: ResultsModel,
    results: ResultsView,
    log: Pick<vscode.LogOutputChannel, 'show'>,
  ) {
    this.#server = server;
    this.#model = model;
    this.#results = results;
    this.#log = log;
  }

  /**
   * Resolves when the results and the problems of the files are shown.
   *
   * @param where `view` brings the Results view to the front; `here` leaves it as it is. @param overrides of the configuration.
   */
  async run(
    uris: readonly vscode.Uri[],
    where: 'view' | 'here' = 'view',
    overrides?: EvaluationOverrides,
  ): Promise<EvaluateResult> {
    for (const uri of uris) requireOnDisk(uri);
    const stop = new vscode.CancellationTokenSource();
    this.#running.add(stop);
    try {
      await setContext('turnwise.evaluating', true);
      this.#results.progress = vscode.l10n.t('Evaluating…');
      await saveDirty(uris);
      if (where === 'view') await this.#results.show();
      const evaluated = await vscode.window.withProgress({ location: { viewId: ResultsView.id } }, () =>
        this.#evaluate(uris, overrides, stop.token),
      );
      await this.#model.refresh();
      this.#tell(evaluated, uris);
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

  async #evaluate(
    uris: readonly vscode.Uri[],
    overrides: EvaluationOverrides | undefined,
    token: vscode.CancellationToken,
  ): Promise<EvaluateResult> {
    const workDoneToken = crypto.randomUUID();
    const progress = await this.#server.onProgress(workDoneToken, ({ message }) => {
      if (message !== undefined) this.#results.progress = escapeLabel(message);
    });
    try {
      // The client reports a request that is cancelled before it was sent as an error.
      if (token.isCancellationRequested) return { complete: false, sessions: 0, problems: [] };
      const params = { uris: uris.map((uri) => uri.toString()), workDoneToken };
      return overrides
        ? await this.#server.request(evaluateWith, { ...params, overrides }, token)
        : await this.#server.request(evaluate, params, token);
    } finally {
      progress.dispose();
    }
  }

  #tell({ complete, sessions, problems, outage }: EvaluateResult, uris: readonly vscode.Uri[]): void {
    const [first, ...others] = problems.filter(({ severity }) => severity === 'error');
    // Not awaited: the message stays open until the user closes it.
    if (first) void showFileProblem(first, others.length);
    else if (complete && sessions === 0) void vscode.window.showWarningMessage(noTraces(uris));
    if (outage !== undefined) void showJudgeOutage(outage, this.#log);
  }

  dispose(): void {
    this.stop();
  }
}

function noTraces([uri, ...others]: readonly vscode.Uri[]): string {
  if (!uri || others.length > 0) return vscode.l10n.t('No traces found. Nothing was evaluated.');
  return vscode.l10n.t('No traces found in {0}. Nothing was evaluated.', fileName(uri));
}

/** Saves dirty documents, so that their current text is evaluated. */
export async function saveDirty(uris: readonly vscode.Uri[]): Promise<void> {
  const targets = new Set(uris.map((uri) => uri.toString()));
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || !targets.has(document.uri.toString())) continue;
    if (!(await document.save())) {
      throw new UserError(vscode.l10n.t("{0} couldn't be saved and was not evaluated.", fileName(document.uri)));
    }
  }
}
