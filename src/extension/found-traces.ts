import * as vscode from 'vscode';
import { isTraceCandidate } from '../core/trace-file-names.ts';
import { watched } from '../protocol/messages.ts';
import type { Held } from './held.ts';
import type { LanguageServer } from './language-server.ts';
import { currentSettings } from './settings.ts';
import { anywhere } from './trace.ts';

/** Nobody evaluates more by clicking on them; a folder is evaluated as one. */
const MOST = 1_000;

const IGNORED = '**/node_modules/**';

/** Traces of the workspace that nobody has evaluated yet, looked for when somebody looks. */
export class FoundTraces implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #held: Held;
  readonly #stop = new vscode.CancellationTokenSource();
  readonly #listening: vscode.Disposable;
  #hasLooked = false;
  #uris: ReadonlySet<string> = new Set();
  #watching = vscode.Disposable.from();

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
      if (this.#uris.size > 0) await connection.sendNotification(watched.method, { uris: [...this.#uris] });
    });
  }

  async look(): Promise<void> {
    this.#hasLooked = true;
    const { workspace } = vscode;
    const globs = currentSettings().traces.map(anywhere);
    this.#watch(globs);
    const found = await Promise.all(
      patternsOf(globs).map((glob) => workspace.findFiles(glob, IGNORED, MOST, this.#stop.token)),
    );
    const files = found.flat().filter(isWanted);
    this.#uris = new Set(
      files
        .map((uri) => uri.toString())
        .sort()
        .slice(0, MOST),
    );
    this.#tell();
  }

  /** Of what comes and goes. */
  #watch(globs: readonly string[]): void {
    this.#watching.dispose();
    const { workspace } = vscode;
    const coming = globs.map((glob) => workspace.createFileSystemWatcher(glob, false, true, true));
    // When a folder goes, some systems tell of nothing that was in it.
    const going = workspace.createFileSystemWatcher('**', true, true, false);
    for (const watcher of coming) watcher.onDidCreate((uri) => this.#came(uri));
    going.onDidDelete((uri) => this.#went(uri));
    this.#watching = vscode.Disposable.from(...coming, going);
  }

  #came(uri: vscode.Uri): void {
    if (!isWanted(uri) || this.#uris.size >= MOST || this.#uris.has(uri.toString())) return;
    this.#uris = new Set([...this.#uris, uri.toString()].sort());
    // The server hears of it by itself.
    if (!this.#server.isRunning) this.#tell();
  }

  #went(gone: vscode.Uri): void {
    const text = gone.toString();
    const left = [...this.#uris].filter((uri) => uri !== text && !uri.startsWith(`${text}/`));
    if (left.length === this.#uris.size) return;
    this.#uris = new Set(left);
    this.#tell();
  }

  #tell(): void {
    const uris = [...this.#uris];
    if (this.#server.isRunning) this.#server.tell(watched, { uris });
    else this.#held.offer(uris);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#watching.dispose();
    this.#stop.cancel();
    this.#stop.dispose();
  }
}

/** Whether it is on disk and listed: globs may be as wide as all JSON. */
function isWanted(uri: vscode.Uri): boolean {
  return (
    uri.scheme === 'file' && isTraceCandidate(vscode.workspace.asRelativePath(uri, false), currentSettings().traces)
  );
}

/** As few searches as can be: globs with alternatives of their own cannot be one of several. */
export function patternsOf(globs: readonly string[]): string[] {
  const simple = globs.filter((glob) => !/[{},]/.test(glob));
  const others = globs.filter((glob) => !simple.includes(glob));
  return [...(simple.length > 1 ? [`{${simple.join(',')}}`] : simple), ...others];
}
