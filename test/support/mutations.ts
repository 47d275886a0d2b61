/** A random sequence, the same for the same seed. */
class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Less than `end`. */
  below(end: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('Nothing to pick from.');
    return item;
  }
}

/** JSON that readers do not expect; some of it is no JSON. */
const ODD_VALUES = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '0',
  '-1',
  '1e400',
  '-1e308',
  '1e-400',
  '9007199254740993',
  '299736297362973629736297362973629736297',
  '0.1',
  'NaN',
  '-Infinity',
  'undefined',
  '"__proto__"',
  '"constructor"',
  '"\\ud800"',
  '"\\u0000"',
  '"\\u202e\\u2066"',
  '"2026-13-45T99:99:99Z"',
  '"[object Object]"',
  '"{\\"role\\": \\"user\\", \\"content\\": [[[[]]]]}"',
  '{"__proto__": {"polluted": true}}',
  '{"": {"": {"": null}}}',
  '[null, [null, [null]], {}]',
  '[[], {}, 0, "", null, false]',
];

/** Texts that an expression or a scanner could take long for. */
const PUMPED_UNITS = [
  ' ',
  '\\n',
  'a',
  'a ',
  '0',
  '1.',
  '1,000.',
  '.',
  '?',
  '- ',
  '\\"',
  "'",
  '`',
  '(',
  '[',
  '<a>',
  '{',
  '&&',
  '# ',
  'no ',
  '@a.',
  '://',
  '\\\\',
];

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

type Mutator = (text: string, random: Random) => string;

const MUTATORS: Readonly<Record<string, Mutator>> = {
  'a byte is changed': (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
  },
  'a part is removed': (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + 1 + random.below(200));
  },
  'a part is repeated': (text, random) => {
    const at = random.below(text.length);
    const part = text.slice(at, at + 1 + random.below(200));
    return text.slice(0, at) + part.repeat(2 + random.below(3)) + text.slice(at);
  },
  'the end is missing': (text, random) => text.slice(0, random.below(text.length)),
  'the beginning is missing': (text, random) => text.slice(random.below(text.length)),
  'a token is replaced': (text, random) => withToken(text, random, () => random.pick(ODD_VALUES)),
  'a token is removed': (text, random) => withToken(text, random, () => ''),
  'a token is another one of the file': (text, random) => withToken(text, random, (tokens) => random.pick(tokens)),
  'a text is pumped': (text, random) =>
    withToken(text, random, () => `"${random.pick(PUMPED_UNITS).repeat(500 + random.below(8000))}x"`, /^"/),
  'a value is deeply nested': (text, random) => {
    const depth = random.pick([50, 200, 990, 1100, 20_000]);
    return withToken(text, random, ([token = '']) => `${'['.repeat(depth)}${token}${']'.repeat(depth)}`, /^["\d]/);
  },
  'a value is removed': structural((parent, key) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  }),
  'a value is repeated': structural((parent, key, random) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 0, ...Array(1 + random.below(30)).fill(parent[Number(key)]));
    else parent[random.pick(['', 'id', 'role', 'content', `${key}_`])] = parent[key];
  }),
  'a value has another type': structural((parent, key, random) => {
    const value = parent[key];
    parent[key] = random.pick<unknown>([
      [value],
      { [key]: value },
      JSON.stringify(value),
      String(value),
      Number(value),
      !value,
    ]);
  }),
  'a value is elsewhere': structural((parent, key, random, all) => {
    const from = random.pick(all);
    parent[key] = structuredClone(from.parent[from.key]);
  }),
  'a key is another one': structural((parent, key, random, all) => {
    if (Array.isArray(parent)) return;
    const value = parent[key];
    delete parent[key];
    const name = random.pick(['', 'constructor', 'toString', 'length', random.pick(all).key]);
    parent[name] = value;
  }),
  'keys are __proto__': (text, random) => {
    const name = random.pick(text.match(/"[\w.]+"(?=\s*:)/g) ?? ['"role"']);
    return text.replaceAll(name, '"__proto__"');
  },
  'broken lines come first': (text, random) =>
    `${random.pick(['{oops', '{"a": ', 'WARN starting', '', '\0', '[', '"text"', '12'])}\n`.repeat(
      random.pick([1, 200]),
    ) + text,
  'a mark comes first': (text, random) =>
    random.pick(['\ufeff', '\ufeff\ufeff', '\0', '\u2028', '//x\n', '#!\n']) + text,
  'lines end otherwise': (text, random) => text.replaceAll('\n', random.pick(['\r\n', '\r', '\n\n', '\u2028'])),
  'it is twice in the file': (text, random) => text + random.pick(['', '\n', ',', '\n\n']) + text,
};

/** The kinds of changes. */
export const MUTATIONS: readonly string[] = Object.keys(MUTATORS);

export interface Mutant {
  /** The kinds of its changes. */
  readonly kind: string;
  readonly bytes: Uint8Array;
}

/** One to three changes of a text, the same for the same seed. */
export function mutate(text: string, seed: number): Mutant {
  const random = new Random(seed);
  const kinds: string[] = [];
  let mutant = text;
  for (let left = random.pick([1, 1, 2, 3]); left > 0 && mutant !== ''; left -= 1) {
    const kind = random.pick(MUTATIONS);
    kinds.push(kind);
    mutant = MUTATORS[kind]?.(mutant, random) ?? mutant;
  }
  const bytes = new TextEncoder().encode(mutant);
  // A character that is no UTF-8.
  if (random.below(50) === 0 && bytes.length > 0) bytes[random.below(bytes.length)] = 0xff;
  return { kind: kinds.join(', '), bytes };
}

/** Replaces one token of those that a test allows. @param by is told that token, and others of the file. */
function withToken(text: string, random: Random, by: (tokens: string[]) => string, allowed = /./): string {
  const tokens = [...text.matchAll(TOKENS)].filter(([token]) => allowed.test(token));
  if (tokens.length === 0) return text;
  const { 0: token, index } = random.pick(tokens);
  const others = Array.from({ length: 5 }, () => random.pick(tokens)[0]);
  return text.slice(0, index) + by([token, ...others]) + text.slice(index + token.length);
}

type Container = Record<string, unknown> | (unknown[] & Record<string, unknown>);

interface Slot {
  readonly parent: Container;
  readonly key: string;
}

/** A change of a value in the JSON of a file, or of one line of it; nothing where it is no JSON. */
function structural(change: (parent: Container, key: string, random: Random, all: readonly Slot[]) => void): Mutator {
  return (text, random) => {
    const whole = parse(text);
    if (whole !== undefined) return JSON.stringify(changed(whole, random));
    const lines = text.split('\n');
    const at = random.below(lines.length);
    const line = parse(lines[at] ?? '');
    if (line === undefined) return text;
    return lines.with(at, JSON.stringify(changed(line, random))).join('\n');
  };

  function changed(value: unknown, random: Random): unknown {
    const all = slots(value);
    if (all.length === 0) return random.pick([null, [value], { value }]);
    const { parent, key } = random.pick(all);
    change(parent, key, random, all);
    return value;
  }
}

/** Undefined for what is no JSON, and for what is nested too deeply to be written again. */
function parse(text: string): unknown {
  try {
    return /[[{]{500}/.test(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function slots(root: unknown): Slot[] {
  const found: Slot[] = [];
  const open: unknown[] = [root];
  for (const parent of open) {
    if (!isContainer(parent)) continue;
    for (const key of Object.keys(parent)) {
      found.push({ parent, key });
      open.push(parent[key]);
    }
  }
  return found;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
