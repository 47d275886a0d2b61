/**
 * The little of Markdown that makes an answer easier to read: paragraphs, code, lists, headings, emphasis and
 * addresses. It gives tokens, never HTML; what it does not know stays as it was written. Each piece of text says where
 * in the source it stands, so that a range of the source can be shown in it. Every step goes forward: hostile text
 * costs no more than other.
 */

export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string; readonly at: number }
  | { readonly type: 'strong' | 'emphasis'; readonly children: readonly Inline[]; readonly at: number }
  /** `text` is the address as it was written, where the address is its own text. */
  | { readonly type: 'link'; readonly children: readonly Inline[]; readonly url: string; readonly at: number };

export type Block =
  | { readonly type: 'paragraph' | 'heading'; readonly children: readonly Inline[]; readonly at: number }
  | { readonly type: 'code'; readonly text: string; readonly at: number }
  | { readonly type: 'list'; readonly items: readonly ListItem[]; readonly at: number };

export interface ListItem {
  /** `•`, or the number as it was written. */
  readonly marker: string;
  /** How deep it stands within other items, from 0. */
  readonly level: number;
  readonly children: readonly Inline[];
  readonly at: number;
}

/** Emphasis within emphasis, at most. */
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

/** A block, and of how many lines it was made. */
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
    const found = ITEM.exec(line.text);
    if (!found) break;
    const [whole = '', indent = '', marker = ''] = found;
    next += 1;
    let text = line.text.slice(whole.length);
    // Lines that go on with it are indented; each keeps its place in the source by the break before it.
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

/** Whether a line begins another block than a paragraph. */
function startsBlock(text: string): boolean {
  return FENCE.test(text) || ITEM.test(text) || HEADING.test(text);
}

/** @param at where the text stands in the source. */
function parseInlines(text: string, at: number): Inline[] {
  return new InlineParser(text, at).read(0, text.length, 0);
}

const URL_START = /https?:\/\//y;
const URL_REST = /[^\s<>"'`\p{Cc}]+/uy;
/** What ends a sentence does not belong to an address. */
const URL_END = /[.,;:!?*_)\]}]+$/;
const WORD = /[\p{L}\p{N}]/u;

/** Reads the inlines of one block. What was looked for in vain once is not looked for again behind that. */
class InlineParser {
  readonly #text: string;
  readonly #at: number;
  readonly #inVain = new Map<string, number>();

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  read(from: number, to: number, depth: number): Inline[] {
    const found: Inline[] = [];
    let plain = from;
    const flush = (end: number): void => {
      if (end > plain) found.push({ type: 'text', text: this.#text.slice(plain, end), at: this.#at + plain });
    };
    for (let next = from; next < to; ) {
      const special = this.#special(next, to, depth);
      if (!special) {
        next += 1;
        continue;
      }
      flush(next);
      if (special.inline) found.push(special.inline);
      next = special.end;
      plain = special.plain ?? next;
    }
    flush(to);
    return found;
  }

  /**
   * What stands at a position besides text. `plain`: from where on the text is text again, when that is before the end.
   */
  #special(at: number, to: number, depth: number): { inline: Inline | null; end: number; plain?: number } | null {
    switch (this.#text[at]) {
      case '\\':
        // The backslash goes, what it protects stays.
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
        return this.#address(at, to);
      default:
        return null;
    }
  }

  #code(at: number, to: number): { inline: Inline; end: number } | null {
    let start = at;
    while (start < to && this.#text[start] === '`') start += 1;
    const ticks = this.#text.slice(at, start);
    // A run of backticks that has a neighbour is a part of a longer one.
    const close = this.#find(ticks, start, to, (found) => {
      return this.#text[found - 1] !== '`' && this.#text[found + ticks.length] !== '`';
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
    const close = this.#find(marks, start + 1, to, (found) => {
      const [before = '', after = ''] = [this.#text[found - 1], this.#text[found + marks.length]];
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

  #address(at: number, to: number): { inline: Inline; end: number } | null {
    URL_START.lastIndex = at;
    if (!URL_START.test(this.#text)) return null;
    URL_REST.lastIndex = at;
    const whole =
      URL_REST.exec(this.#text)?.[0]
        .slice(0, to - at)
        .replace(URL_END, '') ?? '';
    if (whole.length <= 'https://'.length) return null;
    const text = { type: 'text', text: whole, at: this.#at + at } as const;
    return { inline: { type: 'link', children: [text], url: whole, at: this.#at + at }, end: at + whole.length };
  }

  /** Whether something closes does not depend on what opened it, so that no text is searched twice in vain. */
  #find(what: string, from: number, to: number, isIt: (found: number) => boolean): number | null {
    if (from >= (this.#inVain.get(`${what} ${to}`) ?? Number.POSITIVE_INFINITY)) return null;
    for (
      let at = this.#text.indexOf(what, from);
      at >= 0 && at + what.length <= to;
      at = this.#text.indexOf(what, at + 1)
    ) {
      if (isIt(at)) return at;
    }
    this.#inVain.set(`${what} ${to}`, from);
    return null;
  }
}
