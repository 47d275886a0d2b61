import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunListing, RunQuery } from '../../runs/run-store.ts';
import { deleteDatabase } from '../database.ts';
import { isCorrupt, loadSqlite } from '../sqlite.ts';
import { isRunId, projectKey, UnreadableRecord } from './record-folder.ts';
import { type RunEntry, readEntry, toListing } from './run-entry.ts';
import { type IndexedRun, RunIndex } from './run-index.ts';

const INDEX = 'index.db';

/**
 * The runs in the data folder. The folders are what counts: the index only saves reading their manifests, and a list compares the
 * names in it with those on the disk. Before a run changes it is removed from the index, and it is added afterwards, so that an interrupted
 * change cannot leave an old entry.
 */
export class RunList implements Disposable {
  /** Of all projects. */
  readonly folder: string;
  readonly #warn: (sentence: string) => void;
  /** Undefined before it is needed, null where there is none. */
  #index: RunIndex | null | undefined;
  #hasWarned = false;

  constructor(folder: string, warn: (sentence: string) => void) {
    this.folder = folder;
    this.#warn = warn;
  }

  list({ project, offset = 0, limit = -1, after = '' }: RunQuery): readonly RunListing[] {
    if (!existsSync(this.folder)) return [];
    const key = project === null ? null : projectKey(project);
    const runs =
      this.#withIndex((index) => {
        const keys = key === null ? new Set([...this.#keys(), ...index.keys()]) : [key];
        for (const one of keys) this.#update(index, one);
        return index.query({ key, after, offset, limit });
      }) ?? page(this.#read(key === null ? this.#keys() : [key]), after, offset, limit);
    const entries: readonly RunEntry[] = JSON.parse(`[${runs.map(({ entry }) => entry).join(',')}]`);
    return entries.map((entry, index) => {
      const { key: ofRun = '', id = '' } = runs[index] ?? {};
      const listing = toListing(entry, join(this.folder, ofRun, id));
      return listing.manifest.state === 'running' && !listing.isLive ? this.#reread(ofRun, id, listing) : listing;
    });
  }

  /** Its process may have been killed when the run had ended, before the index knew. */
  #reread(key: string, id: string, listing: RunListing): RunListing {
    const run = this.#entry(key, id);
    if (!run) return listing;
    const entry: RunEntry = JSON.parse(run.entry);
    if (entry.manifest.state !== 'running') this.#withIndex((index) => index.put([run]));
    return toListing(entry, join(this.folder, key, id));
  }

  /** Runs what changes the folder of a run, with no entry of it in the index meanwhile. */
  async change(key: string, id: string, work: () => Promise<void>): Promise<void> {
    this.#withIndex((index) => index.delete(key, [id]));
    await work();
    const run = existsSync(join(this.folder, key, id)) ? this.#entry(key, id) : null;
    if (run) this.#withIndex((index) => index.put([run]));
  }

  [Symbol.dispose](): void {
    this.#index?.[Symbol.dispose]();
    this.#index = null;
  }

  #update(index: RunIndex, key: string): void {
    const names = new Set(this.#ids(key));
    const known = index.ids(key);
    const gone = [...known].filter((id) => !names.has(id));
    if (gone.length > 0) index.delete(key, gone);
    const added = this.#entries(
      key,
      [...names].filter((id) => !known.has(id)),
    );
    if (added.length > 0) index.put(added);
  }

  /** Without an index: everything is read. The newest first. */
  #read(keys: readonly string[]): IndexedRun[] {
    const runs = keys.flatMap((key) => this.#entries(key, this.#ids(key)));
    return runs.sort((a, b) => compare(b.startedAt, a.startedAt) || compare(b.id, a.id));
  }

  #entries(key: string, ids: readonly string[]): IndexedRun[] {
    return ids.flatMap((id) => this.#entry(key, id) ?? []);
  }

  /** Null where it cannot be read. */
  #entry(key: string, id: string): IndexedRun | null {
    try {
      const entry: RunEntry = readEntry(join(this.folder, key, id));
      return { key, id, startedAt: entry.manifest.startedAt, entry: JSON.stringify(entry) };
    } catch (error) {
      // A run that has just been begun, or deleted, has no manifest.
      if (error instanceof UnreadableRecord && !this.#hasWarned) {
        this.#hasWarned = true;
        this.#warn(`A recorded run is not listed. ${error.message}`);
      }
      return null;
    }
  }

  #ids(key: string): string[] {
    return folders(join(this.folder, key)).filter(isRunId);
  }

  #keys(): string[] {
    return folders(this.folder);
  }

  /** If the index is damaged, it is rebuilt. Null where it cannot be used. */
  #withIndex<T>(work: (index: RunIndex) => T): T | null {
    for (let isRetry = false; ; isRetry = true) {
      try {
        this.#index ??= this.#open();
        return this.#index && work(this.#index);
      } catch (error) {
        if (isRetry || !isCorrupt(error)) return null;
        this.#index?.[Symbol.dispose]();
        this.#index = undefined;
        deleteDatabase(join(this.folder, INDEX));
      }
    }
  }

  #open(): RunIndex | null {
    return loadSqlite() ? new RunIndex(join(this.folder, INDEX)) : null;
  }
}

function page(runs: readonly IndexedRun[], after: string, offset: number, limit: number): readonly IndexedRun[] {
  const later = runs.filter(({ startedAt }) => startedAt > after);
  return later.slice(offset, limit < 0 ? undefined : offset + limit);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The names of folders in a folder; links are none. */
function folders(path: string): string[] {
  const isFolder = (entry: Dirent) => entry.isDirectory();
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(isFolder)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
