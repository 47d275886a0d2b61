import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, inflate } from 'node:zlib';
import { findConfiguration } from '../../config/discover.ts';
import type { ResultsStore, StoredFileResults } from '../../store/results-store.ts';
import { type FileStamps, UNREADABLE_HASH } from '../disk/file-stamps.ts';
import type { DirtyDocuments } from './dirty-documents.ts';
import { companionInputPaths, EvaluatedFile } from './evaluated-file.ts';
import type { EvaluationResults } from './evaluation-results.ts';
import { jsonChunks } from './json-stream.ts';
import {
  omitMetadata,
  PERSISTED_FORMAT,
  type PersistedResults,
  parsePersistedResults,
  toEvaluationInputs,
} from './persisted-results.ts';

interface PersistenceOptions {
  readonly results: EvaluationResults;
  readonly disk: FileStamps;
  readonly documents: DirtyDocuments;
  /** Null: nothing is kept. */
  readonly store: ResultsStore | null;
  readonly refreshSoon: (paths: Iterable<string>) => void;
}

/** So many at a time, that nobody who also writes waits long. */
const BATCH_SIZE = 50;

/** Lets what is held outlive the server: kept in the background, and brought back when somebody asks. */
export class ResultsPersistence {
  readonly #parts: PersistenceOptions;
  readonly #now: () => number;
  /** Files of which something else is held than is kept. */
  readonly #changed = new Set<string>();
  #clearings = 0;
  #working: Promise<void> | undefined;
  #bringing: Promise<unknown> = Promise.resolve();

