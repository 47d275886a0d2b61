import type { ParseIssue } from './parse-issue.ts';

/** V8's maximum string length, in UTF-16 code units. UTF-8 text never has more code units than bytes. */
export const MAX_BYTES = 0x1fffffe8;

const SIGNATURES: readonly { readonly what: string; readonly bytes: readonly number[]; readonly remedy: string }[] = [
  { what: 'compressed with gzip', bytes: [0x1f, 0x8b], remedy: 'Decompress it first, for example with gunzip.' },
  { what: 'UTF-16 text', bytes: [0xff, 0xfe], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0xfe, 0xff], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x7b, 0x00], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x5b, 0x00], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x00, 0x7b], remedy: 'Save it as UTF-8.' },
  { what: 'UTF-16 text', bytes: [0x00, 0x5b], remedy: 'Save it as UTF-8.' },
  {
    what: 'compressed with Zstandard',
    bytes: [0x28, 0xb5, 0x2f, 0xfd],
    remedy: 'Decompress it first, for example with unzstd.',
  },
  { what: 'a Parquet file', bytes: ascii('PAR1'), remedy: 'Export the traces as JSON.' },
  { what: 'an SQLite database', bytes: ascii('SQLite format 3\0'), remedy: 'Export the traces as JSON.' },
];

const ZIP = [0x50, 0x4b, 0x03, 0x04];

export type DecodeResult =
  | { readonly text: string }
  | { readonly issue: ParseIssue }
  /** A ZIP archive. */
  | { readonly archive: Uint8Array };

/** Decodes UTF-8 without its byte order mark. Other encodings and binary files are reported, not guessed. */
export function decode(bytes: Uint8Array): DecodeResult {
  if (ZIP.every((byte, index) => bytes[index] === byte)) return { archive: bytes };
  const signature = SIGNATURES.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  if (signature) {
    return {
      issue: { code: 'not-text', message: `The file is ${signature.what}. ${signature.remedy}`, line: null },
    };
  }
  if (bytes.length > MAX_BYTES) return { issue: tooLargeIssue(bytes.length) };
  const text = decodeUtf8(bytes);
  if (text !== null) return { text };

  const { at, isTruncated } = findInvalidUtf8(bytes);
  // A file that is truncated inside its last character is read up to that character.
  const truncatedText = isTruncated ? decodeUtf8(bytes.subarray(0, at)) : null;
  if (truncatedText !== null) return { text: truncatedText };
  if (bytes.includes(0)) return { issue: BINARY };
  const value = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const message = `The byte 0x${value} is not UTF-8. Convert the file, for example with "iconv -f WINDOWS-1252 -t UTF-8".`;
  return { issue: { code: 'not-utf-8', message, line: lineOfByte(bytes, at) } };
}

export const BINARY: ParseIssue = {
  code: 'not-text',
  message: 'The file is binary. Turnwise reads JSON and JSON Lines: export the trace as JSON.',
  line: null,
};

export function tooLargeIssue(size: number): ParseIssue {
  const message = `The file is ${Math.ceil(size / 2 ** 20)} MB. Turnwise reads files up to 511 MB: split it, for example by session.`;
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

/** The start of the first ill-formed sequence (Unicode standard, table 3-7), or of a truncated last character. */
function findInvalidUtf8(bytes: Uint8Array): { readonly at: number; readonly isTruncated: boolean } {
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length === 0) return { at, isTruncated: false };
    for (let index = 1; index < length; index += 1) {
      const byte = bytes[at + index];
      if (byte === undefined) return { at, isTruncated: true };
      const from = index > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      const to = index > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      if (byte < from || byte > to) return { at, isTruncated: false };
    }
    at += length;
  }
  return { at, isTruncated: false };
}

function lineOfByte(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) line += 1;
  return line;
}
