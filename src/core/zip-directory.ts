/** The directory of a ZIP archive, which is at its end. */

export interface ZipEntry {
  readonly name: string;
  /** 0 is stored, 8 deflated. */
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  /** Of the local header, in bytes. */
  readonly offset: number;
}

// Sizes and signatures of the format: APPNOTE 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (its end), 4.4.5 (methods).
const LOCAL = 0x04034b50;
const LOCAL_HEADER = 30;
const CENTRAL = 0x02014b50;
const CENTRAL_HEADER = 46;
const END = 0x06054b50;
const END_HEADER = 22;
const LONGEST_COMMENT = 0xffff;

/**
 * Entries by name; the last entry with a name wins. Undefined when the directory is damaged.
 *
 * @param view of the archive, or of its end.
 * @param base where the view begins in the archive, in bytes.
 */
export function readZipDirectory(view: DataView, base = 0): ReadonlyMap<string, ZipEntry> | undefined {
  const end = findEndOfDirectory(view);
  if (end === undefined) return undefined;
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true) - base;
  const entries = new Map<string, ZipEntry>();
  for (let index = 0; index < count; index += 1) {
    if (at < 0 || at + CENTRAL_HEADER > end || view.getUint32(at, true) !== CENTRAL) return undefined;
    const named = at + CENTRAL_HEADER;
    const next = named + view.getUint16(at + 28, true);
    if (next > end) return undefined;
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + named, next - named));
    entries.set(name, {
      name,
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at = next + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Where the content of an entry begins in a view; undefined where its header is not there. */
export function zipEntryStart(view: DataView, offset: number): number | undefined {
  if (offset + LOCAL_HEADER > view.byteLength || view.getUint32(offset, true) !== LOCAL) return undefined;
  return offset + LOCAL_HEADER + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
}

function findEndOfDirectory(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_HEADER - LONGEST_COMMENT);
  for (let at = view.byteLength - END_HEADER; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  return undefined;
}
