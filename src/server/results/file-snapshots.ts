import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Evidence } from '../../core/result.ts';
import type { Pointer } from '../../core/session.ts';
import { selfAndAncestors } from '../../input/locator.ts';
import type { FileLocation, FileRange } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';

/**
 * Where values stand in a file as it is on disk; null where it is not valid JSON. Pointers that resolve to nothing are
 * absent from the result.
 *
 * @throws the error of the file system when the file cannot be read.
 */
export type PointerLookup = (
  path: string,
  pointers: readonly Pointer[],
) => Promise<ReadonlyMap<Pointer, FileRange> | null>;

/** Where evidence stands; null where it cannot be located. */
export type EvidenceLocator = (evidence: Evidence) => FileLocation | null;

/** Locates values in files as they are on disk. */
export class FileSnapshots {
  readonly #find: PointerLookup;

  constructor(find: PointerLookup) {
    this.#find = find;
  }

  /**
   * The current location of a value, or the start of its nearest existing ancestor; null when the file is not valid
   * JSON.
   *
   * @throws the error of the file system when the file cannot be read.
   */
  async locate(uri: string, pointer: Pointer): Promise<FileLocation | null> {
    const candidates = [...selfAndAncestors(pointer)];
    const resolved = await this.#find(fileURLToPath(uri), candidates);
    for (const candidate of candidates) {
      const range = resolved?.get(candidate);
      if (!range) continue;
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
    const locations = new Map<string, ReadonlyMap<Pointer, FileRange> | null>();
    for (const [path, all] of Map.groupBy(evidence, (evidence) => evidence.file ?? file)) {
      if (token?.isCancellationRequested) break;
      const pointers = new Set(all.map(({ pointer }) => pointer));
      locations.set(path, await this.#find(path, [...pointers]).catch(() => null));
    }
    return ({ file: path = file, pointer }) => {
      const range = locations.get(path)?.get(pointer);
      return range ? { uri: pathToFileURL(path).href, range } : null;
    };
  }
}
