import { redactSecrets } from '../../core/secrets.ts';
import { truncate } from './excerpt.ts';

/** Line breaks and other white space, without the byte order mark. */
const WHITE_SPACE = /(?:(?!\uFEFF)\s)+/g;
/** Control characters, bidirectional marks and invisible characters, without the joiner of emoji. */
const HIDDEN_CHARACTERS =
  /[\p{Cc}\u00AD\u061C\u115F\u1160\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E00FF}]|[\u180B-\u180F\u{E0100}-\u{E01EF}]/gu;

/** Text of a trace or a model on one line, without secrets, with invisible characters named, as in `⟨U+202E⟩`. */
export function visibleText(text: string, longest: number): string {
  const looked = text.slice(0, 4 * longest);
  const line = redactSecrets(looked).replace(WHITE_SPACE, ' ').trim();
  return truncate(looked.length < text.length ? `${line}…` : line, longest)
    .toWellFormed()
    .replace(HIDDEN_CHARACTERS, (character) => `⟨U+${codePoint(character)}⟩`);
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
