import { inflateSync } from 'fflate';
import { get, getNumber, isObject, type JsonObject } from '../core/json.ts';
import { readZipDirectory, type ZipEntry, zipEntryStart } from '../core/zip-directory.ts';
import { decode, MAX_BYTES } from './decode.ts';
import type { ParseIssue } from './parse-issue.ts';
import { fullBudget, parseJson, type ValueBudget } from './parse-json.ts';

/** Inspect AI's `.eval` files: a ZIP archive with a log's header and one file per sample. */

/** A log in the shape of its `.json` form: `{…header, samples: […]}`. */
export type InspectLog =
  | { readonly value: JsonObject; readonly issues: readonly ParseIssue[] }
  | { readonly issue: ParseIssue };

/**
 * Reads the log in an archive; a sample that cannot be read is left out with an issue. Never throws.
 *
 * The directory is read here and not by `unzipSync` of fflate. Its filter gives sizes before inflating too, but one
 * damaged sample would lose the whole archive, a file longer than it claims would pass, and a count of entries is
 * believed whatever it is. Here no file gets more memory than it claims, and all together no more than a plain log.
 */
export function readInspectArchive(bytes: Uint8Array): InspectLog {
  const entries = readZipDirectory(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!entries) return issueResult('not-text', `The directory of this ZIP archive can't be read. ${RETRY_HINT}`);
  // An interrupted run has no header.json.
  const header = entries.get('header.json') ?? entries.get('_journal/start.json');
  if (!header) {
    const message = 'The file is a ZIP archive but not an Inspect AI log: it has no header.json. Unpack it first.';
    return issueResult('not-text', message);
  }
  const samples = [...entries.values()].filter(({ name }) => /^samples\/.+\.json$/.test(name));
  const size = [header, ...samples].reduce((sum, entry) => sum + entry.size, 0);
  if (size > MAX_BYTES) {
    const message = `The archive would unpack to ${Math.ceil(size / 2 ** 20)} MB. Turnwise reads up to 511 MB: split it, for example by sample.`;
    return issueResult('too-large', message);
  }
  const budget = fullBudget();
  const start = parseEntry(header, bytes, budget);
  if (!('value' in start)) return start;
  const issues: ParseIssue[] = start.issue ? [start.issue] : [];
  const values: unknown[] = [];
  for (const entry of samples) {
    const sample = parseEntry(entry, bytes, budget);
    if ('value' in sample) values.push(sample.value);
    if (sample.issue) issues.push(sample.issue);
  }
  const value = isObject(start.value) ? start.value : {};
  return { value: { ...value, samples: values.sort(byEpochAndId) }, issues };
}

const RETRY_HINT = 'Copy the file again, or convert the log with "inspect log convert --to json".';

function issueResult(code: string, message: string): { readonly issue: ParseIssue } {
  return { issue: { code, message, line: null } };
}

/** By epoch, then by id. In the archive, samples are in the order in which they ended. */
function byEpochAndId(a: unknown, b: unknown): number {
  const epochs = (getNumber(a, 'epoch') ?? 0) - (getNumber(b, 'epoch') ?? 0);
  return epochs || NUMERIC_ORDER.compare(String(get(a, 'id')), String(get(b, 'id')));
}

const NUMERIC_ORDER = new Intl.Collator('en', { numeric: true });

function parseEntry(
  entry: ZipEntry,
  bytes: Uint8Array,
  budget: ValueBudget,
): { readonly value: unknown; readonly issue?: ParseIssue } | { readonly issue: ParseIssue } {
  const { name } = entry;
  const unpacked = inflateEntry(entry, bytes);
  if (typeof unpacked === 'string') {
    return issueResult('broken-archive', `Skipped "${name}" in the archive: ${unpacked}. ${RETRY_HINT}`);
  }
  const decoded = decode(unpacked);
  if (!('text' in decoded)) return issueResult('broken-archive', `Skipped "${name}" in the archive: it is not text.`);
  const json = parseJson(decoded.text, undefined, budget);
  if (!('value' in json)) {
    const { code, message } = json.explain();
    return issueResult(code, `Skipped "${name}" in the archive. ${message}`);
  }
  if (!json.issue) return { value: json.value };
  const { code, message } = json.issue();
  return { value: json.value, ...issueResult(code, `"${name}" in the archive: ${message}`) };
}

/** The content of an entry, or the reason why it can't be read, as a clause. */
function inflateEntry({ method, packed, size, offset }: ZipEntry, bytes: Uint8Array): Uint8Array | string {
  const start = zipEntryStart(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset);
  if (start === undefined) return 'its header is missing';
  if (start + packed > bytes.length) return 'it is truncated';
  const content = bytes.subarray(start, start + packed);
  if (method === 0) return content.length === size ? content : 'its size differs from the directory';
  if (method === ZSTANDARD) return 'Zstandard compression is not supported';
  if (method !== 8) return `compression method ${method} is not supported`;
  try {
    // One byte more than declared, to detect an entry that is longer.
    const unpacked = inflateSync(content, { out: new Uint8Array(size + 1) });
    return unpacked.length === size ? unpacked : 'its size differs from the directory';
  } catch {
    return 'its data is damaged';
  }
}

const ZSTANDARD = 93;
