import * as vscode from 'vscode';
import { documentEdited } from '../protocol/messages.ts';
import { EditLog } from './edit-log.ts';
import type { LanguageServer, LanguageServerConnection } from './language-server.ts';
import { currentSettings } from './settings.ts';
import { traceSelector } from './trace-selector.ts';

/** Edits within this interval are sent together. */
const INTERVAL_MS = 100;

/**
 * Tracks edits of traces and sends their ranges, never their text, to the server. Unsent edits go ahead of every request, so
 * that no answer is about an older text.
 */
export class EditTracker implements vscode.Disposable {
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
    server.onStart((connection) => {
      this.#log.reset();
      return this.#tell(connection);
    });
    server.useMiddleware((connection) => this.#tell(connection));
  }

  #isWatched(document: vscode.TextDocument): boolean {
    return vscode.languages.match(traceSelector(currentSettings().traces), document) > 0;
  }

  /** A document can be dirty from an earlier window. */
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
      this.#log.reset();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const edits of this.#log.takeUnsent()) this.#server.notify(documentEdited, edits);
    }, INTERVAL_MS);
  }

  async #tell(connection: LanguageServerConnection): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#log.takeUnsent().map((edits) => connection.sendNotification(documentEdited.method, edits)));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
  }
}
