import type { ParseIssue } from './parse-issue.ts';

/** The longest string that V8 holds, in UTF-16 code units; no UTF-8 text has more of them than bytes. */
export const MAX_BYTES = 0x1fffffe8;

const SIGNATURES: readonly { readonly what: string; readonly bytes: readonly number[]; readonly remedy: string }[] = [
  { what: 'packed with gzip', bytes: [0x1f, 0x8b], remedy: 'Unpack it first, for example with gunzip.' },
  { what: 'UTF-16 text', bytes: [0xff, 0xfe], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0xfe, 0xff], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x7b, 0x00], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x5b, 0x00], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x00, 0x7b], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x00, 0x5b], remedy: 'Save it as UTF-8.' },
  {
    what: 'packed with Zstandard',
    bytes: [0x28, 0xb5, 0x2f, 0xfd],
    remedy: 'Unpack it first, for example with unzstd.',
  },
  { what: 'a Parquet file', bytes: ascii('PAR1'), remedy: 'Export the traces as JSON.' },
  { what: 'an SQLite database', bytes: ascii('SQLite format 3\0'), remedy: 'Export the traces as JSON.' },
];

const ZIP = [0x50, 0x4b, 0x03, 0x04];

export type DecodeResult =
  | { readonly text: string }
  | { readonly complaint: ParseIssue }
  /** A ZIP archive. */
  | { readonly archive: Uint8Array };

/** UTF-8 bytes as text without byte order mark. Anything else is named, not guessed. */
export function decode(bytes: Uint8Array): DecodeResult {
  if (ZIP.every((byte, index) => bytes[index] === byte)) return { archive: bytes };
  const signature = SIGNATURES.find((one) => one.bytes.every((byte, index) => bytes[index] === byte));
  if (signature) {
    return {
      complaint: { code: 'not-text', message: `The file is ${signature.what}. ${signature.remedy}`, line: null },
    };
  }
  if (bytes.length > MAX_BYTES) return { complaint: tooLargeIssue(bytes.length) };
  const text = decodeUtf8(bytes);
  if (text !== null) return { text };

  const { at, cutOff } = findInvalidUtf8(bytes);
  // A file that was cut off within its last character is read up to there.
  const whole = cutOff ? decodeUtf8(bytes.subarray(0, at)) : null;
  if (whole !== null) return { text: whole };
  if (bytes.includes(0)) return { complaint: BINARY };
  const value = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const message = `The byte 0x${value} is not UTF-8. Convert the file, for example with "iconv -f WINDOWS-1252 -t UTF-8".`;
  return { complaint: { code: 'not-utf-8', message, line: lineOfByte(bytes, at) } };
}

export const BINARY: ParseIssue = {
  code: 'not-text',
  message: 'The file is binary. Turnwise reads JSON and JSON Lines: export the trace as one of these.',
  line: null,
};

export function tooLargeIssue(size: number): ParseIssue {
  const message = `The file has ${Math.ceil(size / 2 ** 20)} MB, and Turnwise reads up to 511 MB at once. Split it, for example by sessions.`;
  return { code: 'too-large', message, line: null };
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Where the first character starts that is none, by table 3-7 of the Unicode standard; or where the last one is cut off. */
function findInvalidUtf8(bytes: Uint8Array): { readonly at: number; readonly cutOff: boolean } {
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length === 0) return { at, cutOff: false };
    for (let index = 1; index < length; index += 1) {
      const byte = bytes[at + index];
      if (byte === undefined) return { at, cutOff: true };
      const from = index > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      const to = index > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      if (byte < from || byte > to) return { at, cutOff: false };
    }
    at += length;
  }
  return { at, cutOff: false };
}

function lineOfByte(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) line += 1;
  return line;
}
