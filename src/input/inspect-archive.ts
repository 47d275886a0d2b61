import { inflateSync } from 'fflate';
import { get, getNumber, isObject, type JsonObject } from '../core/json.ts';
import { decode, MAX_BYTES } from './decode.ts';
import type { ParseIssue } from './parse-issue.ts';
import { parseJson } from './parse-json.ts';

/** The `.eval` files of Inspect AI: a log whose samples are files of a ZIP archive. */

/** A log as its `.json` form has it: `{…header, samples: […]}`. */
export type InspectLog =
  | { readonly value: JsonObject; readonly complaints: readonly ParseIssue[] }
  | { readonly complaint: ParseIssue };

/** A file in an archive, as the directory at its end describes it. */
interface ZipEntry {
  readonly name: string;
  /** 0 is stored, 8 deflated. */
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  /** Of its header, in bytes. */
  readonly offset: number;
}

/**
 * Reads the log in an archive; a sample that cannot be read is left out with an issue. Never throws.
 *
 * The directory is read here and not by `unzipSync` of fflate. Its filter gives sizes before inflating too, but one
 * damaged sample would lose the whole archive, a file longer than it claims would pass, and a count of entries is
 * believed whatever it is. Here no file gets more memory than it claims, and all together no more than a plain log.
 */
export function readInspectArchive(bytes: Uint8Array): InspectLog {
  const entries = readDirectory(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!entries)
    return issueResult('not-text', `The file is a ZIP archive whose directory cannot be read. ${RETRY_HINT}`);
  // A run that was interrupted has only what it began with.
  const header = entries.get('header.json') ?? entries.get('_journal/start.json');
  if (!header) {
    const message = 'The file is a ZIP archive, and no log of Inspect AI: it holds no header.json. Unpack it first.';
    return issueResult('not-text', message);
  }
  const samples = [...entries.values()].filter(({ name }) => /^samples\/.+\.json$/.test(name));
  const size = [header, ...samples].reduce((sum, entry) => sum + entry.size, 0);
  if (size > MAX_BYTES) {
    const message = `The archive would unpack to ${Math.ceil(size / 2 ** 20)} MB, and Turnwise reads up to 511 MB at once. Split it, for example by samples.`;
    return issueResult('too-large', message);
  }
  const start = parseEntry(header, bytes);
  if ('complaint' in start) return start;
  const complaints: ParseIssue[] = [];
  const values: unknown[] = [];
  for (const entry of samples) {
    const sample = parseEntry(entry, bytes);
    if ('value' in sample) values.push(sample.value);
    else complaints.push(sample.complaint);
  }
  const value = isObject(start.value) ? start.value : {};
  return { value: { ...value, samples: values.sort(byEpochAndId) }, complaints };
}

const RETRY_HINT = 'Copy the file again, or write the log as JSON with "inspect log convert --to json".';

function issueResult(code: string, message: string): { readonly complaint: ParseIssue } {
  return { complaint: { code, message, line: null } };
}

/** By epoch, then by id: the archive has them in the order in which they ended. */
function byEpochAndId(a: unknown, b: unknown): number {
  const epochs = (getNumber(a, 'epoch') ?? 0) - (getNumber(b, 'epoch') ?? 0);
  return epochs || NUMERIC_ORDER.compare(String(get(a, 'id')), String(get(b, 'id')));
}

const NUMERIC_ORDER = new Intl.Collator('en', { numeric: true });

function parseEntry(
  entry: ZipEntry,
  bytes: Uint8Array,
): { readonly value: unknown } | { readonly complaint: ParseIssue } {
  const { name } = entry;
  const unpacked = inflateEntry(entry, bytes);
  if (typeof unpacked === 'string') {
    return issueResult('broken-archive', `"${name}" of the archive is left out: ${unpacked}. ${RETRY_HINT}`);
  }
  const decoded = decode(unpacked);
  if (!('text' in decoded))
    return issueResult('broken-archive', `"${name}" of the archive is left out: it is no text.`);
  const json = parseJson(decoded.text);
  if ('value' in json) return json;
  const { code, message } = json.explain();
  return issueResult(code, `"${name}" of the archive is left out. ${message}`);
}

/** The content of a file, or why it has none, as a clause. */
function inflateEntry({ method, packed, size, offset }: ZipEntry, bytes: Uint8Array): Uint8Array | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (offset + LOCAL_HEADER > bytes.length || view.getUint32(offset, true) !== LOCAL) return 'its header is missing';
  const start = offset + LOCAL_HEADER + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) return 'it is cut off';
  const content = bytes.subarray(start, start + packed);
  if (method === 0) return content.length === size ? content : 'it has another size than it claims';
  if (method === ZSTANDARD) return 'it is packed with Zstandard, which is not read here';
  if (method !== 8) return `it is packed with method ${method}, which is not read here`;
  try {
    // One byte more than it claims, so that a file with more in it shows.
    const unpacked = inflateSync(content, { out: new Uint8Array(size + 1) });
    return unpacked.length === size ? unpacked : 'it has another size than it claims';
  } catch {
    return 'its data are damaged';
  }
}

// Sizes and signatures of the format: APPNOTE 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (its end), 4.4.5 (methods).
const LOCAL = 0x04034b50;
const LOCAL_HEADER = 30;
const CENTRAL = 0x02014b50;
const CENTRAL_HEADER = 46;
const END = 0x06054b50;
const END_HEADER = 22;
const LONGEST_COMMENT = 0xffff;
const ZSTANDARD = 93;

/** By name; the last one of a name counts. Undefined when the directory is not whole. */
function readDirectory(view: DataView): ReadonlyMap<string, ZipEntry> | undefined {
  const end = findEndOfDirectory(view);
  if (end === undefined) return undefined;
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const entries = new Map<string, ZipEntry>();
  for (let index = 0; index < count; index += 1) {
    if (at + CENTRAL_HEADER > end || view.getUint32(at, true) !== CENTRAL) return undefined;
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

function findEndOfDirectory(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_HEADER - LONGEST_COMMENT);
  for (let at = view.byteLength - END_HEADER; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  return undefined;
}
