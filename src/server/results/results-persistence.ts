import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, inflate } from 'node:zlib';
import { findConfigurationFiles } from '../../config/discover.ts';
import type { ResultsStore, StoredFileResults } from '../../store/results-store.ts';
import { type FileStamps, UNREADABLE_HASH } from '../disk/file-stamps.ts';
import type { DirtyDocuments } from './dirty-documents.ts';
import { companionInputPaths, EvaluatedFile } from './evaluated-file.ts';
import type { EvaluationResults } from './evaluation-results.ts';
import { jsonChunks } from './json-stream.ts';
import {
  omitTraceText,
  PERSISTED_FORMAT,
  type PersistedResults,
  parsePersistedResults,
  toEvaluationInputs,
} from './persisted-results.ts';

interface PersistenceOptions {
  readonly results: EvaluationResults;
  readonly disk: FileStamps;
  readonly documents: DirtyDocuments;
  /** Null: results are not stored. */
  readonly store: ResultsStore | null;
  readonly refreshSoon: (paths: Iterable<string>) => void;
}

/** Files per transaction, so that other writers do not wait long. */
const BATCH_SIZE = 50;

/** Persists results in the background and restores them on demand. */
export class ResultsPersistence {
  readonly #parts: PersistenceOptions;
  readonly #now: () => number;
  /** Files whose results differ from the stored ones. */
  readonly #changed = new Set<string>();
  #clearings = 0;
  #working: Promise<void> | undefined;
  #restoring: Promise<unknown> = Promise.resolve();

  constructor(parts: PersistenceOptions, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /** The results of these files have changed. */
  save(paths: Iterable<string>): void {
    if (!this.#parts.store) return;
    for (const path of paths) this.#changed.add(path);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Removes stored results in these folders that no longer exist. */
  saveFolders(paths: readonly string[]): void {
    if (paths.length > 0) this.save(this.#parts.store?.pathsUnder(paths) ?? []);
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#changed.size > 0) {
      const [clearings, changed, removed] = [this.#clearings, new Map<string, StoredFileResults>(), new Set<string>()];
      for (const path of [...this.#changed].slice(0, BATCH_SIZE)) {
        // Pending requests come first.
        await promisify(setImmediate)();
        this.#changed.delete(path);
        const stored = await this.#storedResults(path);
        if (stored) changed.set(path, stored);
        else removed.add(path);
      }
      // Everything was cleared in the meantime.
      if (clearings !== this.#clearings) continue;
      // A run also reports folders and, for general problems, the working folder: files inside them keep their
      // results.
      if (removed.size > 0) this.#parts.store?.deleteFiles([...removed]);
      if (changed.size > 0) this.#parts.store?.save([...changed.values()]);
    }
  }

  /** Null where the file has no results of its own, or too many to write. */
  async #storedResults(path: string): Promise<StoredFileResults | null> {
    const { results } = this.#parts;
    const { sessions, problems } = results.persistableIn(path);
    if (sessions.length + problems.length === 0) return null;
    const own = results.file(path);
    const stamps = new Map(own?.stamp ? [[path, own.stamp]] : []);
    for (const [of, { stamp }] of sessions.flatMap((session) => [...results.versionsOf(session)])) {
      // Where one file has two versions, one of them is outdated: everything is restored as changed.
      const isOther = stamp && stamps.has(of) && stamps.get(of)?.hash !== stamp.hash;
      if (stamp) stamps.set(of, isOther ? { ...stamp, hash: UNREADABLE_HASH } : stamp);
    }
    const { beside = [], above = [] } = own?.inputs ?? {};
    const persisted: PersistedResults = {
      sessions,
      problems,
      texts: [...stamps],
      beside: [...beside],
      above: [...above],
    };
    try {
      const content = await deflateChunks(jsonChunks(persisted, omitTraceText));
      const hash = stamps.get(path)?.hash ?? null;
      return { path, hash, evaluatedAt: this.#now(), format: PERSISTED_FORMAT, content };
    } catch {
      return null;
    }
  }

  /** Removes the stored results of these files, and of those in these folders. */
  forget(paths: readonly string[]): void {
    this.#changed.clear();
    this.#clearings += 1;
    this.#parts.store?.delete(paths);
  }

  /**
   * Restores the stored results of these files and folders that have none now. @returns the number of restored files.
   */
  restore(paths: readonly string[]): Promise<number> {
    const restored = this.#restoring.then(() => this.#restore(paths));
    this.#restoring = restored.catch(() => {});
    return restored;
  }

  async #restore(paths: readonly string[]): Promise<number> {
    const { store, refreshSoon } = this.#parts;
    const configurations = new Map<string, Promise<readonly string[]>>();
    const restored: string[] = [];
    const clearings = this.#clearings;
    for (const path of store?.pathsUnder(paths) ?? []) {
      const isRestored = await this.#restoreFile(path, configurations, () => clearings === this.#clearings);
      if (clearings !== this.#clearings) break;
      if (!isRestored) continue;
      refreshSoon([path]);
      restored.push(path);
    }
    if (restored.length > 0) store?.touch(restored);
    return restored.length;
  }

  async #restoreFile(
    path: string,
    configurations: Map<string, Promise<readonly string[]>>,
    isCurrent: () => boolean,
  ): Promise<boolean> {
    const { results, store } = this.#parts;
    if (results.file(path)) return false;
    const stored = store?.get(path);
    const persisted = stored?.format === PERSISTED_FORMAT ? await inflateResults(stored.content) : null;
    if (!persisted) return false;
    const texts = new Map(
      persisted.texts.map(([of, stamp]) => [of, new EvaluatedFile(of, stamp, toEvaluationInputs(persisted))] as const),
    );
    const seen = await this.#looked([...texts.values()], configurations);
    // It may have been evaluated or cleared in the meantime.
    if (results.file(path) || !isCurrent()) return false;
    results.restore(persisted, texts);
    for (const see of seen) see();
    return true;
  }

  /** Checks the files on disk before restored results are shown, so that changed files never look current. */
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

/** The configuration of a folder, and the ignored ones beside it. */
function nearestConfigurations(
  folder: string,
  known: Map<string, Promise<readonly string[]>>,
): Promise<readonly string[]> {
  const files = known.get(folder) ?? findConfigurationFiles(folder);
  known.set(folder, files);
  return files;
}

/** The results of a large file can exceed 100 MB of JSON: they are compressed in chunks. */
async function deflateChunks(pieces: Iterable<string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await pipeline(Readable.from(pieces), createDeflate(), async (compressed: AsyncIterable<Uint8Array>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Null for damaged content. */
async function inflateResults(content: Uint8Array): Promise<PersistedResults | null> {
  try {
    return parsePersistedResults((await promisify(inflate)(content)).toString());
  } catch {
    return null;
  }
}
