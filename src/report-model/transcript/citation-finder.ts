import type { Session } from '../../core/session.ts';
import { escapeRegExp } from '../../core/text/escape-reg-exp.ts';
import type { TranscriptLocation } from './transcript-index.ts';
import { type TextAddress, textAt } from './turn-texts.ts';

/** Longer texts are not searched for quotations: the citation is then the whole value. */
const MAX_SEARCHED = 200_000;
/** Quotations that are searched for. */
const MAX_QUOTES = 6;
/** Characters of a sentence that are searched for quotations. */
const MAX_SENTENCE_LENGTH = 2000;

/** A range of a text, in UTF-16 code units; 0 and 0 for `whole`. */
export interface TextCitation extends TextAddress {
  /** Zero-based. */
  readonly turn: number;
  readonly start: number;
  readonly end: number;
}

/** Finds the text that evidence cites. Made per request; caches texts that it builds. */
export class CitationFinder {
  readonly #session: Session;
  readonly #texts = new Map<string, string | null>();

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * The cited range: what the note or the sentence quotes, else the argument that the pointer names, else the whole
   * text.
   *
   * @param sentences the note of the evidence first, then the sentence that it supports.
   */
  find(location: TranscriptLocation, sentences: readonly string[]): TextCitation {
    const { turn, step, field, argument } = location;
    const source = { turn, step, field, item: 0 };
    const text = this.#textAt(source);
    if (text === null) return { ...source, start: 0, end: 0 };
    const quoted = findQuote(text, sentences) ?? (argument === undefined ? null : findArgument(text, argument));
    return { ...source, ...(quoted ?? { start: 0, end: text.length }) };
  }

  #textAt(location: Omit<TextCitation, 'start' | 'end'>): string | null {
    const key = `${location.turn} ${location.step} ${location.field}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const turn = this.#session.turns[location.turn];
    const text = turn ? textAt(turn, location) : null;
    this.#texts.set(key, text);
    return text;
  }
}

interface MatchSpan {
  readonly start: number;
  readonly end: number;
}

/** Where a text contains a quotation; white space may differ. */
function findQuote(text: string, sentences: readonly string[]): MatchSpan | null {
  const looked = text.slice(0, MAX_SEARCHED);
  for (const quote of sentences
    .flatMap((sentence) => extractQuotes(sentence.slice(0, MAX_SENTENCE_LENGTH)))
    .slice(0, MAX_QUOTES)) {
    const words = quote.split(/\s+/).map(escapeRegExp);
    // A quoted figure must not match inside another one.
    const before = /^[\p{L}\p{N}]/u.test(quote) ? '(?<![\\p{L}\\p{N}])' : '';
    const behind = /[\p{L}\p{N}]$/u.test(quote) ? '(?![\\p{L}\\p{N}])' : '';
    const match = new RegExp(`${before}${words.join('\\s+')}${behind}`, 'u').exec(looked);
    if (match) return { start: match.index, end: match.index + match[0].length };
  }
  return null;
}

/** Texts in quotation marks, the longest first, without leading or trailing ellipses. */
function extractQuotes(sentence: string): string[] {
  const quotes = Array.from(sentence.matchAll(/"([^"]{1,300})"|“([^”]{1,300})”/g), ([, plain, curly]) =>
    (plain ?? curly ?? '').replace(/^…|…$/g, '').trim(),
  );
  return quotes.filter((quote) => quote !== '').sort((a, b) => b.length - a.length);
}

/** An argument with its value, as `argumentsText` writes it. */
function findArgument(text: string, name: string): MatchSpan | null {
  const start = text.startsWith(`${name}: `) ? 0 : text.indexOf(`, ${name}: `) + 2;
  if (start === 1) return null;
  const value = start + name.length + 2;
  const end = jsonEnd(text, value);
  return { start, end };
}

/** The end of the JSON value that starts at an offset. */
function jsonEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',' && depth === 0) return at;
  }
  return text.length;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
