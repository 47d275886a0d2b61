import * as vscode from 'vscode';
import { createSemaphore } from '../../core/async/semaphore.ts';
import { errorMessage } from '../../core/error-message.ts';
import { scenarioFiles, scenariosOf } from '../../protocol/scenarios.ts';
import { hasConfiguration } from '../configuration-files.ts';
import type { LanguageServer } from '../language-server.ts';
import { normalizeUri } from '../locations.ts';
import type { ScenarioFileChange, ScenarioFiles } from './scenario-files.ts';
import type { TestTree } from './test-tree.ts';
import type { UpdateQueue } from './update-queue.ts';

/** Requests at the same time. */
const CONCURRENCY = 8;
/** From the last keystroke until the scenarios of the text are found. */
const TYPING_MS = 300;

interface DiscoveryOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly files: Pick<ScenarioFiles, 'find' | 'includes' | 'onDidChange'>;
  readonly tree: TestTree;
  readonly queue: UpdateQueue;
  readonly log: Pick<vscode.LogOutputChannel, 'warn'>;
}

/** Keeps the files and scenarios of the tree like those on disk, and in editors as they are typed. */
export class ScenarioDiscovery implements vscode.Disposable {
  readonly #options: DiscoveryOptions;
  readonly #resolved = new vscode.EventEmitter<string>();
  readonly #stop = new AbortController();
  readonly #slots = createSemaphore(CONCURRENCY);
  /** The number of the last request of each file: answers to earlier ones are outdated. */
  readonly #requests = new Map<string, number>();
  readonly #typing = new Map<string, NodeJS.Timeout>();
  readonly #listening: vscode.Disposable;
  #hasSearched = false;
  /** Files that only configurations named when they were last read. */
  #configured: ReadonlySet<string> = new Set();

  /** The scenarios of a file are shown. */
  readonly onDidResolve = this.#resolved.event;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    const { workspace } = vscode;
    for (const document of workspace.textDocuments) this.#opened(document);
    this.#listening = vscode.Disposable.from(
      workspace.onDidOpenTextDocument((document) => this.#opened(document)),
      workspace.onDidChangeTextDocument(({ document }) => this.#edited(document)),
      workspace.onDidCloseTextDocument((document) => this.#edited(document)),
      workspace.onDidChangeWorkspaceFolders(() => this.#searchAgain()),
      workspace.onDidRenameFiles(() => this.#searchAgain()),
      options.files.onDidChange((change) => this.#followDisk(change)),
    );
  }

  /** Finds all files, and the scenarios of those that are open. */
  async search(token?: vscode.CancellationToken): Promise<void> {
    const { files, tree } = this.#options;
    this.#hasSearched = true;
    const uris = await files.find(token);
    // A cancelled search does not find all.
    if (!token?.isCancellationRequested) tree.setFiles([...new Set([...uris, ...this.#configured])]);
    this.#addConfigured(new Set(uris), token).catch((error: unknown) => this.#warn(error));
    for (const document of vscode.workspace.textDocuments) this.#opened(document);
  }

  /** Adds the files that only a configuration names: the server reads it. @param found by their names */
  async #addConfigured(found: ReadonlySet<string>, token?: vscode.CancellationToken): Promise<void> {
    const { server, tree, queue } = this.#options;
    const isConfigured = await hasConfiguration(token);
    if (token?.isCancellationRequested) return;
    const { uris } = isConfigured ? await server.request(scenarioFiles, {}, token) : { uris: [] };
    const named = new Set(uris.map(normalizeUri).filter((uri) => !found.has(uri)));
    for (const uri of this.#configured) if (!named.has(uri)) queue.add(`file ${uri}`, () => tree.delete(uri));
    for (const uri of named) queue.add(`file ${uri}`, () => tree.addFile(uri));
    this.#configured = named;
  }

  /** Finds the scenarios of a file. Resolves when they are shown. */
  async resolve(uri: string): Promise<void> {
    const { server, queue, tree } = this.#options;
    const number = (this.#requests.get(uri) ?? 0) + 1;
    this.#requests.set(uri, number);
    const release = await this.#slots(this.#stop.signal);
    try {
      const isLast = () => this.#requests.get(uri) === number;
      if (!isLast()) return;
      const { scenarios, problems } = await server.request(scenariosOf, { uri, ...unsavedText(uri) });
      if (!isLast()) return;
      queue.add(`scenarios ${uri}`, () => tree.setScenarios(uri, scenarios, problems));
    } finally {
      release();
    }
    await queue.settled();
    this.#resolved.fire(uri);
  }

  /** Finds the scenarios of files where they are not known. */
  async resolveMissing(uris: readonly string[]): Promise<void> {
    const missing = uris.filter((uri) => !this.#options.tree.isResolved(uri));
    await Promise.all(missing.map((uri) => this.resolve(uri)));
  }

  #opened(document: vscode.TextDocument): void {
    const { files, tree } = this.#options;
    const uri = document.uri.toString();
    if (files.includes(document)) tree.addFile(uri);
    else if (!tree.hasFile(uri)) return;
    if (!tree.isResolved(uri)) this.#resolveSoon(uri, 0);
  }

  #edited({ uri }: vscode.TextDocument): void {
    if (this.#options.tree.hasFile(uri.toString())) this.#resolveSoon(uri.toString(), TYPING_MS);
  }

  #followDisk({ type, uri }: ScenarioFileChange): void {
    const { queue, tree } = this.#options;
    const text = uri.toString();
    if (type === 'created') queue.add(`file ${text}`, () => tree.addFile(text));
    if (type === 'deleted') queue.add(`file ${text}`, () => tree.delete(text));
    if (type === 'configuration') this.#searchAgain();
    if (type === 'changed' && tree.isResolved(text)) this.#resolveSoon(text, 0);
  }

  #searchAgain(): void {
    if (this.#hasSearched) this.search().catch((error: unknown) => this.#warn(error));
  }

  #resolveSoon(uri: string, wait: number): void {
    clearTimeout(this.#typing.get(uri));
    const timer = setTimeout(() => {
      this.#typing.delete(uri);
      this.resolve(uri).catch((error: unknown) => this.#warn(error));
    }, wait);
    this.#typing.set(uri, timer);
  }

  #warn(error: unknown): void {
    if (!this.#stop.signal.aborted) this.#options.log.warn(errorMessage(error));
  }

  dispose(): void {
    this.#stop.abort();
    for (const timer of this.#typing.values()) clearTimeout(timer);
    this.#listening.dispose();
    this.#resolved.dispose();
  }
}

/** The text of a document that is not on disk yet. */
function unsavedText(uri: string): { readonly text?: string } {
  const document = vscode.workspace.textDocuments.find((one) => one.isDirty && one.uri.toString() === uri);
  return document ? { text: document.getText() } : {};
}
