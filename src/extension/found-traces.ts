import * as vscode from 'vscode';
import { watched } from '../protocol/messages.ts';
import type { Held } from './held.ts';
import type { LanguageServer } from './language-server.ts';
import { currentSettings } from './settings.ts';

/** Nobody evaluates more by clicking on them; a folder is evaluated as one. */
const MOST = 1_000;

/** Traces of the workspace that nobody has evaluated yet, looked for when somebody looks. */
export class FoundTraces implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #held: Held;
  readonly #stop = new vscode.CancellationTokenSource();
  readonly #listening: vscode.Disposable;
  #hasLooked = false;
  #uris: readonly string[] = [];

  constructor(server: LanguageServer, held: Held, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#held = held;
    const lookAgain = (): void => {
      if (this.#hasLooked) this.look().catch((error: unknown) => log.error(String(error)));
    };
    this.#listening = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(lookAgain),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('turnwise.traces')) lookAgain();
      }),
    );
    server.greet(async (connection) => {
      if (this.#uris.length > 0) await connection.sendNotification(watched.method, { uris: this.#uris });
    });
  }

  /** Of those that come and go later the server hears; before it runs, nobody needs to know. */
  async look(): Promise<void> {
    this.#hasLooked = true;
    const { workspace } = vscode;
    const globs = patternsOf(currentSettings().traces);
    const found = await Promise.all(
      globs.map((glob) => workspace.findFiles(glob, '**/node_modules/**', MOST, this.#stop.token)),
    );
    const files = found.flat().filter(({ scheme }) => scheme === 'file');
    this.#uris = [...new Set(files.map((uri) => uri.toString()))].sort().slice(0, MOST);
    if (this.#server.isRunning) this.#server.tell(watched, { uris: this.#uris });
    else this.#held.offer(this.#uris);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#stop.cancel();
    this.#stop.dispose();
  }
}

/** As few searches as can be: globs with alternatives of their own cannot be one of several. */
export function patternsOf(globs: readonly string[]): string[] {
  const simple = globs.filter((glob) => !/[{},]/.test(glob));
  const others = globs.filter((glob) => !simple.includes(glob));
  return [...(simple.length > 1 ? [`{${simple.join(',')}}`] : simple), ...others];
}
