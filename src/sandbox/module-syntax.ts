/** What can be said about a module by its tokens alone, without a parser. */
import jsTokens from 'js-tokens';

interface CodeToken {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const BLANK = new Set([
  'WhiteSpace',
  'LineTerminatorSequence',
  'MultiLineComment',
  'SingleLineComment',
  'HashbangComment',
]);

/** Without comments and white space. */
export function codeTokens(code: string): readonly CodeToken[] {
  const tokens: CodeToken[] = [];
  let start = 0;
  for (const { type, value } of jsTokens(code)) {
    const end = start + value.length;
    if (!BLANK.has(type)) tokens.push({ type, value, start, end });
    start = end;
  }
  return tokens;
}

/** Where the first decorator is, whose `@` JavaScript does not have. */
export function findDecorator(tokens: readonly CodeToken[]): number | null {
  return tokens.find(({ type, value }) => type === 'Invalid' && value === '@')?.start ?? null;
}

interface ImportedName {
  readonly local: string;
  /** As it is written: `a as b`, `* as all`, `standard`. */
  readonly text: string;
  readonly isNamed: boolean;
}

interface ImportDeclaration {
  readonly start: number;
  /** Where `from` begins. */
  readonly from: number;
  readonly end: number;
  readonly names: readonly ImportedName[];
}

/**
 * Removes what TypeScript removes: imported names that the code does not use. They are types, which are not there when it
 * runs. Everything else stays in its line.
 *
 * @param code without types.
 */
export function removeUnusedImports(code: string): string {
  if (!/\bimport\b/.test(code)) return code;
  const tokens = codeTokens(code);
  const declarations: ImportDeclaration[] = [];
  const used = new Set<string>();
  for (let at = 0; at < tokens.length; at++) {
    const declaration = importAt(tokens, at);
    if (declaration) {
      declarations.push(declaration);
      while (at + 1 < tokens.length && (tokens[at + 1]?.start ?? 0) < declaration.end) at++;
    } else if (tokens[at]?.type === 'IdentifierName' && !isProperty(tokens, at)) {
      used.add(tokens[at]?.value ?? '');
    }
  }
  let result = '';
  let end = 0;
  for (const declaration of declarations) {
    const names = declaration.names.filter(({ local }) => used.has(local));
    if (names.length > 0 && names.length === declaration.names.length) continue;
    const isGone = names.length === 0;
    const removed = code.slice(declaration.start, isGone ? declaration.end : declaration.from);
    result += code.slice(end, declaration.start);
    result += (isGone ? '' : `import ${clauseOf(names)} `) + removed.replaceAll(/[^\r\n]/g, '');
    end = declaration.start + removed.length;
  }
  return result + code.slice(end);
}

/** The declaration that begins at a token: `import a, { b as c } from 'd'`. One with attributes imports no types. */
function importAt(tokens: readonly CodeToken[], first: number): ImportDeclaration | null {
  const start = tokens[first];
  if (start?.value !== 'import' || start.type !== 'IdentifierName' || isProperty(tokens, first)) return null;
  const names: ImportedName[] = [];
  let isNamed = false;
  let words: string[] = [];
  const finish = () => {
    const local = words.at(-1);
    if (local !== undefined) names.push({ local, text: words.join(' '), isNamed });
    words = [];
  };
  for (let at = first + 1; ; at++) {
    const token = tokens[at];
    const source = tokens[at + 1];
    if (token?.value === 'from' && source?.type === 'StringLiteral' && !isNamed) {
      finish();
      if (tokens[at + 2]?.value === 'with') return null;
      return { start: start.start, from: token.start, end: source.end, names };
    }
    if (token?.value === '{') isNamed = true;
    else if (token?.value === ',' || token?.value === '}') finish();
    else if (token?.type === 'IdentifierName' || token?.value === '*') words.push(token.value);
    else if (token?.type === 'StringLiteral' && isNamed) words.push(token.value);
    else return null;
    if (token.value === '}') isNamed = false;
  }
}

function clauseOf(names: readonly ImportedName[]): string {
  const others = names.filter(({ isNamed }) => !isNamed).map(({ text }) => text);
  const named = names.filter(({ isNamed }) => isNamed).map(({ text }) => text);
  return [...others, ...(named.length > 0 ? [`{ ${named.join(', ')} }`] : [])].join(', ');
}

function isProperty(tokens: readonly CodeToken[], at: number): boolean {
  const before = tokens[at - 1]?.value;
  return before === '.' || before === '?.';
}

/** Words before names that they declare. */
const DECLARING = new Set(['const', 'let', 'var', 'function', 'class', 'import']);
/** What can be before a declared name, but for those words. */
const BEFORE_DECLARED = new Set(['{', '[', ',', ':', '...', '*', 'as']);

/** What else can be between declared names, outside of brackets. */
const IN_NAMES = new Set(['{', '[', ',', '*']);

function isNamesAt(tokens: readonly CodeToken[], at: number): boolean {
  return /^[{[]$/.test(tokens[at]?.value ?? '') || tokens[at + 1]?.value === '=';
}

/** The names that a module uses, and those among them that it declares by a statement, in whatever block. */
export function moduleNames(code: string): { used: ReadonlySet<string>; declared: ReadonlySet<string> } {
  const used = new Set<string>();
  const declared = new Set<string>();
  const tokens = codeTokens(code);
  /** Of a declaration: what it declares, or the value of that. */
  let part: 'names' | 'value' | null = null;
  /** Of brackets since the part began. */
  let depth = 0;
  for (const [at, { type, value }] of tokens.entries()) {
    const before = tokens[at - 1]?.value ?? '';
    if (type !== 'IdentifierName') {
      const isOutside = depth === 0;
      if (/^[({[]$/.test(value)) depth++;
      else if (/^[)}\]]$/.test(value)) depth--;
      if (depth < 0 || (isOutside && value === ';')) part = null;
      else if (isOutside && part === 'names') part = value === '=' ? 'value' : IN_NAMES.has(value) ? 'names' : null;
      // The next of several: `const a = f(), b = 2, { c } = d`.
      else if (isOutside && part === 'value' && value === ',') part = isNamesAt(tokens, at + 1) ? 'names' : 'value';
    } else if (isProperty(tokens, at)) {
      if (before === '.' && tokens[at - 2]?.value === 'import') part = null;
    } else if (DECLARING.has(value)) {
      part = 'names';
      depth = 0;
    } else {
      used.add(value);
      if (part !== 'names') continue;
      if (DECLARING.has(before) || BEFORE_DECLARED.has(before)) declared.add(value);
      if (before === 'class' || before === 'function' || value === 'from') part = null;
    }
  }
  return { used, declared };
}

/** The names that a CommonJS module exports where it says so: `exports.a = …`, `module.exports = { a, b: … }`. */
export function commonJsExports(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  const tokens = codeTokens(code);
  const value = (at: number) => tokens[at]?.value;
  for (let at = 0; at < tokens.length; at++) {
    if (value(at) === 'defineProperty' && value(at + 1) === '(' && value(at + 2) === 'exports') {
      add(names, tokens[at + 4]);
    } else if (value(at) === 'exports' && value(at + 1) === '.' && value(at + 3) === '=') {
      add(names, tokens[at + 2]);
    } else if (value(at) === 'exports' && value(at + 1) === '=' && value(at + 2) === '{') {
      for (const key of keysAt(tokens, at + 2)) add(names, key);
    }
  }
  return names;
}

/** The keys of an object that begins at a token. */
function keysAt(tokens: readonly CodeToken[], first: number): CodeToken[] {
  const keys: CodeToken[] = [];
  let depth = 0;
  for (let at = first; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const isOpening = /^[({[]$/.test(token.value) || token.type === 'TemplateHead';
    if (isOpening) depth++;
    else if (/^[)}\]]$/.test(token.value) || token.type === 'TemplateTail') depth--;
    if (depth === 0) break;
    const next = tokens[at + 1];
    if (depth === 1 && (at === first || token.value === ',') && next !== undefined) keys.push(next);
  }
  return keys;
}

function add(names: Set<string>, key: CodeToken | undefined): void {
  if (key?.type === 'IdentifierName') names.add(key.value);
  else if (key?.type === 'StringLiteral') names.add(key.value.slice(1, -1));
}
