/** The longest text that a regular expression from a trace is matched against, and the length that ways are counted for. */
export const MAX_MATCH_LENGTH = 100;

const MAX_PATTERN_LENGTH = 500;
const MAX_WAYS = 10_000;

/**
 * Whether a regular expression from a trace is cheap on any text of {@link MAX_MATCH_LENGTH} characters: an upper
 * bound of the ways to match it, the product of the choices of its quantifiers and alternatives, is small. A
 * repetition of something with choices, such as `(a+)+`, never is.
 */
export function isBoundedPattern(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_LENGTH && countWays(pattern) <= MAX_WAYS;
}

/** Whether a pattern is cheap on a text of any length: at most one of its quantifiers is unbounded. */
export function isLinearPattern(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN_LENGTH && countWays(pattern) <= MAX_MATCH_LENGTH;
}

const MAX_CONSTANT_WAYS = 10;

/**
 * Whether a pattern is cheap on a short text such as a file name: the ways to match it grow with the third power of the
 * length at most. Each unbounded quantifier is one power, and so is a start without `^`.
 */
export function isCubicPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return false;
  const ways = countWays(pattern);
  return ways <= MAX_CONSTANT_WAYS * MAX_MATCH_LENGTH ** 3 && countWays(pattern, 2 * MAX_MATCH_LENGTH) <= 2 ** 3 * ways;
}

/** The state of a group, or of the whole pattern. */
interface PatternGroup {
  /** The ways to match the previous alternatives. */
  before: number;
  /** The ways to match this alternative, without its last atom. */
  ways: number;
  /** The ways to match the last atom, which a quantifier may follow. */
  last: number;
}

function countWays(pattern: string, length = MAX_MATCH_LENGTH): number {
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]?|\(\??|([*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
  const outer: PatternGroup[] = [];
  let group: PatternGroup = { before: 0, ways: 1, last: 1 };
  for (const [token, quantifier] of pattern.matchAll(tokens)) {
    if (quantifier !== undefined) group.last = repeatedWays(group.last, quantifier, length);
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
  return totalWays(group) * (anchored ? 1 : length);
}

function totalWays({ before, ways, last }: PatternGroup): number {
  return before + ways * last;
}

function addAtom(group: PatternGroup, atom: number): void {
  group.ways *= group.last;
  group.last = atom;
}

function repeatedWays(ways: number, quantifier: string, length: number): number {
  if (quantifier === '?') return ways * 2;
  const [least, most] = quantifier.slice(1, -1).split(',');
  const times = Number(most ?? least) || length;
  return ways ** times * Math.max(times, 2);
}
