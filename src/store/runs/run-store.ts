import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { RunManifest } from '../../core/run-record.ts';
import { writeFile } from '../../output/write-file.ts';
import type { Remedies } from '../../runs/remedies.ts';
import { shortRunId } from '../../runs/run-label.ts';
import type {
  RecordedAttemptRow,
  RunBounds,
  RunListing,
  RunQuery,
  RunRecord,
  RunStore,
  RunWriter,
} from '../../runs/run-store.ts';
import { createPrivateFolder } from '../private-folder.ts';
import { findRun, isReservedName, looksLikePath, runNotFound } from './find-run.ts';
import { copyArchive, openArchive } from './record-archive.ts';
import { isRunId, MANIFEST, projectKey, readManifest } from './record-folder.ts';
import { exportRecord, openRecordArchive, openRecordFolder } from './record-reader.ts';
import { openRecordWriter, removeUnfinishedCompression, writeManifest } from './record-writer.ts';
import { BASELINE, PARTIAL, REFERENCE } from './run-entry.ts';
import { RunList } from './run-list.ts';
import { RecordInUse, releaseLock } from './writer-lock.ts';

export interface RunStoreOptions {
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** Called with a sentence if a run cannot be listed. */
  readonly warn: (sentence: string) => void;
  /** Those of the place where errors are read; by default of the command line. */
  readonly remedies?: Remedies;
}

/** @param home see `dataFolder` */
export function openRunStore(home: string, options: RunStoreOptions): RunStore {
  return new DiskRunStore(join(home, 'runs'), options);
}

/** A folder that is being deleted has this name, so that nothing takes it for a run. */
const DELETED = '.deleted-';

const MAX_NAME = 100;

class DiskRunStore implements RunStore {
  readonly folder: string;
  readonly #options: RunStoreOptions;
  readonly #list: RunList;

  constructor(folder: string, options: RunStoreOptions) {
    this.folder = folder;
    this.#options = options;
    this.#list = new RunList(folder, options.warn);
  }

