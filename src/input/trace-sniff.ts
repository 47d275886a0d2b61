import { parse } from 'jsonc-parser';
import type { Document } from '../core/document.ts';
import { detect } from '../formats/index.ts';
import { decode } from './decode.ts';
import { parseDecoded } from './parse-file.ts';

/** How much of a file is looked at. */
export const SNIFF_BYTES = 64 * 1024;

/** `PK`, with which a zip archive begins. */
const ARCHIVE = [0x50, 0x4b];

/**
 * Whether a file looks like a trace, by the beginning of its content. Never throws.
 *
 * @param head the first `SNIFF_BYTES` of the file, or all of it.
 */
export function looksLikeTrace(file: string, head: Uint8Array): boolean {
  if (/\.eval$/i.test(file)) return ARCHIVE.every((byte, index) => head[index] === byte);
  return sniffFormat(file, head) !== null;
}

/** The name of the format that a text file looks like; null for none. Never throws. @param head see `looksLikeTrace` */
export function sniffFormat(file: string, head: Uint8Array): string | null {
  try {
    const isCut = head.length >= SNIFF_BYTES;
    const decoded = decode(isCut ? withoutCutCharacter(head) : head);
    if (!('text' in decoded)) return null;
    const { document } = parseDecoded(file, isCut ? { text: completeLines(decoded.text) } : decoded);
    if (document) return formatOf(document);
    if (!isCut) return null;
    // A tolerant parser closes what is open where the text was cut.
    const value: unknown = parse(decoded.text, [], { allowTrailingComma: true });
    return formatOf({ file, value, lines: false });
  } catch {
    return null;
  }
}

function formatOf(document: Document): string | null {
  return detect(document)?.format.name ?? null;
}

function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const last = bytes.findLastIndex((byte) => byte < 0x80);
  return bytes.subarray(0, last + 1);
}

/** Without the last line, which may be cut; all of it where there is only one. */
function completeLines(text: string): string {
  const end = text.lastIndexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}
