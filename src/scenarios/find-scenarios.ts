import jsTokens from 'js-tokens';
import type { ScenarioPlace } from './scenario.ts';

interface CodeToken {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the scenarios in code by its tokens, so that half of a file is enough: `scenario('name', …)`, under the name that the
 * function is imported by. Linear in the length of the text.
 */
export function findScenarios(text: string): readonly ScenarioPlace[] {
  const tokens = significantTokens(text);
  const callees = importedNames(tokens);
  const starts = tokens.flatMap((_, index) => (isCall(tokens, index, callees) ? [index] : []));
  return starts.map((start, nth) => placeAt(tokens, start, starts[nth + 1] ?? tokens.length));
}

function token(tokens: readonly CodeToken[], index: number): CodeToken {
  return tokens[index] ?? { type: 'End', value: '', start: 0, end: 0 };
}

const IGNORED = new Set([
  'WhiteSpace',
  'LineTerminatorSequence',
  'MultiLineComment',
  'SingleLineComment',
  'HashbangComment',
]);

function significantTokens(text: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  let start = 0;
  for (const { type, value } of jsTokens(text, { jsx: false })) {
    const end = start + value.length;
    if (!IGNORED.has(type)) tokens.push({ type, value, start, end });
    start = end;
  }
  return tokens;
}

/** `scenario`, and what it is renamed to: `import { scenario as test } from 'turnwise'`. */
function importedNames(tokens: readonly CodeToken[]): ReadonlySet<string> {
  const names = new Set(['scenario']);
  tokens.forEach(({ value }, index) => {
    if (value !== 'scenario' || token(tokens, index + 1).value !== 'as') return;
    const renamed = token(tokens, index + 2);
    if (renamed.type === 'IdentifierName') names.add(renamed.value);
  });
  return names;
}

function isCall(tokens: readonly CodeToken[], index: number, names: ReadonlySet<string>): boolean {
  const { type, value } = token(tokens, index);
  if (type !== 'IdentifierName' || !names.has(value) || token(tokens, index + 1).value !== '(') return false;
  return !['.', '?.', 'function'].includes(token(tokens, index - 1).value);
}

/** @param limit the index of the next scenario, where the call ends if its parenthesis is missing. */
function placeAt(tokens: readonly CodeToken[], start: number, limit: number): ScenarioPlace {
  const close = closingIndex(tokens, start + 1, limit);
  const last = token(tokens, Math.min(close, limit - 1));
  const turns: { start: number; end: number }[] = [];
  const expectedCalls: { start: number; end: number }[] = [];
  let agent: string | null = null;
  let depth = 0;
  for (let index = start + 2; index < close; index += 1) {
    depth += nesting(token(tokens, index));
    if (token(tokens, index + 1).value !== ':') continue;
    const key = literalValue(token(tokens, index)) ?? token(tokens, index).value;
    // A key of the options, and not of something in them.
    const isOption = depth === 1 && ['{', ','].includes(token(tokens, index - 1).value);
    if (isOption && key === 'agent') agent = literalValue(token(tokens, index + 2));
    if (token(tokens, index + 2).value !== '[') continue;
    if (key === 'turns') turns.push(...itemsOf(tokens, index + 2, close));
    if (key === 'expected') expectedCalls.push(...itemsOf(tokens, index + 2, close));
  }
  const name = literalValue(token(tokens, start + 2));
  return { name, agent, start: token(tokens, start).start, end: last.end, turns, expectedCalls };
}

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/** How a token changes the nesting. A template's expressions nest too. */
function nesting({ type, value }: CodeToken): number {
  if (type === 'TemplateHead') return 1;
  if (type === 'TemplateTail') return -1;
  if (type !== 'Punctuator') return 0;
  return OPENING.has(value) ? 1 : CLOSING.has(value) ? -1 : 0;
}

/** Where the bracket at an index is closed; the limit where it is not. */
function closingIndex(tokens: readonly CodeToken[], open: number, limit: number): number {
  let depth = 0;
  for (let index = open; index < limit; index += 1) {
    depth += nesting(token(tokens, index));
    if (depth === 0) return index;
  }
  return limit;
}

/** The ranges of the items of a list. */
function itemsOf(tokens: readonly CodeToken[], open: number, limit: number): { start: number; end: number }[] {
  const items: { start: number; end: number }[] = [];
  let depth = 0;
  let first: CodeToken | null = null;
  let last: CodeToken | null = null;
  const finish = () => {
    if (first && last) items.push({ start: first.start, end: last.end });
    first = null;
  };
  for (let index = open; index < limit; index += 1) {
    const current = token(tokens, index);
    const before = depth;
    depth += nesting(current);
    if (depth === 0) break;
    if (before === 0) continue;
    if (depth === 1 && before === 1 && current.value === ',') {
      finish();
      continue;
    }
    first ??= current;
    last = current;
  }
  finish();
  return items;
}

/** The text of a string literal; null where it is none, or is not closed. */
function literalValue({ type, value }: CodeToken): string | null {
  if (type !== 'StringLiteral' && type !== 'NoSubstitutionTemplate') return null;
  const quote = value[0];
  if (quote === undefined || value.length < 2 || value.at(-1) !== quote) return null;
  return value.slice(1, -1).replace(ESCAPE, (_, escaped: string) => escapedText(escaped));
}

const ESCAPE = /\\(u\{[\da-fA-F]{1,6}\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|\r\n|[\s\S])/g;
const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

function escapedText(escaped: string): string {
  const code = /^[ux]\{?([\da-fA-F]+)\}?$/.exec(escaped)?.[1];
  if (code !== undefined) {
    const point = Number.parseInt(code, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : '';
  }
  if (/^[\r\n]/.test(escaped)) return '';
  return NAMED_ESCAPES[escaped] ?? escaped;
}
