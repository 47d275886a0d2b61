import { fileURLToPath, pathToFileURL } from 'node:url';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { resolvePointers } from '../../core/pointer-ranges.ts';
import type { Evidence } from '../../core/result.ts';
import type { Pointer } from '../../core/session.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { selfAndAncestors } from '../../input/locator.ts';
import { parseFile } from '../../input/parse-file.ts';
import type { FileLocation } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { CLOCK_STEP_MS } from '../disk/file-stamps.ts';
import { toRange } from './session-results-view.ts';

/** Snapshots that are kept, and the longest text that is. */
const MAX_SNAPSHOTS = 4;
const MAX_LENGTH = 32_000_000;

/** The text of one version of a file; null where it is not JSON. */
interface Snapshot {
  readonly text: { readonly value: string; readonly lines: boolean } | null;
  readonly size: number;
  readonly modified: number | null;
  /** When size and time were checked, before the file was read. */
  readonly at: number;
}

/** Where evidence stands; null where it cannot be located. */
export type EvidenceLocator = (evidence: Evidence) => FileLocation | null;

/**
 * Resolves pointers in files as they are on disk. Keeps one snapshot per version of the last files, so that going to a
 * line parses a file once; keeping the locations of all scores would take more memory than the text.
 */
export class FileSnapshots {
  readonly #files: FileSystem;
  readonly #now: () => number;
  readonly #snapshots = new LruCache<string, Snapshot>(MAX_SNAPSHOTS);

  constructor(files: FileSystem, now: () => number = Date.now) {
    this.#files = files;
    this.#now = now;
  }

  clear(): void {
    this.#snapshots.clear();
  }

  /**
   * The current location of a value, or the start of its nearest existing ancestor; null when the file is not valid
   * JSON.
   *
   * @throws the error of the file system when the file cannot be read.
   */
  async locate(uri: string, pointer: Pointer): Promise<FileLocation | null> {
    const { text } = await this.#snapshot(fileURLToPath(uri));
    if (!text) return null;
    const candidates = [...selfAndAncestors(pointer)];
    const resolved = resolvePointers(text.value, candidates, text);
    for (const candidate of candidates) {
      const position = resolved.get(candidate);
      if (!position) continue;
      const range = toRange(position);
      return { uri, range: candidate === pointer ? range : { start: range.start, end: range.start } };
    }
    return null;
  }

  /**
   * Locates evidence.
   *
   * @param file the file of evidence that names none. @param token no further file is read once it is cancelled.
   */
  async locateEvidence(
    file: string,
    evidence: readonly Evidence[],
    token?: CancellationToken,
  ): Promise<EvidenceLocator> {
    const locations = new Map<string, ReadonlyMap<Pointer, FileLocation>>();
    for (const [path, all] of Map.groupBy(evidence, (evidence) => evidence.file ?? file)) {
      if (token?.isCancellationRequested) break;
      const pointers = new Set(all.map(({ pointer }) => pointer));
      locations.set(path, await this.#locateAll(path, pointers));
    }
    return (evidence) => locations.get(evidence.file ?? file)?.get(evidence.pointer) ?? null;
  }

  async #locateAll(path: string, pointers: ReadonlySet<Pointer>): Promise<ReadonlyMap<Pointer, FileLocation>> {
    const { text } = await this.#snapshot(path).catch(() => ({ text: null }));
    if (!text) return new Map();
    const uri = pathToFileURL(path).href;
    const resolved = resolvePointers(text.value, pointers, text);
    return new Map(Array.from(resolved, ([pointer, position]) => [pointer, { uri, range: toRange(position) }]));
  }

  async #snapshot(path: string): Promise<Snapshot> {
    const at = this.#now();
    const { size = -1, modified = null } = (await this.#files.stat(path)) ?? {};
    const known = this.#snapshots.get(path);
    const isCurrent = known?.size === size && known.modified === modified && isSettled(known);
    if (known && isCurrent) return known;
    const { document, text } = parseFile(path, await this.#files.read(path));
    const parsed = document && text !== null ? { value: text, lines: document.lines } : null;
    const snapshot = { text: parsed, size, modified, at };
    if ((text?.length ?? 0) <= MAX_LENGTH) this.#snapshots.set(path, snapshot);
    else this.#snapshots.delete(path);
    return snapshot;
  }
}

/** A file that was written just before it was checked may be written again and look the same. */
function isSettled({ modified, at }: Snapshot): boolean {
  return modified !== null && modified < at - CLOCK_STEP_MS;
}
