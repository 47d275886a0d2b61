import { trimEnd } from '../src/core/text/trim-end.ts';

/**
 * Parses a subset of Markdown: paragraphs, code, lists, headings, emphasis and links. The result is tokens, never HTML;
 * other syntax stays as written. Each text has its offset in the source, so that ranges of the source can be
 * highlighted in it. The parser never backtracks, so hostile text takes no longer than other text.
 */

export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string; readonly at: number }
  | { readonly type: 'strong' | 'emphasis'; readonly children: readonly Inline[]; readonly at: number }
  /** The children are the URL itself if the link has no text of its own. */
  | { readonly type: 'link'; readonly children: readonly Inline[]; readonly url: string; readonly at: number };

export type Block =
  | { readonly type: 'paragraph' | 'heading'; readonly children: readonly Inline[]; readonly at: number }
  | { readonly type: 'code'; readonly text: string; readonly at: number }
  | { readonly type: 'list'; readonly items: readonly ListItem[]; readonly at: number };

export interface ListItem {
  /** `•`, or the number as written. */
  readonly marker: string;
  /** Nesting depth, from 0. */
  readonly level: number;
  readonly children: readonly Inline[];
  readonly at: number;
}

/** The maximum nesting of emphasis. */
const MAX_DEPTH = 3;
const MAX_LIST_LEVEL = 4;

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)]) +(?=\S)/;
const HEADING = /^#{1,6} +(?=\S)/;

interface SourceLine {
  readonly text: string;
  readonly at: number;
}

export function parseMarkdown(source: string): Block[] {
  const lines = splitLines(source);
  const blocks: Block[] = [];
  for (let next = 0; next < lines.length; ) {
    const line = lines[next];
    if (!line) break;
    const { block, lines: taken } =
      blank(line) ?? code(lines, next, source) ?? list(lines, next) ?? heading(line) ?? paragraph(lines, next, source);
    if (block) blocks.push(block);
    next += taken;
  }
  return blocks;
}

/** A block, and the number of lines it takes; null for blank lines. */
interface ParsedBlock {
  readonly block: Block | null;
  readonly lines: number;
}

function splitLines(source: string): SourceLine[] {
  const lines: SourceLine[] = [];
  for (let at = 0; at <= source.length; ) {
    const end = source.indexOf('\n', at);
    const stop = end < 0 ? source.length : end;
    lines.push({ text: source.slice(at, stop).replace(/\r$/, ''), at });
    at = stop + 1;
  }
  return lines;
}

function blank({ text }: SourceLine): ParsedBlock | null {
  return text.trim() === '' ? { block: null, lines: 1 } : null;
}

function code(lines: readonly SourceLine[], first: number, source: string): ParsedBlock | null {
  const fence = FENCE.exec(lines[first]?.text ?? '')?.[1];
  if (fence === undefined) return null;
  let end = first + 1;
  while (end < lines.length && !closes(lines[end]?.text ?? '', fence)) end += 1;
  const at = lines[first + 1]?.at ?? source.length;
  const last = lines[end];
  const stop = last ? Math.max(at, last.at - 1) : source.length;
  return { block: { type: 'code', text: source.slice(at, stop), at }, lines: end + 1 - first };
}

function closes(text: string, fence: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= fence.length && trimmed === fence.charAt(0).repeat(trimmed.length);
}

function list(lines: readonly SourceLine[], first: number): ParsedBlock | null {
  const items: ListItem[] = [];
  let next = first;
  for (let line = lines[next]; line; line = lines[next]) {
    const match = ITEM.exec(line.text);
    if (!match) break;
    const [whole = '', indent = '', marker = ''] = match;
    next += 1;
    let text = line.text.slice(whole.length);
    // Continuation lines are indented. The line break stays, so that source offsets still match.
    for (let more = lines[next]; more && /^ +\S/.test(more.text) && !startsBlock(more.text); more = lines[next]) {
      text += `\n${more.text}`;
      next += 1;
    }
    const at = line.at + whole.length;
    items.push({
      marker: /\d/.test(marker) ? marker : '•',
      level: Math.min(MAX_LIST_LEVEL, Math.floor(indent.length / 2)),
      children: parseInlines(text, at),
      at,
    });
  }
  return items.length === 0 ? null : { block: { type: 'list', items, at: lines[first]?.at ?? 0 }, lines: next - first };
}

function heading({ text, at }: SourceLine): ParsedBlock | null {
  const marks = HEADING.exec(text)?.[0];
  if (marks === undefined) return null;
  const start = at + marks.length;
  return { block: { type: 'heading', children: parseInlines(text.slice(marks.length), start), at: start }, lines: 1 };
}

function paragraph(lines: readonly SourceLine[], first: number, source: string): ParsedBlock {
  let end = first + 1;
  while (end < lines.length && !endsParagraph(lines[end]?.text ?? '')) end += 1;
  const at = lines[first]?.at ?? 0;
  const last = lines[end - 1];
  const stop = last ? last.at + last.text.length : source.length;
  return { block: { type: 'paragraph', children: parseInlines(source.slice(at, stop), at), at }, lines: end - first };
}

function endsParagraph(text: string): boolean {
  return text.trim() === '' || startsBlock(text);
}

/** Whether a line starts a block other than a paragraph. */
function startsBlock(text: string): boolean {
  return FENCE.test(text) || ITEM.test(text) || HEADING.test(text);
}