  async create(manifest: RunManifest, elsewhere?: string): Promise<RunWriter> {
    const folder = this.#folderOf(manifest);
    if (existsSync(join(folder, MANIFEST))) throw new Error(`There is a run with the id ${manifest.id} already.`);
    if (elsewhere === undefined) {
      createPrivateFolder(folder);
      return await this.#write(folder, manifest, null);
    }
    const path = resolve(this.#options.cwd, elsewhere);
    const target = isArchive(path) ? path : join(path, manifest.id);
    const record = isArchive(path) ? `${path}${PARTIAL}` : target;
    await checkReplaceable(target);
    await mkdir(record, { recursive: true });
    if (existsSync(join(record, MANIFEST))) {
      throw new Error(`${record} has a record already. Delete it, or choose another path.`);
    }
    await this.#refer(folder, manifest, target);
    return await this.#write(record, manifest, target);
  }

  async resume(record: RunRecord, manifest: RunManifest): Promise<RunWriter> {
    const { id, state } = record.manifest;
    if (state === 'complete') throw completeError(id);
    if (id !== manifest.id) throw new Error(`Run ${shortRunId(id)} cannot be continued as ${manifest.id}.`);
    if (!isFolder(record.path)) throw new Error(`${record.path} cannot be continued: unpack it first.`);
    const isOwn = resolve(record.path) === resolve(this.#folderOf(manifest));
    const target = record.path.endsWith(PARTIAL) ? record.path.slice(0, -PARTIAL.length) : record.path;
    // Another process may have completed it since it was read.
    const check = () => {
      if (readManifest(record.path).state === 'complete') throw completeError(id);
    };
    return await this.#write(record.path, manifest, isOwn ? null : target, check);
  }

  list(query: RunQuery): readonly RunListing[] {
    return this.#list.list(query);
  }

  async find(reference: string, project: string): Promise<RunRecord> {
    const path = resolve(this.#options.cwd, reference);
    if (looksLikePath(reference)) return await openPath(path);
    const ofProject = this.list({ project });
    const run = findRun(reference, ofProject, () => this.list({ project: null }));
    if (run) return await openListed(run);
    if (existsSync(path)) return await openPath(path);
    throw runNotFound(reference, ofProject, this.#options.remedies);
  }

  async attempts(run: RunListing, groups: ReadonlySet<string>): Promise<readonly RecordedAttemptRow[]> {
    const record = await openListed(run);
    return await record.attempts(groups);
  }

  async rename(id: string, name: string | null): Promise<void> {
    const { folder, listing } = this.#require(id);
    if (name !== null) this.#checkName(name, listing);
    await this.#change(folder, async () => {
      const { name: _, ...manifest } = readManifest(folder);
      await writeManifest(folder, name === null ? manifest : { ...manifest, name });
    });
  }

  async interrupt(id: string, stoppedBy: string): Promise<void> {
    const { folder, listing } = this.#require(id);
    const manifest = readManifest(listing.path);
    if (manifest.state !== 'running' || !releaseLock(listing.path)) return;
    await this.#change(folder, () => writeManifest(listing.path, { ...manifest, state: 'interrupted', stoppedBy }));
  }

  async setBaseline(id: string, isBaseline: boolean): Promise<void> {
    const { folder } = this.#require(id);
    const file = join(folder, BASELINE);
    await this.#change(folder, () =>
      isBaseline ? writeFile(file, `${new Date().toISOString()}\n`) : rm(file, { force: true }),
    );
  }

  async delete(ids: readonly string[]): Promise<void> {
    const runs = ids.map((id) => this.#require(id));
    const live = runs.find(({ listing }) => listing.isLive);
    if (live) throw new Error(`Run ${shortRunId(live.listing.manifest.id)} is still being written.`);
    for (const { folder } of runs) await this.#remove(folder);
  }

  async export(id: string, file: string): Promise<void> {
    const { listing } = this.#require(id);
    if (listing.isGone) throw new Error(goneSentence(listing));
    const target = resolve(this.#options.cwd, file);
    await checkReplaceable(target);
    await (isArchive(listing.path) ? copyArchive : exportRecord)(listing.path, target);
  }

  async retain(project: string, { own, ...bounds }: RunBounds): Promise<readonly RunListing[]> {
    const removed: RunListing[] = [];
    let [runs, bytes] = [0, 0];
    for (const listing of this.list({ project })) {
      runs += 1;
      bytes += listing.bytes;
      // The newest one stays whatever its size, and so does the last one: with a clock that was set back, it is not the newest.
      if (listing.isBaseline || listing.isLive || runs === 1 || listing.manifest.id === own) continue;
      if (runs <= bounds.runs && bytes <= bounds.bytes) continue;
      await this.#remove(this.#folderOf(listing.manifest));
      runs -= 1;
      bytes -= listing.bytes;
      removed.push(listing);
    }
    for (const listing of this.list({ project })) {
      if (!listing.isLive) await removeUnfinishedCompression(this.#folderOf(listing.manifest));
    }
    await this.#removeLeftovers(join(this.folder, projectKey(project)));
    return removed;
  }

  [Symbol.dispose](): void {
    this.#list[Symbol.dispose]();
  }

  /** @param target where it is recorded, if it is elsewhere */
  async #write(folder: string, manifest: RunManifest, target: string | null, check?: () => void): Promise<RunWriter> {
    const own = this.#folderOf(manifest);
    const writer = await openRecordWriter(folder, manifest, {
      check,
      onFinish: async (last) => {
        if (target !== null && isArchive(target)) {
          await exportRecord(folder, target);
          await rm(folder, { recursive: true });
        }
        await this.#change(own, () => (target === null ? Promise.resolve() : this.#refer(own, last, target)));
      },
    }).catch((error: unknown) => {
      if (!(error instanceof RecordInUse)) throw error;
      throw new Error(`Run ${shortRunId(manifest.id)} is still being written by another process.`);
    });
    await this.#change(own, async () => {});
    return writer;
  }

  /** Stores where a run is recorded. A data folder that cannot be written costs only the place in the list. */
  async #refer(folder: string, manifest: RunManifest, path: string): Promise<void> {
    try {
      createPrivateFolder(folder);
      await writeFile(join(folder, REFERENCE), `${JSON.stringify({ path })}\n`);
      await writeManifest(folder, manifest);
    } catch {
      this.#options.warn(`The run in ${path} will not be listed: ${folder} cannot be written.`);
    }
  }

  #change(folder: string, work: () => Promise<void>): Promise<void> {
    return this.#list.change(basename(dirname(folder)), basename(folder), work);
  }

  #folderOf({ project, id }: Pick<RunManifest, 'project' | 'id'>): string {
    if (!isRunId(id)) throw new Error(`${JSON.stringify(id)} is no id of a run.`);
    return join(this.folder, projectKey(project), id);
  }

