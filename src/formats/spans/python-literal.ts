import { isObject, type JsonObject } from '../../core/json.ts';
import { argumentsOf } from '../values.ts';

/**
 * Parses the arguments with which a tool ran. Python instrumentations may write a dictionary in Python notation, which
 * is not JSON. Arguments written by a model are not parsed here.
 */
export function parseExecutedArguments(value: unknown): JsonObject | string {
  const parsed = argumentsOf(value);
  if (typeof parsed !== 'string' || !parsed.startsWith('{')) return parsed;
  const literal = pythonLiteral(parsed);
  return isObject(literal) ? literal : parsed;
}

/**
 * Parses the output of `repr` for dictionaries, lists, tuples, strings, numbers, True, False and None; undefined for
 * anything else.
 */
function pythonLiteral(text: string): unknown {
  if (text.length > 100_000) return undefined;
  const reader = new LiteralReader(text);
  const value = reader.value(0);
  return reader.isAtEnd() ? value : undefined;
}

/** Arguments are not nested more deeply. */
const MAX_DEPTH = 30;

const WORDS: readonly (readonly [string, unknown])[] = [
  ['True', true],
  ['False', false],
  ['None', null],
];

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const TEXT = /'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)"/sy;
const SPACE = /\s*/y;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

class LiteralReader {
  readonly #text: string;
  #at = 0;
  /** The text is not a valid literal. */
  #failed = false;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#match(SPACE);
    return !this.#failed && this.#at === this.#text.length;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) return this.#fail();
    if (this.#take('{')) return this.#dictionary(depth);
    if (this.#take('[')) return this.#list(']', depth);
    if (this.#take('(')) return this.#list(')', depth);
    const quoted = this.#match(TEXT);
    if (quoted) return unescaped(quoted[1] ?? quoted[2] ?? '');
    for (const [word, value] of WORDS) if (this.#take(word)) return value;
    const number = this.#match(NUMBER);
    return number ? Number(number[0]) : this.#fail();
  }

  #dictionary(depth: number): unknown {
    const entries: [string, unknown][] = [];
    while (!this.#failed && !this.#take('}')) {
      const key = this.value(depth + 1);
      if (typeof key !== 'string' || !this.#take(':')) return this.#fail();
      entries.push([key, this.value(depth + 1)]);
      if (!this.#take(',') && !this.#isNext('}')) return this.#fail();
    }
    return Object.fromEntries(entries);
  }

  #list(close: string, depth: number): unknown {
    const values: unknown[] = [];
    while (!this.#failed && !this.#take(close)) {
      values.push(this.value(depth + 1));
      if (!this.#take(',') && !this.#isNext(close)) return this.#fail();
    }
    return values;
  }

  #fail(): undefined {
    this.#failed = true;
    return undefined;
  }

  #isNext(token: string): boolean {
    this.#match(SPACE);
    return this.#text.startsWith(token, this.#at);
  }

  #take(token: string): boolean {
    if (!this.#isNext(token)) return false;
    this.#at += token.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const parsed = pattern.exec(this.#text);
    if (parsed) this.#at = pattern.lastIndex;
    return parsed;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|.)/gs, (_, code: string) => {
    if (code.length === 1) return ESCAPES.get(code) ?? code;
    const point = Number.parseInt(code.slice(1), 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : '';
  });
}
