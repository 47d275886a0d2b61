import { dirname, join, relative, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { escape as escapeGlob } from 'minimatch';
import { configuredTraces } from '../../app/configured-traces.ts';
import { loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import { isTraceCandidate } from '../../core/trace-file-names.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { isFoundInFolder } from '../../input/walk-inputs.ts';
import { isTraceByName } from '../disk/trace-globs.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';

interface TraceSearchOptions {
  readonly files: Pick<FileSystem, 'list' | 'leadsOutside'>;
  /** Whether a file looks like a trace, by its content. */
  readonly looksLikeTrace: (path: string) => Promise<boolean>;
  readonly results: Pick<EvaluationResults, 'file' | 'addCandidate' | 'removeCandidate' | 'setLookalikes'>;
  /** The open folders, kept current. */
  readonly folders: ReadonlySet<string>;
  /** Globs of files that are traces by their names, those of configurations included. */
  readonly traces: () => readonly string[];
  readonly isTrusted: () => boolean;
  /** Whether nothing is evaluated. */
  readonly isIdle: () => boolean;
  /** The globs of traces in configurations have changed. They are absolute. */
  readonly onConfigured: (globs: readonly string[]) => void;
  readonly refresh: (paths: Iterable<string>) => void;
  readonly idleMs?: number;
}

/** Waits until the editor has shown what the user asked for. */
const IDLE_MS = 2000;

/** Limits of one search. What is beyond them is found when its folder is evaluated. */
const MAX_ENTRIES = 20_000;
const MAX_SNIFFED = 1000;

/** After this many files, others may go on. */
const FILES_PER_PAUSE = 10;

/**
 * Finds the traces of the open folders that the editor does not know by their names: those that `traces` of a configuration
 * names, and those that look like traces by their content. Works while nothing else does.
 */
export class TraceSearch implements Disposable {
  readonly #options: TraceSearchOptions;
  #configured: readonly string[] = [];
  /** Files that are listed because a configuration names them. */
  #named: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #stop = new AbortController();
  /** Whether the editor lists traces. */
  #isListing = false;

  constructor(options: TraceSearchOptions) {
    this.#options = options;
  }

  /** Whether a file is listed because a configuration names it. */
  hasNamed(path: string): boolean {
    return this.#named.has(path);
  }

  /** Reads `traces` of the configuration of each open folder. Code runs in trusted folders only. */
  async readConfigurations(): Promise<void> {
    const { folders, isTrusted, onConfigured } = this.#options;
    const code = isTrusted() ? 'run' : 'refuse';
    const loaded = await Promise.all(
      Array.from(folders, async (cwd) => {
        const traces = configuredTraces(await loadConfiguration({ cwd, registry: REGISTRY, code, agentest: 'ignore' }));
        const base = resolve(cwd, dirname(traces?.file ?? '.'));
        return (traces?.globs ?? []).map((glob) => absoluteGlob(base, glob));
      }),
    );
    const globs = [...new Set(loaded.flat())];
    if (globs.join('\n') === this.#configured.join('\n')) return;
    this.#configured = globs;
    onConfigured(globs);
    if (this.#isListing) this.schedule();
  }

  /** The editor lists traces: searches soon, while nothing is evaluated. */
  schedule(): void {
    this.#isListing = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#options.isIdle()) void this.run();
      else this.schedule();
    }, this.#options.idleMs ?? IDLE_MS);
    this.#timer.unref();
  }

  /** Searches now. A later search replaces this one. */
  async run(): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const found = await this.#search(signal);
    if (signal.aborted) return;
    const { results, refresh } = this.#options;
    const gone = [...this.#named].filter((path) => !found.named.has(path));
    const changed = [
      ...gone.filter((path) => results.removeCandidate(path)),
      ...[...found.named].filter((path) => results.addCandidate(path)),
      ...results.setLookalikes(found.lookalikes),
    ];
    this.#named = found.named;
    if (changed.length > 0) refresh(changed);
  }

  async #search(signal: AbortSignal): Promise<{ readonly named: Set<string>; readonly lookalikes: string[] }> {
    const { results, folders, traces, looksLikeTrace } = this.#options;
    const named = new Set<string>();
    const lookalikes: string[] = [];
    let sniffed = 0;
    for await (const path of this.#files(signal)) {
      if (sniffed % FILES_PER_PAUSE === 0) await setImmediate();
      const uri = pathToFileURL(path).href;
      if (isTraceByName(uri, this.#configured, folders)) named.add(path);
      else if (!results.file(path) && !isTraceByName(uri, traces(), folders) && sniffed < MAX_SNIFFED) {
        sniffed += 1;
        if (await looksLikeTrace(path)) lookalikes.push(path);
      }
    }
    return { named, lookalikes };
  }

  /** The files of the open folders that may be traces. */
  async *#files(signal: AbortSignal): AsyncGenerator<string> {
    const { files, folders } = this.#options;
    const parts = new Set(this.#configured.flatMap((glob) => glob.split('/')));
    let entries = 0;
    for (const root of folders) {
      const open = [root];
      for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
        const inside = await files.list(folder).catch(() => []);
        for (const { name, kind, isLink } of inside) {
          entries += 1;
          if (signal.aborted || entries > MAX_ENTRIES) return;
          const path = join(folder, name);
          if (kind === 'directory') {
            if (name !== 'node_modules' && (!name.startsWith('.') || parts.has(name))) open.push(path);
          } else if (
            kind === 'file' &&
            isFoundInFolder(name) &&
            isTraceCandidate(relative(root, path), this.#configured)
          ) {
            if (!isLink || !(await files.leadsOutside(path, root))) yield path;
          }
        }
      }
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
  }
}

/** A glob of a configuration as one that matches whole paths. A folder stands for everything in it. */
function absoluteGlob(folder: string, glob: string): string {
  const base = escapeGlob(folder.replaceAll('\\', '/'), { windowsPathsNoEscape: true });
  const plain = glob.replace(/^\.\//, '').replace(/\/$/, '');
  const isFolder = !/[*?{[]|\.\w+$/.test(plain);
  return `${base.replace(/\/$/, '')}/${plain}${isFolder ? '/**' : ''}`;
}
