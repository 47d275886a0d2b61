import * as vscode from 'vscode';
import { resultsChanged } from '../protocol/messages.ts';
import { type ResultsOutline, resultsOutline } from '../protocol/results-outline.ts';
import type { LanguageServer } from './language-server.ts';

/** How many files are known at first, and how many more each time. */
const PAGE = 200;

/** While results are landing, they are looked at no more often than this. */
const INTERVAL_MS = 250;

const EMPTY: ResultsOutline = {
  total: 0,
  rows: [],
  verdicts: { failed: 0, undecided: 0, passed: 0, underway: 0 },
  unreadable: 0,
  judges: [],
};

/** Which files are not as they were; undefined: any may be. */
export type ChangedFiles = ReadonlySet<string> | undefined;

/** The part of the server that is needed here. */
type ResultsSource = Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification' | 'onDidChangeState'>;

/** What the server holds, at a glance: asked for again whenever the server says that it is another. */
export class ResultsModel implements vscode.Disposable {
  readonly #server: ResultsSource;
  readonly #log: Pick<vscode.LogOutputChannel, 'warn'>;
  readonly #changed = new vscode.EventEmitter<ChangedFiles>();
  readonly #listening: vscode.Disposable;
  #now: ResultsOutline = EMPTY;
  #limit = PAGE;
  #waiting: { readonly timer: NodeJS.Timeout; readonly uris: Set<string> | undefined } | undefined;
  #last = 0;

  readonly onDidChange = this.#changed.event;

  constructor(server: ResultsSource, log: Pick<vscode.LogOutputChannel, 'warn'>) {
    this.#server = server;
    this.#log = log;
    server.onNotification(resultsChanged, ({ uris }) => this.#refreshSoon(uris));
    this.#listening = server.onDidChangeState((state) => {
      if (state === 'on') this.#refreshSoon(undefined);
      // One that is being restarted gives back what it held.
      if (state === 'broken') this.#set(EMPTY, undefined);
    });
  }

  get snapshot(): ResultsOutline {
    return this.#now;
  }

  /** Whether anything was evaluated. */
  get hasResults(): boolean {
    return this.#now.rows.some(({ file }) => file.state !== 'new');
  }

  /** Whether anything failed, or could not be read. */
  get hasFailed(): boolean {
    return this.#now.verdicts.failed > 0 || this.#now.rows.some(({ file }) => file.problems.length > 0);
  }

  /** Files that could be evaluated; of use until the server itself answers what there is. */
  showCandidates(uris: readonly string[]): void {
    const rows = uris.map((uri) => ({
      file: { uri, state: 'new' as const, sessions: 0, verdict: null, risk: null, problems: [] },
      session: null,
    }));
    this.#set({ ...EMPTY, total: rows.length, rows }, undefined);
  }

  /** Lets more files be known. */
  async loadMore(): Promise<void> {
    this.#limit += PAGE;
    await this.refresh();
  }

  /** Resolves when what is known is what is held now. */
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
    // To ask would start it.
    if (!this.#server.isRunning) return;
    const now = await this.#server.request(resultsOutline, { offset: 0, limit: this.#limit });
    this.#last = Date.now();
    this.#set(now, uris);
  }

  #set(now: ResultsOutline, uris: ChangedFiles): void {
    this.#now = now;
    this.#changed.fire(uris);
  }

  dispose(): void {
    clearTimeout(this.#waiting?.timer);
    this.#listening.dispose();
    this.#changed.dispose();
  }
}
