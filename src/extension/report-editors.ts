import * as vscode from 'vscode';
import { errorMessage } from '../core/error-message.ts';
import { evaluate, sessions } from '../protocol/messages.ts';
import { REPORT_EDITORS } from './editor-columns.ts';
import { requireOnDisk } from './errors.ts';
import { fileName } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { ReportPanels } from './report-panels.ts';
import type { ResultsModel } from './results-model.ts';
import { showMessage } from './webview-page.ts';

interface ReportEditorOptions {
  readonly extensionUri: vscode.Uri;
  readonly server: Pick<LanguageServer, 'request'>;
  readonly model: Pick<ResultsModel, 'onDidChange'>;
  readonly reports: Pick<ReportPanels, 'adopt' | 'canAsk'>;
}

/**
 * Traces that are opened as their reports: `.eval` archives by default, others on request. To open one asks no model: the rules
 * evaluate a trace that has no results yet, which is not recorded as a run.
 */
export class ReportEditors implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  readonly #options: ReportEditorOptions;
  readonly #registered: vscode.Disposable;

  constructor(options: ReportEditorOptions) {
    this.#options = options;
    this.#registered = vscode.Disposable.from(
      ...REPORT_EDITORS.map((viewType) => vscode.window.registerCustomEditorProvider(viewType, this)),
    );
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    // Not awaited: VS Code shows the editor when this returns.
    void new PendingEditor(uri, panel, this.#options).load();
  }

  dispose(): void {
    this.#registered.dispose();
  }
}

/** An editor until it shows the report of the worst session of its file. */
class PendingEditor {
  readonly #uri: vscode.Uri;
  readonly #panel: vscode.WebviewPanel;
  readonly #options: ReportEditorOptions;
  readonly #closed = new vscode.CancellationTokenSource();
  readonly #listening: vscode.Disposable;
  /** `failed`: it says why, and shows results that come later. `done`: it has its report, or was closed. */
  #state: 'loading' | 'failed' | 'done' = 'loading';

  constructor(uri: vscode.Uri, panel: vscode.WebviewPanel, options: ReportEditorOptions) {
    this.#uri = uri;
    this.#panel = panel;
    this.#options = options;
    panel.onDidDispose(() => {
      this.#closed.cancel();
      this.#finish();
    });
    this.#listening = options.model.onDidChange(() => {
      // The sentence stays until there is a report.
      if (this.#state === 'failed') this.#showReport().catch(() => {});
    });
  }

  async load(): Promise<void> {
    const name = fileName(this.#uri);
    this.#say(vscode.l10n.t('Reading {0}…', name));
    try {
      requireOnDisk(this.#uri);
      if (await this.#showReport()) return;
      const params = { uris: [this.#uri.toString()], rulesOnly: true };
      const { problems } = await this.#options.server.request(evaluate, params, this.#closed.token);
      if (await this.#showReport()) return;
      const [problem] = problems;
      this.#fail(problem ? `${name}: ${problem.message}` : vscode.l10n.t('{0} contains no session.', name));
    } catch (error) {
      this.#fail(errorMessage(error));
    }
  }

  /** @returns whether the editor needs nothing more. */
  async #showReport(): Promise<boolean> {
    const { server, reports } = this.#options;
    if (!this.#isDone && reports.canAsk) {
      const { rows } = await server.request(sessions, { uri: this.#uri.toString(), offset: 0, limit: 1 });
      const [worst] = rows;
      if (worst && !this.#isDone) {
        this.#finish();
        reports.adopt(this.#panel, worst.key);
      }
    }
    return this.#isDone;
  }

  get #isDone(): boolean {
    return this.#state === 'done';
  }

  #fail(sentence: string): void {
    if (this.#isDone) return;
    this.#state = 'failed';
    this.#say(sentence);
  }

  #say(sentence: string): void {
    showMessage(this.#panel, this.#options.extensionUri, sentence);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#state = 'done';
    this.#listening.dispose();
    this.#closed.dispose();
  }
}
