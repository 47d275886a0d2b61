import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A text of which many repetitions may take a regular expression more than linear time. */
export interface Pump {
  readonly prefix: string;
  readonly unit: string;
}

/** Repetitions of at least this many are loops; fewer cost a constant factor. */
const LONG = 16;
/** Required repetitions are read as this many at most: longer units come from repeating the pump. */
const COPIES = 2;
const MAX_PUMPS = 400;

interface State {
  readonly empty: { readonly to: number; readonly boundary: boolean | null }[];
  readonly chars: { readonly on: ReadonlySet<number>; readonly to: number }[];
}

/**
 * Finds texts on which a regular expression may take quadratic or exponential time. It is read as an automaton without
 * its lookarounds; a pump keeps two of its loops busy at once, or a loop and the search for a start. Lookarounds only
 * remove matches, so what is found must be confirmed by timing.
 */
export function findPumps(regex: RegExp): Pump[] {
  const pattern = new RegExpParser().parsePattern(regex.source, 0, regex.source.length, {
    unicode: regex.unicode,
    unicodeSets: regex.unicodeSets,
  });
  const elements = charElements(pattern);
  const flags = regex.flags.replace(/[dgmy]/g, '');
  const alphabet = alphabetOf(elements, flags, regex.unicode || regex.unicodeSets);
  const onElement = new Map(elements.map((element) => [element.raw, matching(element.raw, flags, alphabet)]));
  const pumps = new Map<string, Pump>();
  for (const { alternatives, anchored } of searched(pattern, regex)) {
    const automaton = build(alternatives, (raw) => onElement.get(raw) ?? new Set());
    for (const pump of automatonPumps(automaton, alphabet, anchored)) {
      if (pumps.size >= MAX_PUMPS) break;
      pumps.set(JSON.stringify(pump), pump);
    }
  }
  return [...pumps.values()];
}

/** What is matched from every start: the expression and its lookarounds. */
function searched(pattern: AST.Pattern, regex: RegExp): { alternatives: AST.Alternative[]; anchored: boolean }[] {
  const all = [
    { alternatives: pattern.alternatives, anchored: !regex.multiline && pattern.alternatives.every(isAnchored) },
  ];
  visit(pattern, (node) => {
    if (node.type === 'Assertion' && (node.kind === 'lookahead' || node.kind === 'lookbehind'))
      all.push({ alternatives: node.alternatives, anchored: false });
  });
  return all;
}

function isAnchored({ elements }: AST.Alternative): boolean {
  const [first] = elements;
  if (first?.type === 'Assertion') return first.kind === 'start';
  return (first?.type === 'Group' || first?.type === 'CapturingGroup') && first.alternatives.every(isAnchored);
}

type CharElement = AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass;

function charElements(pattern: AST.Pattern): CharElement[] {
  const found = new Map<string, CharElement>();
  visit(pattern, (node) => {
    if (isCharElement(node)) found.set(node.raw, node);
  });
  return [...found.values()];
}

function isCharElement(node: AST.Node): node is CharElement {
  return ['Character', 'CharacterClass', 'CharacterSet', 'ExpressionCharacterClass'].includes(node.type);
}

function visit(node: AST.Node, see: (node: AST.Node) => void): void {
  see(node);
  if (isCharElement(node)) return;
  if ('alternatives' in node) for (const alternative of node.alternatives) visit(alternative, see);
  else if (node.type === 'Alternative') for (const element of node.elements) visit(element, see);
  else if (node.type === 'Quantifier') visit(node.element, see);
}

/** One character of each kind that the expression tells apart. */
function alphabetOf(elements: readonly CharElement[], flags: string, unicode: boolean): string[] {
  const candidates = new Set([
    ...'aZzb0 9_\n\t.,!-"\'()[]{}<>:;/\\@#$=+*?`|&%^~\0\réß…“中',
    ...(unicode ? ['😀'] : []),
  ]);
  const add = (point: number) => {
    for (const near of [point, point - 1, point + 1])
      if (near >= 0 && near <= 0x10ffff) candidates.add(String.fromCodePoint(near));
  };
  const collect = (node: AST.Node): void => {
    if (node.type === 'Character') add(node.value);
    else if (node.type === 'CharacterClassRange') for (const { value } of [node.min, node.max]) add(value);
    else if (node.type === 'CharacterClass') for (const part of node.elements) collect(part);
  };
  for (const element of elements) collect(element);
  const tests = elements.map(({ raw }) => new RegExp(`^(?:${raw})$`, flags));
  const kinds = new Map<string, string>();
  for (const char of candidates) {
    const kind = tests.map((test) => (test.test(char) ? '1' : '0')).join('');
    if (!kinds.has(kind)) kinds.set(kind, char);
  }
  return [...kinds.values()];
}