/** @param at the offset of the text in the source. */
function parseInlines(text: string, at: number): Inline[] {
  return new InlineParser(text, at).read(0, text.length, 0);
}

const URL_START = /https?:\/\//y;
const URL_REST = /[^\s<>"'`\p{Cc}]+/uy;
/** Punctuation at the end of a URL belongs to the sentence. */
const URL_END = /[.,;:!?*_)\]}]/;
const WORD = /[\p{L}\p{N}]/u;

/** Parses the inlines of one block. Remembers failed searches, so that no closing mark is searched for twice. */
class InlineParser {
  readonly #text: string;
  readonly #at: number;
  readonly #failedSearches = new Map<string, number>();

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  read(from: number, to: number, depth: number): Inline[] {
    const inlines: Inline[] = [];
    let plain = from;
    const flush = (end: number): void => {
      if (end > plain) inlines.push({ type: 'text', text: this.#text.slice(plain, end), at: this.#at + plain });
    };
    for (let next = from; next < to; ) {
      const special = this.#special(next, to, depth);
      if (!special) {
        next += 1;
        continue;
      }
      flush(next);
      if (special.inline) inlines.push(special.inline);
      next = special.end;
      plain = special.plain ?? next;
    }
    flush(to);
    return inlines;
  }

  /** Parses special syntax at a position. `plain`: where plain text resumes, if before `end`. */
  #special(at: number, to: number, depth: number): { inline: Inline | null; end: number; plain?: number } | null {
    switch (this.#text[at]) {
      case '\\':
        // Drop the backslash and keep the escaped character.
        return /[!-/:-@[-`{-~]/.test(this.#text[at + 1] ?? '') && at + 1 < to
          ? { inline: null, end: at + 2, plain: at + 1 }
          : null;
      case '`':
        return this.#code(at, to);
      case '*':
      case '_':
        return depth < MAX_DEPTH ? this.#emphasis(at, to, depth) : null;
      case '[':
        return depth < MAX_DEPTH && this.#text[at - 1] !== '!' ? this.#link(at, to) : null;
      case 'h':
        return this.#url(at, to);
      default:
        return null;
    }
  }

  #code(at: number, to: number): { inline: Inline; end: number } | null {
    let start = at;
    while (start < to && this.#text[start] === '`') start += 1;
    const ticks = this.#text.slice(at, start);
    // Adjacent backticks would make it part of a longer run.
    const close = this.#find(ticks, start, to, (end) => {
      return this.#text[end - 1] !== '`' && this.#text[end + ticks.length] !== '`';
    });
    if (close === null) return null;
    return {
      inline: { type: 'code', text: this.#text.slice(start, close), at: this.#at + start },
      end: close + ticks.length,
    };
  }

  #emphasis(at: number, to: number, depth: number): { inline: Inline; end: number } | null {
    const char = this.#text[at] ?? '';
    const marks = this.#text[at + 1] === char ? char + char : char;
    const start = at + marks.length;
    if (/\s|^$/.test(this.#text[start] ?? '') || (char === '_' && WORD.test(this.#text[at - 1] ?? ''))) return null;
    const close = this.#find(marks, start + 1, to, (end) => {
      const [before = '', after = ''] = [this.#text[end - 1], this.#text[end + marks.length]];
      if (/\s/.test(before) || before === '\\') return false;
      return char === '*' ? marks.length === 2 || after !== '*' : !WORD.test(after);
    });
    if (close === null) return null;
    const type = marks.length === 2 ? 'strong' : 'emphasis';
    const children = this.read(start, close, depth + 1);
    return { inline: { type, children, at: this.#at + start }, end: close + marks.length };
  }

  #link(at: number, to: number): { inline: Inline; end: number } | null {
    const middle = this.#find('](', at + 1, to, () => true);
    if (middle === null) return null;
    URL_START.lastIndex = middle + 2;
    if (!URL_START.test(this.#text)) return null;
    const close = this.#find(')', middle + 2, to, () => true);
    if (close === null) return null;
    const url = this.#text.slice(middle + 2, close);
    if (/\s/.test(url)) return null;
    const children: Inline[] = [{ type: 'text', text: this.#text.slice(at + 1, middle), at: this.#at + at + 1 }];
    return { inline: { type: 'link', children, url, at: this.#at + at + 1 }, end: close + 1 };
  }

  #url(at: number, to: number): { inline: Inline; end: number } | null {
    URL_START.lastIndex = at;
    if (!URL_START.test(this.#text)) return null;
    URL_REST.lastIndex = at;
    const whole = trimEnd(URL_REST.exec(this.#text)?.[0].slice(0, to - at) ?? '', URL_END);
    if (whole.length <= 'https://'.length) return null;
    const text = { type: 'text', text: whole, at: this.#at + at } as const;
    return { inline: { type: 'link', children: [text], url: whole, at: this.#at + at }, end: at + whole.length };
  }

  /** Finds a closing mark. It does not depend on the opening one, so a failed search need not be repeated. */
  #find(what: string, from: number, to: number, accepts: (at: number) => boolean): number | null {
    if (from >= (this.#failedSearches.get(`${what} ${to}`) ?? Number.POSITIVE_INFINITY)) return null;
    for (
      let at = this.#text.indexOf(what, from);
      at >= 0 && at + what.length <= to;
      at = this.#text.indexOf(what, at + 1)
    ) {
      if (accepts(at)) return at;
    }
    this.#failedSearches.set(`${what} ${to}`, from);
    return null;
  }
}
