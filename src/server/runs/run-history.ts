import { memoize } from '../../core/cache/memoize.ts';
import type { RunListing, RunStore } from '../../runs/run-store.ts';
import type { AnswerRuns } from './run-answers.ts';
import type { RunReference, SessionsSoFar } from './run-rows.ts';

interface RunHistoryOptions {
  readonly store: RunStore;
  /** Paths of the open folders, kept current. */
  readonly folders: ReadonlySet<string>;
  /** The project of a folder. */
  readonly findProject: (folder: string) => Promise<string>;
  readonly answer: AnswerRuns;
  /** Calls back whenever something in a folder changes. */
  readonly watch: (folder: string, onChange: () => void) => Disposable;
  /** Runs have changed. @param progressed only these, which are being written; undefined: any */
  readonly notify: (progressed?: readonly string[]) => void;
}

/** How many runs are compared to find out whether the list has changed. */
const NEWEST = 100;
const PAGE = 200;
/** Other processes write several times when a run begins or ends. */
const SETTLE_MS = 250;
/** How often the sessions of a run that is being written are counted, at most. */
const PROGRESS_MS = 2000;
/** Counting them takes at most this share of the time. */
const PROGRESS_SHARE = 20;

/** The recorded runs of the open folders, and their changes from wherever they come. */
export class RunHistory implements Disposable {
  readonly #options: RunHistoryOptions;
  readonly #projectOf = memoize((folder: string) => this.#options.findProject(folder));
  /** Of runs that are being written, and of incomplete ones whose record does not say it, by id. */
  readonly #progress = new Map<string, SessionsSoFar>();
  /** Of these, the runs that do not grow any more. */
  readonly #counted = new Set<string>();
  #watching: Disposable | undefined;
  #settling: NodeJS.Timeout | undefined;
  #counting: NodeJS.Timeout | undefined;
  #seen = '';
  #isDisposed = false;

  constructor(options: RunHistoryOptions) {
    this.#options = options;
  }

  /** A page of the list, the newest first. From now on changes are noticed. */
  async list(
    offset: number,
    limit: number,
  ): Promise<{ readonly runs: readonly RunListing[]; readonly hasMore: boolean }> {
    const projects = await this.projects();
    this.#watch(projects);
    const found = this.#page(projects, offset, limit + 1);
    const runs = found.slice(0, limit);
    this.#countSoon(runs.filter(({ manifest: { totals }, isGone }) => totals === null && !isGone));
    return { runs, hasMore: found.length > limit };
  }

  /** The projects of the open folders; all where no folder is open. */
  async projects(): Promise<readonly string[] | null> {
    const folders = [...this.#options.folders];
    if (folders.length === 0) return null;
    return [...new Set(await Promise.all(folders.map((folder) => this.#projectOf(folder))))];
  }

  async find(id: string): Promise<RunListing | null> {
    for (const run of this.#each(await this.projects())) if (run.manifest.id === id) return run;
    return null;
  }

  /** @throws Error with a sentence where there is none */
  async reference(id: string): Promise<RunReference> {
    const run = await this.find(id);
    if (!run) throw new Error(`The run ${id} is not recorded any more.`);
    return { id, project: run.manifest.project };
  }

  /** The newest complete run of the same project before a run. */
  async previous(id: string): Promise<RunListing | null> {
    const run = await this.find(id);
    if (!run) return null;
    const { project, startedAt } = run.manifest;
    for (const other of this.#each([project])) {
      const { manifest, isGone } = other;
      if (manifest.startedAt < startedAt && manifest.state === 'complete' && !isGone) return other;
    }
    return null;
  }

  progress(id: string): SessionsSoFar | undefined {
    return this.#progress.get(id);
  }

  /** This server has changed runs. */
  changed(): void {
    this.#options.notify();
  }

  #page(projects: readonly string[] | null, offset: number, limit: number): readonly RunListing[] {
    const { store } = this.#options;
    if (projects === null) return store.list({ project: null, offset, limit });
    const [only, ...others] = projects;
    if (only !== undefined && others.length === 0) return store.list({ project: only, offset, limit });
    return projects
      .flatMap((project) => store.list({ project, limit: offset + limit }))
      .sort((a, b) => (a.manifest.startedAt < b.manifest.startedAt ? 1 : -1))
      .slice(offset, offset + limit);
  }

  /** All runs, the newest first, as far as they are wanted. */
  *#each(projects: readonly string[] | null): Generator<RunListing, void> {
    for (let offset = 0; ; offset += PAGE) {
      const page = this.#page(projects, offset, PAGE);
      yield* page;
      if (page.length < PAGE) return;
    }
  }

  /** The index of the runs is in one folder: something in it changes when a run does. */
  #watch(projects: readonly string[] | null): void {
    this.#seen = this.#newest(projects);
    if (this.#watching || this.#isDisposed) return;
    this.#watching = this.#options.watch(this.#options.store.folder, () => {
      this.#settling ??= setTimeout(() => void this.#check(), SETTLE_MS);
      this.#settling.unref();
    });
  }

  async #check(): Promise<void> {
    this.#settling = undefined;
    const newest = this.#newest(await this.projects());
    if (newest === this.#seen || this.#isDisposed) return;
    this.#seen = newest;
    this.#options.notify();
  }

  #newest(projects: readonly string[] | null): string {
    const runs = this.#page(projects, 0, NEWEST);
    return JSON.stringify(
      runs.map(({ manifest: { id, name, state }, baselineSince, isLive }) => [id, name, state, baselineSince, isLive]),
    );
  }

  /** Nobody is told again unless the list is asked for again. */
  #countSoon(incomplete: readonly RunListing[]): void {
    const ids = new Set(incomplete.map(({ manifest: { id } }) => id));
    for (const id of this.#progress.keys()) if (!ids.has(id)) this.#progress.delete(id);
    for (const id of this.#counted) if (!ids.has(id)) this.#counted.delete(id);
    const growing = incomplete.filter(({ manifest: { id }, isLive }) => isLive || !this.#counted.has(id));
    if (growing.length === 0 || this.#counting) return;
    this.#counting = setTimeout(() => void this.#count(growing), this.#pause);
    this.#counting.unref();
  }

  #pause = PROGRESS_MS;

  async #count(growing: readonly RunListing[]): Promise<void> {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(60_000);
    const changed = await Promise.all(
      growing.map(async ({ manifest: { id, project }, isLive }) => {
        const now = await this.#options.answer('progress', { run: { id, project } }, signal).catch(() => null);
        if (isLive) this.#counted.delete(id);
        else this.#counted.add(id);
        if (now === null || now.sessions === this.#progress.get(id)?.sessions) return [];
        this.#progress.set(id, now);
        return [id];
      }),
    );
    this.#pause = Math.max(PROGRESS_MS, (performance.now() - startedAt) * PROGRESS_SHARE);
    this.#counting = undefined;
    if (this.#isDisposed) return;
    const progressed = changed.flat();
    if (progressed.length > 0) this.#options.notify(progressed);
    // A run that ended shows in the list; one that goes on is counted again.
    else this.#countSoon(growing.filter(({ manifest }) => this.#isLive(manifest)));
  }

  #isLive({ id, project }: RunListing['manifest']): boolean {
    return this.#options.store.list({ project, limit: PAGE }).some((run) => run.manifest.id === id && run.isLive);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#settling);
    clearTimeout(this.#counting);
    this.#watching?.[Symbol.dispose]();
  }
}