function matching(raw: string, flags: string, alphabet: readonly string[]): Set<number> {
  const test = new RegExp(`^(?:${raw})$`, flags);
  return new Set(alphabet.flatMap((char, i) => (test.test(char) ? [i] : [])));
}

interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
}

function build(alternatives: readonly AST.Alternative[], on: (raw: string) => ReadonlySet<number>): Automaton {
  const states: State[] = [];
  const add = () => states.push({ empty: [], chars: [] }) - 1;
  const link = (from: number, to: number, boundary: boolean | null = null) =>
    states[from]?.empty.push({ to, boundary });
  /** Returns the state after the node. */
  const node = (element: AST.Element, from: number): number => {
    if (isCharElement(element)) {
      const to = add();
      states[from]?.chars.push({ on: on(element.raw), to });
      return to;
    }
    if (element.type === 'Group' || element.type === 'CapturingGroup') return choice(element.alternatives, from);
    if (element.type === 'Quantifier') return repeat(element, from);
    if (element.type !== 'Assertion' || element.kind !== 'word') return from;
    const to = add();
    link(from, to, !element.negate);
    return to;
  };
  const choice = (all: readonly AST.Alternative[], from: number): number => {
    const end = add();
    for (const { elements } of all) {
      let at = add();
      link(from, at);
      for (const element of elements) at = node(element, at);
      link(at, end);
    }
    return end;
  };
  const repeat = ({ element, min, max }: AST.Quantifier, from: number): number => {
    let at = from;
    for (let i = 0; i < Math.min(min, COPIES); i += 1) at = node(element, at);
    if (max >= LONG && max > min) {
      const loop = add();
      link(at, loop);
      link(node(element, loop), loop);
      return loop;
    }
    for (let i = Math.min(min, COPIES); i < Math.min(max, COPIES + 1); i += 1) {
      const to = node(element, at);
      const end = add();
      link(at, end);
      link(to, end);
      at = end;
    }
    return at;
  };
  const start = add();
  choice(alternatives, start);
  return { states, start };
}

function automatonPumps({ states, start }: Automaton, alphabet: readonly string[], anchored: boolean): Pump[] {
  const isWord = alphabet.map((char) => /\w/.test(char));
  // A place is a state and whether a word character came before it.
  const place = (state: number, afterWord: boolean) => 2 * state + Number(afterWord);
  const next: Next = states.flatMap((_, state) =>
    [false, true].map((afterWord) => {
      const [beforeOther, beforeWord] = [false, true].map((word) => [
        ...emptyWays(states, state, afterWord !== word).keys(),
      ]);
      return alphabet.map((_char, c) => {
        const targets = new Set<number>();
        for (const at of (isWord[c] ? beforeWord : beforeOther) ?? [])
          for (const { on, to } of states[at]?.chars ?? []) if (on.has(c)) targets.add(place(to, isWord[c] ?? false));
        return [...targets];
      });
    }),
  );
  const components = loopComponents(next);
  const loops = [...components.keys()];
  const pumps: Pump[] = [];
  const text = (word: readonly number[]) => word.map((c) => alphabet[c]).join('');
  const all = alphabet.map((_, i) => i);
  const size = next.length;
  if (!anchored) {
    const orders = loops.length > 60 ? [all] : preferences(alphabet);
    for (const loop of loops)
      for (const order of orders) {
        const word = search([place(start, loop % 2 === 1), loop], [loop, loop], size, ([a = 0, b = 0], push) => {
          for (const c of order)
            for (const x of next[a]?.[c] ?? []) for (const y of next[b]?.[c] ?? []) push(c, [x, y]);
        });
        if (word) pumps.push({ prefix: '', unit: text(word) });
      }
  }
  const prefixes = new Map<number, string | null>();
  const prefixOf = (goal: number): string | null => {
    let prefix = prefixes.get(goal);
    if (prefix === undefined) {
      const word =
        goal === place(start, false)
          ? []
          : search([place(start, false)], [goal], size, ([a = 0], push) => {
              for (const c of all) for (const x of next[a]?.[c] ?? []) push(c, [x]);
            });
      prefix = word && text(word);
      prefixes.set(goal, prefix);
    }
    return prefix;
  };
  for (const first of loops)
    for (const second of loops) {
      if (components.get(first) === components.get(second)) continue;
      const word = search([first, first, second], [first, second, second], size, ([a = 0, b = 0, d = 0], push) => {
        for (const c of all)
          for (const x of next[a]?.[c] ?? [])
            if (components.get(x) === components.get(first))
              for (const z of next[d]?.[c] ?? [])
                if (components.get(z) === components.get(second))
                  for (const y of next[b]?.[c] ?? []) push(c, [x, y, z]);
      });
      const prefix = word && prefixOf(first);
      if (word && prefix !== null) pumps.push({ prefix: prefix ?? '', unit: text(word) });
    }
  const counts = new Map<number, Map<number, number>>();
  /** Whether a character leads from one place to another in several ways. */
  const hasTwoWays = (from: number, c: number, to: number): boolean => {
    const boundary = (from % 2 === 1) !== isWord[c];
    const paths = counts.get(2 * from + Number(boundary)) ?? emptyWays(states, from >> 1, boundary);
    counts.set(2 * from + Number(boundary), paths);
    let ways = 0;
    for (const [at, times] of paths)
      for (const way of states[at]?.chars ?? []) if (way.to === to >> 1 && way.on.has(c)) ways += times;
    return ways > 1;
  };
  for (const component of new Set(components.values())) {
    const loop = component;
    // The last number is 1 once the two ways around the loop have parted.
    const word = search([loop, loop, 0], [loop, loop, 1], size, ([a = 0, b = 0, parted = 0], push) => {
      for (const c of all)
        for (const x of next[a]?.[c] ?? [])
          if (components.get(x) === component)
            for (const y of next[b]?.[c] ?? [])
              if (components.get(y) === component)
                push(c, [x, y, parted === 1 || x !== y || (a === b && hasTwoWays(a, c, x)) ? 1 : 0]);
    });
    const prefix = word && prefixOf(loop);
    if (word && prefix !== null) pumps.push({ prefix: prefix ?? '', unit: text(word) });
  }
  return pumps;
}

