import * as vscode from 'vscode';
import { NO_HEADLINES, resultsChanged } from '../protocol/messages.ts';
import { type ResultsOutline, resultsOutline } from '../protocol/results-outline.ts';
import type { LanguageServer } from './language-server.ts';
import { DEFAULT_VIEW, type ViewSettings } from './view-settings.ts';

/** The number of files per page. */
const PAGE = 200;

/** The minimum time between two requests while results arrive. */
const INTERVAL_MS = 250;

const EMPTY: ResultsOutline = {
  total: 0,
  rows: [],
  headlines: NO_HEADLINES,
  unreadable: 0,
  lookalikes: 0,
  judges: [],
  judged: 0,
};

/** The changed files; undefined: any file. */
export type ChangedFiles = ReadonlySet<string> | undefined;

/** The part of the server that this model uses. */
type ResultsSource = Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification' | 'onDidChangeState'>;

/** The outline of the results, requested again whenever the server reports a change. */
export class ResultsModel implements vscode.Disposable {
  readonly #server: ResultsSource;
  readonly #log: Pick<vscode.LogOutputChannel, 'warn'>;
  readonly #listOptions: () => Pick<ViewSettings, 'sort' | 'problemsOnly'>;
  readonly #changed = new vscode.EventEmitter<ChangedFiles>();
  readonly #listening: vscode.Disposable;
  #now: ResultsOutline = EMPTY;
  #uris: ReadonlySet<string> = new Set();
  #limit = PAGE;
  #waiting: { readonly timer: NodeJS.Timeout; readonly uris: Set<string> | undefined } | undefined;
  #last = 0;

  readonly onDidChange = this.#changed.event;

  constructor(
    server: ResultsSource,
    log: Pick<vscode.LogOutputChannel, 'warn'>,
    listOptions: () => Pick<ViewSettings, 'sort' | 'problemsOnly'> = () => DEFAULT_VIEW,
  ) {
    this.#server = server;
    this.#log = log;
    this.#listOptions = listOptions;
    server.onNotification(resultsChanged, ({ uris }) => this.#refreshSoon(uris));
    this.#listening = server.onDidChangeState((state) => {
      if (state === 'on') this.#refreshSoon(undefined);
      // A restarted server restores its results.
      if (state === 'broken') this.#set(EMPTY, undefined);
    });
  }

  get snapshot(): ResultsOutline {
    return this.#now;
  }

  /** Whether a file is listed. */
  hasFile(uri: vscode.Uri): boolean {
    return this.#uris.has(uri.toString());
  }

  /** Whether any file was evaluated. */
  get hasResults(): boolean {
    return this.#now.rows.some(({ file }) => file.state !== 'new');
  }

  /** Whether any session failed or any file has problems. */
  get hasFailed(): boolean {
    return this.#now.headlines.failed > 0 || this.#now.rows.some(({ file }) => file.problems.length > 0);
  }

  /** Lists files that can be evaluated, until the server runs and lists them itself. */
  showCandidates(uris: readonly string[]): void {
    const rows = uris.map((uri) => ({
      file: { uri, state: 'new' as const, sessions: 0, headlines: NO_HEADLINES, risk: null, problems: [] },
      session: null,
    }));
    this.#set({ ...EMPTY, total: rows.length, rows }, undefined);
  }

  /** Loads one more page of files. */
  async loadMore(): Promise<void> {
    this.#limit += PAGE;
    await this.refresh();
  }

  /** Resolves when the snapshot is up to date. */
  async refresh(): Promise<void> {
    await this.#ask(undefined);
  }

  #refreshSoon(uris: readonly string[] | undefined): void {
    const waiting = this.#waiting;
    clearTimeout(waiting?.timer);
    const all = uris && (!waiting || waiting.uris) ? new Set([...(waiting?.uris ?? []), ...uris]) : undefined;
    const wait = Math.max(0, this.#last + INTERVAL_MS - Date.now());
    const timer = setTimeout(() => {
      this.#waiting = undefined;
      this.#ask(all).catch((error: unknown) => this.#log.warn(String(error)));
    }, wait);
    this.#waiting = { timer, uris: all };
  }

  async #ask(uris: ChangedFiles): Promise<void> {
    this.#last = Date.now();
    // A request would start the server.
    if (!this.#server.isRunning) return;
    const now = await this.#server.request(resultsOutline, { offset: 0, limit: this.#limit, ...this.#listOptions() });
    this.#last = Date.now();
    this.#set(now, uris);
  }

  #set(now: ResultsOutline, uris: ChangedFiles): void {
    this.#now = now;
    this.#uris = new Set(now.rows.map(({ file }) => vscode.Uri.parse(file.uri).toString()));
    this.#changed.fire(uris);
  }

  dispose(): void {
    clearTimeout(this.#waiting?.timer);
    this.#listening.dispose();
    this.#changed.dispose();
  }
}
