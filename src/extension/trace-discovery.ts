import * as vscode from 'vscode';
import { isTraceCandidate } from '../core/trace-file-names.ts';
import { traceFilesFound } from '../protocol/messages.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import { currentSettings } from './settings.ts';
import { anyFolderGlob } from './trace-selector.ts';

/** More files are not listed; folders can be evaluated as a whole. */
const MAX_FILES = 1_000;

const IGNORED = '**/node_modules/**';

/** Finds trace files of the workspace by name, from the first time the Results view is visible. */
export class TraceDiscovery implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #model: ResultsModel;
  readonly #stop = new vscode.CancellationTokenSource();
  readonly #listening: vscode.Disposable;
  #hasLooked = false;
  #uris: ReadonlySet<string> = new Set();
  #watching = vscode.Disposable.from();

  constructor(server: LanguageServer, model: ResultsModel, log: vscode.LogOutputChannel) {
    this.#server = server;
    this.#model = model;
    const lookAgain = (): void => {
      if (this.#hasLooked) this.scan().catch((error: unknown) => log.error(String(error)));
    };
    this.#listening = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(lookAgain),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('turnwise.traces')) lookAgain();
      }),
    );
    server.onStart(async (connection) => {
      if (this.#hasLooked) await connection.sendNotification(traceFilesFound.method, { uris: [...this.#uris] });
    });
  }

  /** @returns how many files it found. */
  async scan(): Promise<number> {
    this.#hasLooked = true;
    const { workspace } = vscode;
    const globs = currentSettings().traces.map(anyFolderGlob);
    this.#watch(globs);
    const uris = await Promise.all(
      mergeGlobs(globs).map((glob) => workspace.findFiles(glob, IGNORED, MAX_FILES, this.#stop.token)),
    );
    const files = uris.flat().filter(isTraceOnDisk);
    this.#uris = new Set(
      files
        .map((uri) => uri.toString())
        .sort()
        .slice(0, MAX_FILES),
    );
    this.#tell();
    return this.#uris.size;
  }

  /** Whether a file was found by its name. */
  has(uri: vscode.Uri): boolean {
    return this.#uris.has(uri.toString());
  }

  /** Watches for created and deleted files. */
  #watch(globs: readonly string[]): void {
    this.#watching.dispose();
    const { workspace } = vscode;
    const coming = globs.map((glob) => workspace.createFileSystemWatcher(glob, false, true, true));
    // Some systems do not report the files of a deleted folder.
    const going = workspace.createFileSystemWatcher('**', true, true, false);
    for (const watcher of coming) watcher.onDidCreate((uri) => this.#came(uri));
    going.onDidDelete((uri) => this.#went(uri));
    this.#watching = vscode.Disposable.from(...coming, going);
  }

  #came(uri: vscode.Uri): void {
    if (!isTraceOnDisk(uri) || this.#uris.size >= MAX_FILES || this.#uris.has(uri.toString())) return;
    this.#uris = new Set([...this.#uris, uri.toString()].sort());
    // A running server watches files itself.
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
    if (this.#server.isRunning) this.#server.notify(traceFilesFound, { uris });
    else this.#model.showCandidates(uris);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#watching.dispose();
    this.#stop.cancel();
    this.#stop.dispose();
  }
}

/** Whether a file is on disk and a trace by its name. Globs can be as wide as all JSON files. */
function isTraceOnDisk(uri: vscode.Uri): boolean {
  return (
    uri.scheme === 'file' && isTraceCandidate(vscode.workspace.asRelativePath(uri, false), currentSettings().traces)
  );
}

/** Merges globs into as few searches as possible. Globs with braces cannot be nested. */
export function mergeGlobs(globs: readonly string[]): string[] {
  const simple = globs.filter((glob) => !/[{},]/.test(glob));
  const others = globs.filter((glob) => !simple.includes(glob));
  return [...(simple.length > 1 ? [`{${simple.join(',')}}`] : simple), ...others];
}
