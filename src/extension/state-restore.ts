import * as vscode from 'vscode';
import { restore } from '../protocol/messages.ts';
import { sendRequest } from '../protocol/rpc.ts';
import type { LanguageServer, ServerConnection } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';

/** Whether results of this workspace were kept; asking the server would start it. */
const HAS_RESULTS_KEY = 'turnwise.kept';

/** Brings back what was held in an earlier window, or before the server broke. */
export class StateRestore implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #held: ResultsModel;
  readonly #listening: vscode.Disposable;
  /** What is not brought back yet must not be taken for nothing. */
  #isDone = false;

  constructor(server: LanguageServer, held: ResultsModel, state: vscode.Memento) {
    this.#state = state;
    this.#held = held;
    server.onStart((connection) => this.#restore(connection));
    this.#listening = held.onDidChange(() => {
      if (server.state === 'on' && this.#isDone) void this.#keep(held.hasResults);
    });
  }

  /** Whether there is something to bring back. */
  get hasStoredResults(): boolean {
    return this.#state.get<unknown>(HAS_RESULTS_KEY) === true;
  }

  async #restore(connection: ServerConnection): Promise<void> {
    this.#isDone = false;
    if (this.hasStoredResults) await sendRequest(connection, restore, { folders: this.#places() });
    this.#isDone = true;
  }

  /** The folders that are open, and what is held of files elsewhere. */
  #places(): string[] {
    const { workspace } = vscode;
    const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const files = this.#held.snapshot.rows.map(({ file }) => vscode.Uri.parse(file.uri));
    const elsewhere = files.filter((uri) => !workspace.getWorkspaceFolder(uri));
    return [...folders, ...elsewhere].filter(({ scheme }) => scheme === 'file').map((uri) => uri.toString());
  }

  async #keep(isKept: boolean): Promise<void> {
    if (isKept !== this.hasStoredResults) await this.#state.update(HAS_RESULTS_KEY, isKept);
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
