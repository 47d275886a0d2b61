import * as vscode from 'vscode';
import { restore } from '../protocol/messages.ts';
import { ask } from '../protocol/request.ts';
import type { Held } from './held.ts';
import type { Connection, LanguageServer } from './language-server.ts';

/** Whether results of this workspace were kept; asking the server would start it. */
const KEPT = 'turnwise.kept';

/** Brings back what was held in an earlier window, or before the server broke. */
export class Restoring implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #held: Held;
  readonly #listening: vscode.Disposable;
  /** What is not brought back yet must not be taken for nothing. */
  #isDone = false;

  constructor(server: LanguageServer, held: Held, state: vscode.Memento) {
    this.#state = state;
    this.#held = held;
    server.greet((connection) => this.#restore(connection));
    this.#listening = held.onDidChange(() => {
      if (server.state === 'on' && this.#isDone) void this.#keep(held.hasResults);
    });
  }

  /** Whether there is something to bring back. */
  get isExpected(): boolean {
    return this.#state.get<unknown>(KEPT) === true;
  }

  async #restore(connection: Connection): Promise<void> {
    this.#isDone = false;
    if (this.isExpected) await ask(connection, restore, { folders: this.#places() });
    this.#isDone = true;
  }

  /** The folders that are open, and what is held of files elsewhere. */
  #places(): string[] {
    const { workspace } = vscode;
    const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const files = this.#held.now.rows.map(({ file }) => vscode.Uri.parse(file.uri));
    const elsewhere = files.filter((uri) => !workspace.getWorkspaceFolder(uri));
    return [...folders, ...elsewhere].filter(({ scheme }) => scheme === 'file').map((uri) => uri.toString());
  }

  async #keep(isKept: boolean): Promise<void> {
    if (isKept !== this.isExpected) await this.#state.update(KEPT, isKept);
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
