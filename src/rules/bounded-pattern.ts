/** The longest text that a regular expression from a trace is tried on. */
export const LONGEST_MATCHED = 100;

const LONGEST_PATTERN = 500;
const MOST_WAYS = 10_000;

/**
 * Whether a regular expression from a trace is cheap on a text of {@link LONGEST_MATCHED} characters, however hostile
 * both are: an upper bound of the ways in which it can be tried, the product of the choices that its quantifiers and
 * alternatives leave, is small. A repetition of what leaves choices itself, such as `(a+)+`, never is.
 */
export function isBounded(pattern: string): boolean {
  return pattern.length <= LONGEST_PATTERN && waysOf(pattern) <= MOST_WAYS;
}

/** Whether it is cheap on a text of any length: at most one of its quantifiers has no end. */
export function isLinear(pattern: string): boolean {
  return pattern.length <= LONGEST_PATTERN && waysOf(pattern) <= LONGEST_MATCHED;
}

/** Of a group, or of the pattern as a whole. */
interface Group {
  /** Of its alternatives before this one, together. */
  before: number;
  /** Of this alternative, its last atom apart. */
  ways: number;
  /** Of its last atom, to which a quantifier may follow. */
  last: number;
}

function waysOf(pattern: string): number {
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\(\??|([*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
  const outer: Group[] = [];
  let group: Group = { before: 0, ways: 1, last: 1 };
  for (const [token, quantifier] of pattern.matchAll(tokens)) {
    if (quantifier !== undefined) group.last = repeated(group.last, quantifier);
    else if (token.startsWith('(')) {
      outer.push(group);
      group = { before: 0, ways: 1, last: 1 };
    } else if (token === ')') {
      const inner = total(group);
      group = outer.pop() ?? group;
      add(group, inner);
    } else if (token === '|') group = { before: total(group), ways: 1, last: 1 };
    else add(group, 1);
  }
  const anchored = pattern.startsWith('^') && group.before === 0;
  return total(group) * (anchored ? 1 : LONGEST_MATCHED);
}

function total({ before, ways, last }: Group): number {
  return before + ways * last;
}

function add(group: Group, atom: number): void {
  group.ways *= group.last;
  group.last = atom;
}

function repeated(ways: number, quantifier: string): number {
  if (quantifier === '?') return ways * 2;
  const [least, most] = quantifier.slice(1, -1).split(',');
  const times = Number(most ?? least) || LONGEST_MATCHED;
  return ways ** times * Math.max(times, 2);
}