/** The states that are reached without a character, with the number of ways there, up to 2. */
function emptyWays(states: readonly State[], from: number, atBoundary: boolean): Map<number, number> {
  const counts = new Map<number, number>();
  const path = new Set<number>();
  const walk = (at: number): void => {
    const count = counts.get(at) ?? 0;
    if (count > 1 || path.has(at)) return;
    counts.set(at, count + 1);
    path.add(at);
    for (const { to, boundary } of states[at]?.empty ?? []) if (boundary === null || boundary === atBoundary) walk(to);
    path.delete(at);
  };
  walk(from);
  return counts;
}

/** Where each state leads with each character. */
type Next = readonly (readonly (readonly number[])[])[];

/** The states that lie on a cycle, each with the first state of those that it shares cycles with. */
function loopComponents(next: Next): Map<number, number> {
  const reach = next.map((byChar) => {
    const seen = new Set(byChar.flat());
    for (const at of seen) for (const to of next[at]?.flat() ?? []) seen.add(to);
    return seen;
  });
  const components = new Map<number, number>();
  for (const [i, from] of reach.entries())
    if (from.has(i))
      components.set(
        i,
        [...from].filter((j) => reach[j]?.has(i)).reduce((a, b) => Math.min(a, b)),
      );
  return components;
}

/** Orders in which characters are tried: a unit of letters, of blanks, of marks. */
function preferences(alphabet: readonly string[]): number[][] {
  return [/\w/, /\s/, /[^\w\s]/].map((kind) => {
    const rank = (i: number) => (kind.test(alphabet[i] ?? '') ? 0 : 1);
    return alphabet.map((_, i) => i).sort((a, b) => rank(a) - rank(b));
  });
}

const MAX_SEARCHED = 300_000;

/** The shortest word that leads from some states to others at once; null if there is none. */
function search(
  from: readonly number[],
  goal: readonly number[],
  size: number,
  step: (at: readonly number[], push: (char: number, to: readonly number[]) => void) => void,
): number[] | null {
  const key = (at: readonly number[]) => at.reduce((id, state) => id * (size + 1) + state, 0);
  const wanted = key(goal);
  const seen = new Map<number, { readonly before: number; readonly char: number }>();
  const queue = [from];
  for (const at of queue) {
    const before = key(at);
    step(at, (char, to) => {
      const id = key(to);
      if (seen.has(id)) return;
      seen.set(id, { before, char });
      queue.push(to);
    });
    if (seen.has(wanted) || seen.size > MAX_SEARCHED) break;
  }
  const word: number[] = [];
  const origin = key(from);
  for (let way = seen.get(wanted); way; way = way.before === origin ? undefined : seen.get(way.before))
    word.unshift(way.char);
  return word.length > 0 ? word : null;
}
