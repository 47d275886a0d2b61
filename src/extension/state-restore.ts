import * as vscode from 'vscode';
import { restore } from '../protocol/messages.ts';
import { sendRequest } from '../protocol/rpc.ts';
import type { LanguageServer, LanguageServerConnection } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';

/** Workspace state key: whether this workspace has stored results. Written by 0.1.0 as well. */
const HAS_RESULTS_KEY = 'turnwise.kept';

/** Restores results of an earlier window, or from before a crash of the server. */
export class StateRestore implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #model: ResultsModel;
  readonly #listening: vscode.Disposable;
  /** Until results are restored, an empty list does not mean that there are none. */
  #isDone = false;

  constructor(server: Pick<LanguageServer, 'state' | 'onStart'>, model: ResultsModel, state: vscode.Memento) {
    this.#state = state;
    this.#model = model;
    server.onStart((connection) => this.#restore(connection));
    this.#listening = model.onDidChange(() => {
      if (server.state === 'on' && this.#isDone) void this.#keep(model.hasResults);
    });
  }

  /** Whether there are results to restore. */
  get hasStoredResults(): boolean {
    return this.#state.get<unknown>(HAS_RESULTS_KEY) === true;
  }

  async #restore(connection: LanguageServerConnection): Promise<void> {
    this.#isDone = false;
    if (this.hasStoredResults) await sendRequest(connection, restore, { folders: this.#places() });
    this.#isDone = true;
  }

  /** The open folders, and evaluated files outside of them. */
  #places(): string[] {
    const { workspace } = vscode;
    const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const files = this.#model.snapshot.rows.map(({ file }) => vscode.Uri.parse(file.uri));
    const elsewhere = files.filter((uri) => !workspace.getWorkspaceFolder(uri));
    return [...folders, ...elsewhere].filter(({ scheme }) => scheme === 'file').map((uri) => uri.toString());
  }

  async #keep(isPinned: boolean): Promise<void> {
    if (isPinned !== this.hasStoredResults) await this.#state.update(HAS_RESULTS_KEY, isPinned);
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
