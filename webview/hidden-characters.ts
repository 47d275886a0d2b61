/** Invisible characters, and those that change how others are displayed. Traces are untrusted, so they are named. */
const HIDDEN = new RegExp(
  String.raw`(?![\t\n\r])[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB` +
    String.raw`\u{E0000}-\u{E007F}]`,
  'u',
);
const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu');

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\u001B', 'ESC'],
  ['\u0000', 'NUL'],
  ['\u0007', 'BEL'],
  ['\u0008', 'BS'],
  ['\u200B', 'ZWSP'],
  ['\u200E', 'LRM'],
  ['\u200F', 'RLM'],
  ['\u202A', 'LRE'],
  ['\u202B', 'RLE'],
  ['\u202C', 'PDF'],
  ['\u202D', 'LRO'],
  ['\u202E', 'RLO'],
  ['\u2066', 'LRI'],
  ['\u2067', 'RLI'],
  ['\u2068', 'FSI'],
  ['\u2069', 'PDI'],
  ['\uFEFF', 'BOM'],
]);

/** A piece of a text: literal text, or the name of a hidden character. `at` is its offset in the text. */
export interface CharacterRun {
  readonly text: string;
  readonly isHidden: boolean;
  readonly at: number;
}

export function splitHiddenCharacters(text: string): CharacterRun[] {
  const whole = text.toWellFormed();
  if (!HIDDEN.test(whole)) return whole === '' ? [] : [{ text: whole, isHidden: false, at: 0 }];
  const runs: CharacterRun[] = [];
  let at = 0;
  for (const { 0: character, index } of whole.matchAll(EACH_HIDDEN)) {
    if (index > at) runs.push({ text: whole.slice(at, index), isHidden: false, at });
    runs.push({ text: characterName(character), isHidden: true, at: index });
    at = index + character.length;
  }
  if (at < whole.length) runs.push({ text: whole.slice(at), isHidden: false, at });
  return runs;
}

/** Trace text for attributes, which can't contain markup: hidden characters appear as `⟨name⟩`. */
export function revealHiddenCharacters(text: string): string {
  return splitHiddenCharacters(text)
    .map(({ text: part, isHidden }) => (isHidden ? `⟨${part}⟩` : part))
    .join('');
}

function characterName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMES.get(character) ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