  /** @throws Error with a sentence where there is none */
  #require(id: string): { readonly folder: string; readonly listing: RunListing } {
    const listing = this.list({ project: null }).find(({ manifest }) => manifest.id === id);
    if (!listing) throw new Error(`There is no run with the id ${id} any more.`);
    return { folder: this.#folderOf(listing.manifest), listing };
  }

  #checkName(name: string, { manifest }: RunListing): void {
    if (name.trim() === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name)) {
      throw new Error(`A name has 1 to ${MAX_NAME} characters, on one line.`);
    }
    if (isReservedName(name)) throw new Error(`"${name}" cannot be a name: it already means something else.`);
    const other = this.list({ project: manifest.project }).find((run) => run.manifest.name === name);
    if (other && other.manifest.id !== manifest.id) {
      throw new Error(`Run ${shortRunId(other.manifest.id)} has the name "${name}". Choose another one.`);
    }
  }

  /** Deletes a folder that is really a folder in this one. What is recorded elsewhere stays. */
  async #remove(folder: string): Promise<void> {
    if (!lstatSync(folder).isDirectory()) return;
    const doomed = join(dirname(folder), `${DELETED}${randomUUID()}`);
    await this.#change(folder, async () => {
      await rename(folder, doomed);
      await rm(doomed, { recursive: true, force: true });
    });
  }

  async #removeLeftovers(folder: string): Promise<void> {
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      if (name.startsWith(DELETED)) await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}

function completeError(id: string): Error {
  return new Error(`Run ${shortRunId(id)} is complete: there is nothing to resume.`);
}

async function openListed(listing: RunListing): Promise<RunRecord> {
  if (listing.isGone) throw new Error(goneSentence(listing));
  return await openPath(listing.path);
}

function goneSentence({ manifest, path }: RunListing): string {
  return `Run ${shortRunId(manifest.id)} was recorded in ${path}, where it is no longer.`;
}

/** Opens the record in a folder or file, or the newest one in a folder of several. */
async function openPath(path: string): Promise<RunRecord> {
  const [newest] = await openRecords(path, false);
  if (!newest) throw new Error(`${path} has no recorded run: it has no ${MANIFEST}.`);
  return newest;
}

/**
 * Opens the record in a folder or file, or all in a folder of several, the newest first.
 *
 * @param withArchives whether records in one file each count, too. @throws Error with a sentence where there is nothing
 */
export async function openRecords(path: string, withArchives = true): Promise<readonly RunRecord[]> {
  if (!existsSync(path)) throw new Error(`${path} does not exist.`);
  if (!isFolder(path)) return [isArchive(path) ? await openRecordArchive(path) : openFolderOf(path)];
  if (existsSync(join(path, MANIFEST))) return [openRecordFolder(path)];
  const records: RunRecord[] = [];
  for (const name of readdirSync(path)) {
    const entry = join(path, name);
    if (existsSync(join(entry, MANIFEST))) records.push(openRecordFolder(entry));
    else if (withArchives && isArchive(entry)) records.push(await openRecordArchive(entry));
  }
  return records.sort((a, b) => (a.manifest.startedAt < b.manifest.startedAt ? 1 : -1));
}

/** @param file in the folder of a record @throws Error with a sentence */
function openFolderOf(file: string): RunRecord {
  const folder = dirname(file);
  if (existsSync(join(folder, MANIFEST))) return openRecordFolder(folder);
  throw new Error(`${file} is not a recorded run: that is a folder with ${MANIFEST}, or a zip file.`);
}

/** Only a record in one file is replaced by another. @returns the run that would be lost. @throws Error with a sentence */
export async function checkReplaceable(file: string): Promise<RunManifest | null> {
  if (!isArchive(file)) return null;
  const stats = statSync(file, { throwIfNoEntry: false });
  const isEmpty = stats?.isFile() && stats.size === 0;
  if (!stats || isEmpty) return null;
  const replaced = await openArchive(file).catch(() => null);
  if (replaced) return replaced.manifest;
  throw new Error(`${file} is not a recorded run, and is not replaced. Name another file.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isArchive(path: string): boolean {
  return /\.zip$/i.test(path);
}
