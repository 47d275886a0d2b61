import { pathToFileURL } from 'node:url';
import { resolvePointers } from '../../core/pointer-ranges.ts';
import type { Evidence } from '../../core/result.ts';
import type { Pointer } from '../../core/session.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { parseFile } from '../../input/parse-file.ts';
import type { FileLocation } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { toRange } from './session-view.ts';

/** Where evidence stands; null where it cannot be located. */
export type EvidenceLocator = (evidence: Evidence) => FileLocation | null;

/**
 * Locates evidence in the files on disk: keeping the locations of all scores would take more memory than the text.
 *
 * @param file the file of evidence that names none. @param token no further file is read once it is cancelled.
 */
export async function locateEvidence(
  files: FileSystem,
  file: string,
  wanted: readonly Evidence[],
  token?: CancellationToken,
): Promise<EvidenceLocator> {
  const byFile = Map.groupBy(wanted, (one) => one.file ?? file);
  const places = new Map<string, ReadonlyMap<Pointer, FileLocation>>();
  for (const [path, evidence] of byFile) {
    places.set(path, await locateInFile(files, path, new Set(evidence.map(({ pointer }) => pointer)), token));
  }
  return (one) => places.get(one.file ?? file)?.get(one.pointer) ?? null;
}

async function locateInFile(
  files: FileSystem,
  path: string,
  pointers: ReadonlySet<Pointer>,
  token: CancellationToken | undefined,
): Promise<ReadonlyMap<Pointer, FileLocation>> {
  const bytes = await files.read(path).catch(() => null);
  const { document, text } =
    bytes && !token?.isCancellationRequested ? parseFile(path, bytes) : { document: null, text: null };
  if (!document || text === null) return new Map();
  const uri = pathToFileURL(path).href;
  const found = resolvePointers(text, pointers, document);
  return new Map(Array.from(found, ([pointer, position]) => [pointer, { uri, range: toRange(position) }]));
}
