const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const NUMBERS_BY_WORD: ReadonlyMap<string, number> = new Map([
  ...ONES.map((word, value): [string, number] => [word, value]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
  ['dozen', 12],
  ['half', 0.5],
]);
const NUMBER_WORD = new RegExp(`\\b(?:${[...NUMBERS_BY_WORD.keys()].join('|')}|hundred|thousand|million)\\b`, 'gi');

/** Numbers in words: `five hundred`, `twenty-five`. */
export function* spelledNumbers(text: string): Generator<number> {
  if (text.search(NUMBER_WORD) < 0) return;
  let [whole, part, end] = [0, 0, -1];
  for (const { 0: word, index } of text.matchAll(NUMBER_WORD)) {
    if (end >= 0 && !/^(?:[\s-]|\sand\s){1,3}$/.test(text.slice(end, index))) {
      yield whole + part;
      [whole, part] = [0, 0];
    }
    end = index + word.length;
    const lower = word.toLowerCase();
    if (lower === 'hundred') part = (part || 1) * 100;
    else if (lower === 'thousand') [whole, part] = [whole + (part || 1) * 1e3, 0];
    else if (lower === 'million') [whole, part] = [whole + (part || 1) * 1e6, 0];
    else part += NUMBERS_BY_WORD.get(lower) ?? 0;
  }
  if (end >= 0) yield whole + part;
}

/** A number before a unit, as a pattern: `3`, `three`, `a`. */
export const COUNT_BEFORE_UNIT = '\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';

/** Reads what {@link COUNT_BEFORE_UNIT} matches. */
export function parseCount(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  const [count = 1] = spelledNumbers(text);
  return count;
}
