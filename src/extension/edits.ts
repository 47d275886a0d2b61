import * as vscode from 'vscode';
import { edited } from '../protocol/messages.ts';
import { EditLog } from './edit-log.ts';
import type { Connection, LanguageServer } from './language-server.ts';
import { currentSettings } from './settings.ts';
import { selectorOf } from './trace.ts';

/** Edits that follow one another more closely are told together. */
const INTERVAL_MS = 100;

/**
 * Tells the server what is edited in documents that it may have found something in: where, and how much, never a text. What
 * it was not told goes ahead of every request, so that no answer is about a text that is not there any more.
 */
export class Edits implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #log = new EditLog();
  readonly #listening: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: LanguageServer) {
    this.#server = server;
    const { workspace } = vscode;
    for (const document of workspace.textDocuments) this.#opened(document);
    this.#listening = vscode.Disposable.from(
      workspace.onDidOpenTextDocument((document) => this.#opened(document)),
      workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      workspace.onDidCloseTextDocument((document) => this.#closed(document)),
    );
    server.greet((connection) => {
      this.#log.startAnew();
      return this.#tell(connection);
    });
    server.beforeRequests((connection) => this.#tell(connection));
  }

  #isWatched(document: vscode.TextDocument): boolean {
    return vscode.languages.match(selectorOf(currentSettings().traces), document) > 0;
  }

  /** What was edited in an earlier window is still there. */
  #opened(document: vscode.TextDocument): void {
    if (document.isDirty && this.#isWatched(document)) this.#log.addUnknown(document.uri.toString());
  }

  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (!this.#isWatched(document)) return;
    this.#log.add(document.uri.toString(), contentChanges, document.isDirty);
    this.#tellSoon();
  }

  #closed({ uri }: vscode.TextDocument): void {
    this.#log.close(uri.toString());
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#server.state !== 'on') {
      this.#log.startAnew();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const edits of this.#log.take()) this.#server.tell(edited, edits);
    }, INTERVAL_MS);
  }

  async #tell(connection: Connection): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#log.take().map((edits) => connection.sendNotification(edited.method, edits)));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
  }
}
