/**
 * The sentences of a text in Markdown, in order and without white space around them. Paragraphs are cut by the rules of
 * Unicode; a heading, an entry of a list (its paragraph cut in turn) and a row of a table end where they end; a block of
 * code is one sentence. What only draws a line is none. Empty only for a text of white space.
 */
export function sentencesOf(text: string): string[] {
  const sentences = blocksOf(text).flatMap(({ kind, number, lines }) => {
    if (kind === 'whole') return [lines.join('\n').trim()];
    const [first = '', ...rest] = inParagraph(lines.map((line) => line.trim()).join(' '));
    return [`${number}${first}`, ...rest];
  });
  const found = sentences.filter((one) => one !== '');
  const whole = text.trim();
  return found.length > 0 || whole === '' ? found : [whole];
}

interface Block {
  /** `whole`: one sentence, whatever it looks like. */
  readonly kind: 'whole' | 'paragraph';
  /** Of an entry of a numbered list, with the space behind it: it ends no sentence. */
  readonly number: string;
  readonly lines: string[];
}

/** The information behind backticks has none: "```x```" is text. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^\s{0,3}#{1,6}\s+(?=\S)/;
const QUOTED = /^\s{0,3}(?:> ?)+/;
const ENTRY = /^\s*(?:[-*+•]|(\d{1,9}[.)]))\s+(?=\S)/;
const ROW = /^\s*\|/;
/** `---`, `***`, `===`, and what stands between the head and the rows of a table. */
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

/** Ends no sentence: titles, "e.g.", "U.S.". */
const ABBREVIATED = /(?:^|[\s("'])(?:(?:Mr|Mrs|Ms|Dr|Prof|St|vs|approx|cf)\.|(?:\p{L}\.){2,4})\s*$/u;
/** As far back as an abbreviation reaches. */
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
