/** The longest text that a regular expression from a trace is tried on. */
export const MAX_MATCH_LENGTH = 100;

const MAX_PATTERN_LENGTH = 500;
const MAX_WAYS = 10_000;

/**
 * Whether a regular expression from a trace is cheap on a text of {@link LONGEST_MATCHED} characters, however hostile
 * both are: an upper bound of the ways in which it can be tried, the product of the choices that its quantifiers and
 * alternatives leave, is small. A repetition of what leaves choices itself, such as `(a+)+`, never is.
 */
export function isBoundedPattern(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_LENGTH && countWays(pattern) <= MAX_WAYS;
}

/** Whether it is cheap on a text of any length: at most one of its quantifiers has no end. */
export function isLinearPattern(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_LENGTH && countWays(pattern) <= MAX_MATCH_LENGTH;
}

/** Of a group, or of the pattern as a whole. */
interface PatternGroup {
  /** Of its alternatives before this one, together. */
  before: number;
  /** Of this alternative, its last atom apart. */
  ways: number;
  /** Of its last atom, to which a quantifier may follow. */
  last: number;
}

function countWays(pattern: string): number {
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\(\??|([*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
  const outer: PatternGroup[] = [];
  let group: PatternGroup = { before: 0, ways: 1, last: 1 };
  for (const [token, quantifier] of pattern.matchAll(tokens)) {
    if (quantifier !== undefined) group.last = repeatedWays(group.last, quantifier);
    else if (token.startsWith('(')) {
      outer.push(group);
      group = { before: 0, ways: 1, last: 1 };
    } else if (token === ')') {
      const inner = totalWays(group);
      group = outer.pop() ?? group;
      addAtom(group, inner);
    } else if (token === '|') group = { before: totalWays(group), ways: 1, last: 1 };
    else addAtom(group, 1);
  }
  const anchored = pattern.startsWith('^') && group.before === 0;
  return totalWays(group) * (anchored ? 1 : MAX_MATCH_LENGTH);
}

function totalWays({ before, ways, last }: PatternGroup): number {
  return before + ways * last;
}

function addAtom(group: PatternGroup, atom: number): void {
  group.ways *= group.last;
  group.last = atom;
}

function repeatedWays(ways: number, quantifier: string): number {
  if (quantifier === '?') return ways * 2;
  const [least, most] = quantifier.slice(1, -1).split(',');
  const times = Number(most ?? least) || MAX_MATCH_LENGTH;
  return ways ** times * Math.max(times, 2);
}