  constructor(parts: PersistenceOptions, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Something else is held of these now, or nothing. */
  save(paths: Iterable<string>): void {
    if (!this.#parts.store) return;
    for (const path of paths) this.#changed.add(path);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Nothing is in these folders but what is held of them, whatever was kept before. */
  saveFolders(paths: readonly string[]): void {
    if (paths.length > 0) this.save(this.#parts.store?.pathsUnder(paths) ?? []);
  }

  /** Resolves when all is kept. */
  async flush(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#changed.size > 0) {
      const [begun, made, gone] = [this.#clearings, new Map<string, StoredFileResults>(), new Set<string>()];
      for (const path of [...this.#changed].slice(0, BATCH_SIZE)) {
        // Whoever is waiting for an answer comes first.
        await promisify(setImmediate)();
        this.#changed.delete(path);
        const kept = await this.#made(path);
        if (kept) made.set(path, kept);
        else gone.add(path);
      }
      // What was made before everything was forgotten is forgotten.
      if (begun !== this.#clearings) continue;
      // A run tells of folders, too, and of the working folder what is about no single file: what is in them stays.
      if (gone.size > 0) this.#parts.store?.deleteFiles([...gone]);
      if (made.size > 0) this.#parts.store?.save([...made.values()]);
    }
  }

  /** Null where nothing is held of the file, or not by itself, or too much to be written. */
  async #made(path: string): Promise<StoredFileResults | null> {
    const { results } = this.#parts;
    const { sessions, problems } = results.persistableIn(path);
    if (sessions.length + problems.length === 0) return null;
    const own = results.file(path);
    const stamps = new Map(own?.stamp ? [[path, own.stamp]] : []);
    for (const [of, { stamp }] of sessions.flatMap((session) => [...results.versionsOf(session)])) {
      // Of two texts in one file, one is not the file's any more: all of it is to come back as changed.
      const isOther = stamp && stamps.has(of) && stamps.get(of)?.hash !== stamp.hash;
      if (stamp) stamps.set(of, isOther ? { ...stamp, hash: UNREADABLE_HASH } : stamp);
    }
    const { beside = [], above = [] } = own?.inputs ?? {};
    const kept: PersistedResults = { sessions, problems, texts: [...stamps], beside: [...beside], above: [...above] };
    try {
      const content = await deflateChunks(jsonChunks(kept, omitMetadata));
      const hash = stamps.get(path)?.hash ?? null;
      return { path, hash, evaluatedAt: this.#now(), format: PERSISTED_FORMAT, content };
    } catch {
      return null;
    }
  }

  /** Forgets what was kept of these files, and of those in these folders. */
  forget(paths: readonly string[]): void {
    this.#changed.clear();
    this.#clearings += 1;
    this.#parts.store?.delete(paths);
  }

  /** Brings back what was kept of these files and folders, but for what is held already. @returns how many files came back. */
  restore(paths: readonly string[]): Promise<number> {
    const restored = this.#bringing.then(() => this.#restore(paths));
    this.#bringing = restored.catch(() => {});
    return restored;
  }

  async #restore(paths: readonly string[]): Promise<number> {
    const { store, refreshSoon } = this.#parts;
    const configurations = new Map<string, Promise<readonly string[]>>();
    const back: string[] = [];
    const begun = this.#clearings;
    for (const path of store?.pathsUnder(paths) ?? []) {
      const isBack = await this.#bringBack(path, configurations, () => begun === this.#clearings);
      if (begun !== this.#clearings) break;
      if (!isBack) continue;
      refreshSoon([path]);
      back.push(path);
    }
    if (back.length > 0) store?.touch(back);
    return back.length;
  }

  async #bringBack(
    path: string,
    configurations: Map<string, Promise<readonly string[]>>,
    isWanted: () => boolean,
  ): Promise<boolean> {
    const { results, store } = this.#parts;
    if (results.file(path)) return false;
    const found = store?.get(path);
    const kept = found?.format === PERSISTED_FORMAT ? await inflateResults(found.content) : null;
    if (!kept) return false;
    const texts = new Map(
      kept.texts.map(([of, stamp]) => [of, new EvaluatedFile(of, stamp, toEvaluationInputs(kept))] as const),
    );
    const seen = await this.#looked([...texts.values()], configurations);
    // It may have been evaluated, or forgotten, meanwhile.
    if (results.file(path) || !isWanted()) return false;
    results.restore(kept, texts);
    for (const see of seen) see();
    return true;
  }

  /** How things stand on disk, before anybody sees what is brought back: what has changed is never shown as if it had not. */
  async #looked(
    texts: readonly EvaluatedFile[],
    configurations: Map<string, Promise<readonly string[]>>,
  ): Promise<(() => void)[]> {
    const { disk, documents } = this.#parts;
    const looked = texts.map(async (text) => {
      if (text.stamp) disk.set(text.path, text.stamp);
      const hash = (await disk.get(text.path))?.hash ?? null;
      const inputs = [
        ...companionInputPaths(text.path),
        ...text.inputs.above.keys(),
        ...(await nearestConfigurations(dirname(text.path), configurations)),
      ];
      const hashes = await Promise.all(
        inputs.map(async (input) => [input, (await disk.get(input))?.hash ?? null] as const),
      );
      return () => {
        const { path } = text;
        if (documents.isDirty(path)) text.addEdits(documents.edits(path));
        text.updateHash(hash, documents.isDirty(path));
        for (const [input, now] of hashes) text.updateInputHash(input, now);
      };
    });
    return Promise.all(looked);
  }
}

/** The configuration of a folder, and those beside it. */
function nearestConfigurations(
  folder: string,
  known: Map<string, Promise<readonly string[]>>,
): Promise<readonly string[]> {
  const found = known.get(folder) ?? findConfiguration(folder).then((one) => (one ? [one.file, ...one.ignored] : []));
  known.set(folder, found);
  return found;
}

/** The results of a large file come to more than a hundred megabytes of JSON: they are written piece by piece. */
async function deflateChunks(pieces: Iterable<string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await pipeline(Readable.from(pieces), createDeflate(), async (compressed: AsyncIterable<Uint8Array>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Null for what is damaged. */
async function inflateResults(content: Uint8Array): Promise<PersistedResults | null> {
  try {
    return parsePersistedResults((await promisify(inflate)(content)).toString());
  } catch {
    return null;
  }
}
