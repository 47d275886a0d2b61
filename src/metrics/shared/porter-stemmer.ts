/**
 * The Porter stemmer as NLTK extends it, which is what ADK's ROUGE uses. M. F. Porter, "An algorithm for suffix
 * stripping" (1980), with NLTK's departures: a pool of irregular words, short words in -ies and -ied, y to i only after
 * a consonant, and four more suffixes in the second step.
 */

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['sky', 'sky'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['news', 'news'],
  ['innings', 'inning'],
  ['inning', 'inning'],
  ['outings', 'outing'],
  ['outing', 'outing'],
  ['cannings', 'canning'],
  ['canning', 'canning'],
  ['howe', 'howe'],
  ['proceed', 'proceed'],
  ['exceed', 'exceed'],
  ['succeed', 'succeed'],
]);

/** A suffix, its replacement, and a condition on the stem. The first suffix that matches decides. */
type Rule = readonly [suffix: string, replacement: string, allows: (stem: string) => boolean];

const positive = (stem: string) => measure(stem) > 0;
const longer = (stem: string) => measure(stem) > 1;

const STEP_2: readonly Rule[] = [
  ['ational', 'ate', positive],
  ['tional', 'tion', positive],
  ['enci', 'ence', positive],
  ['anci', 'ance', positive],
  ['izer', 'ize', positive],
  ['bli', 'ble', positive],
  ['entli', 'ent', positive],
  ['eli', 'e', positive],
  ['ousli', 'ous', positive],
  ['ization', 'ize', positive],
  ['ation', 'ate', positive],
  ['ator', 'ate', positive],
  ['alism', 'al', positive],
  ['iveness', 'ive', positive],
  ['fulness', 'ful', positive],
  ['ousness', 'ous', positive],
  ['aliti', 'al', positive],
  ['iviti', 'ive', positive],
  ['biliti', 'ble', positive],
  ['fulli', 'ful', positive],
  ['logi', 'log', (stem) => positive(`${stem}l`)],
];

const STEP_3: readonly Rule[] = [
  ['icate', 'ic', positive],
  ['ative', '', positive],
  ['alize', 'al', positive],
  ['iciti', 'ic', positive],
  ['ical', 'ic', positive],
  ['ful', '', positive],
  ['ness', '', positive],
];

const STEP_4: readonly Rule[] = [
  ['al', '', longer],
  ['ance', '', longer],
  ['ence', '', longer],
  ['er', '', longer],
  ['ic', '', longer],
  ['able', '', longer],
  ['ible', '', longer],
  ['ant', '', longer],
  ['ement', '', longer],
  ['ment', '', longer],
  ['ent', '', longer],
  ['ion', '', (stem) => longer(stem) && /[st]$/.test(stem)],
  ['ou', '', longer],
  ['ism', '', longer],
  ['ate', '', longer],
  ['iti', '', longer],
  ['ous', '', longer],
  ['ive', '', longer],
  ['ize', '', longer],
];

/** The stem of a lower-case English word. */
export function stem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 2) return word;
  const inflected = yToI(pastAndProgressive(plural(word)));
  return tidy(apply(STEP_4, apply(STEP_3, derivation(inflected))));
}

function plural(word: string): string {
  if (word.endsWith('ies')) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith('sses')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function pastAndProgressive(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith('eed')) return positive(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const suffix = ['ed', 'ing'].find((end) => word.endsWith(end) && hasVowel(word.slice(0, -end.length)));
  if (!suffix) return word;
  const rest = word.slice(0, -suffix.length);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsInDoubleConsonant(rest)) return /[lsz]$/.test(rest) ? rest : rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function yToI(word: string): string {
  const rest = word.slice(0, -1);
  return word.endsWith('y') && rest.length > 1 && shape(rest).endsWith('c') ? `${rest}i` : word;
}

function derivation(word: string): string {
  if (!word.endsWith('alli')) return apply(STEP_2, word);
  return positive(word.slice(0, -4)) ? derivation(word.slice(0, -2)) : word;
}

function tidy(word: string): string {
  let tidied = word;
  if (word.endsWith('e')) {
    const rest = word.slice(0, -1);
    const size = measure(rest);
    if (size > 1 || (size === 1 && !endsShort(rest))) tidied = rest;
  }
  return tidied.endsWith('ll') && longer(tidied.slice(0, -1)) ? tidied.slice(0, -1) : tidied;
}

function apply(rules: readonly Rule[], word: string): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (!rule) return word;
  const [suffix, replacement, allows] = rule;
  const rest = word.slice(0, -suffix.length);
  return allows(rest) ? rest + replacement : word;
}

/** A `c` for each consonant and a `v` for each vowel; a y after a consonant is a vowel. */
function shape(word: string): string {
  let letters = '';
  let previous = 'v';
  for (const letter of word) {
    const vowel = letter === 'y' ? previous === 'c' : 'aeiou'.includes(letter);
    previous = vowel ? 'v' : 'c';
    letters += previous;
  }
  return letters;
}

/** Porter's m: how often a vowel is followed by a consonant. */
function measure(word: string): number {
  return shape(word).split('vc').length - 1;
}

function hasVowel(word: string): boolean {
  return shape(word).includes('v');
}

function endsInDoubleConsonant(word: string): boolean {
  return word.length >= 2 && word.at(-1) === word.at(-2) && shape(word).endsWith('c');
}

/** Consonant, vowel, consonant other than w, x and y; or, in NLTK, a word of one vowel and one consonant. */
function endsShort(word: string): boolean {
  const letters = shape(word);
  return letters === 'vc' || (letters.endsWith('cvc') && !/[wxy]$/.test(word));
}
