/**
 * The sentences of a text in Markdown, in order and without white space around them. Paragraphs are cut by the rules of
 * Unicode. A heading, a list item (whose paragraph is cut as well) and a table row end a sentence; a code block is one
 * sentence. Lines that only draw a rule are skipped. Empty only for a text of white space.
 */
export function sentencesOf(text: string): string[] {
  const sentences = blocksOf(text).flatMap(({ kind, number, lines }) => {
    if (kind === 'whole') return [lines.join('\n').trim()];
    const [first = '', ...rest] = inParagraph(lines.map((line) => line.trim()).join(' '));
    return [`${number}${first}`, ...rest];
  });
  const nonEmpty = sentences.filter((sentence) => sentence !== '');
  const whole = text.trim();
  return nonEmpty.length > 0 || whole === '' ? nonEmpty : [whole];
}

interface Block {
  /** `whole`: one sentence, regardless of its content. */
  readonly kind: 'whole' | 'paragraph';
  /** The number of a list item, with the space after it: it does not end a sentence. */
  readonly number: string;
  readonly lines: string[];
}

/** An info string has no backticks: "```x```" is text. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^\s{0,3}#{1,6}\s+(?=\S)/;
const QUOTED = /^\s{0,3}(?:> ?)+/;
const ENTRY = /^\s*(?:[-*+•]|(\d{1,9}[.)]))\s+(?=\S)/;
const ROW = /^\s*\|/;
/** `---`, `***`, `===`, and the line below a table header. */
const RULE = /^[\s|:*_=+-]*$/;

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  let open: Block | null = null;
  const begin = (kind: Block['kind'], line: string, number = ''): Block => {
    const block = { kind, number, lines: [line] };
    blocks.push(block);
    return block;
  };
  for (const written of text.split(/\r\n|\r|\n/)) {
    const line = written.replace(QUOTED, '');
    if (fence !== null) {
      const closes = line.trim().startsWith(fence);
      if (!closes) open?.lines.push(written);
      else [fence, open] = [null, null];
      continue;
    }
    const entry = ENTRY.exec(line);
    fence = FENCE.exec(line)?.[1] ?? null;
    if (fence !== null) open = begin('whole', '');
    else if (RULE.test(line)) open = null;
    else if (ROW.test(line) || HEADING.test(line)) {
      begin('whole', line.replace(HEADING, ''));
      open = null;
    } else if (entry) open = begin('paragraph', line.slice(entry[0].length), entry[1] ? `${entry[1]} ` : '');
    else if (open) open.lines.push(line);
    else open = begin('paragraph', line);
  }
  return blocks;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Abbreviations that do not end a sentence: titles, "e.g.", "U.S.". */
const ABBREVIATED = /(?:^|[\s("'])(?:(?:Mr|Mrs|Ms|Dr|Prof|St|vs|approx|cf)\.|(?:\p{L}\.){2,4})\s*$/u;
/** The length of the longest abbreviation. */
const LONGEST_ABBREVIATION = 16;

function inParagraph(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { segment, index } of SEGMENTER.segment(text)) {
    const end = index + segment.length;
    const isLast = end === text.length;
    if (!isLast && ABBREVIATED.test(text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end))) continue;
    sentences.push(text.slice(start, end).trim());
    start = end;
  }
  return sentences;
}
