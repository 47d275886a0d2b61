import { trimEnd } from '../../core/text/trim-end.ts';
import type { ObservedValues } from './observed-values.ts';
import { type FigureUnit, scanValues } from './value-scanner.ts';

/** A value in a text. */
export type StatedValue = { readonly text: string; readonly at: number; readonly end: number } & (
  | { readonly kind: 'figure'; readonly amount: number; readonly unit: FigureUnit; readonly decimals: number }
  | { readonly kind: 'day'; readonly year: number; readonly month: number; readonly day: number }
  | { readonly kind: 'time'; readonly minutes: number; readonly sure: boolean }
  | { readonly kind: 'id' }
);
export type StatedFigure = Extract<StatedValue, { kind: 'figure' }>;

/** Parses all values in a text. */
export function parseValues(text: string): StatedValue[] {
  const values: StatedValue[] = [];
  if (!/\d/.test(text)) return values;
  const add = (value: StatedValue) => {
    const last = values.at(-1);
    // Skips the digits of an identifier or a day, its other reading, and the groups of a number.
    if (last && value.at >= last.at && value.end <= last.end) return;
    while ((values.at(-1)?.at ?? -1) >= value.at) values.pop();
    values.push(value);
  };
  scanValues(text, {
    figure(amount, unit, at, end) {
      const from = /[$€£¥₹]/.test(text.charAt(at - 1)) ? at - 1 : at;
      const written = text.slice(from, end);
      const decimals = /[.,](\d{1,2})(?!\d)/.exec(written)?.[1]?.length ?? 0;
      add({ kind: 'figure', amount, unit, decimals, text: written, at: from, end });
    },
    day(year, month, day, at, end) {
      // Without the punctuation at the end of a sentence.
      const written = trimEnd(text.slice(at, end), /[.,\s-]/);
      add({ kind: 'day', year, month, day, text: written, at, end: at + written.length });
    },
    time(minutes, sure, _zoned, at, end) {
      add({ kind: 'time', minutes, sure, text: text.slice(at, end), at, end });
    },
    id(at, end) {
      add({ kind: 'id', text: text.slice(at, end), at, end });
    },
  });
  return values;
}

/** Whether the agent had seen the value, in any format. */
export function isObserved(value: StatedValue, observed: ObservedValues): boolean {
  switch (value.kind) {
    case 'figure':
      return observed.hasFigure(value.amount, value.unit) || (value.unit === 'count' && observed.hasEnding(value.text));
    case 'day':
      // `05/12/2024` may be in May or in December.
      return (
        observed.hasDay(value.year, value.month, value.day) ||
        (/^\d\d?[-/.]/.test(value.text) && observed.hasDay(value.year, value.day, value.month))
      );
    case 'time':
      return observed.hasTime(value.minutes, value.sure);
    case 'id':
      return observed.hasId(value.text);
  }
}

const DIGIT_GROUPS = /\d{1,6}(?:[ \u00a0\u202f]\d{1,6}){1,9}(?!\d)/y;

/** Whether it begins a number written in groups, as on a card, that the agent had seen. */
export function isPartOfObservedNumber(answer: string, { kind, at }: StatedValue, observed: ObservedValues): boolean {
  if (kind !== 'figure') return false;
  DIGIT_GROUPS.lastIndex = at;
  const groups = DIGIT_GROUPS.exec(answer)?.[0];
  return groups !== undefined && observed.hasFigure(Number(groups.replace(/\D/g, '')), 'count');
}

/** Words for what is usual, possible or made up. */
const HYPOTHETICAL =
  /\b(?:e\.g|i\.e|for (?:example|instance)|such as|examples?|hypothetical\w*|suppos\w+|imagine|assum\w+|let['’]?s say|typical\w*|usual\w*|generally|in general|on average|average|in most cases|normally|often|estimat\w*|formats?|placeholders?|templates?|sample|approx\w*|in the form|looks? like|similar to)\b/i;
/** Directly before an approximate value, or before the range that it ends. */
const VAGUE =
  /(?:\b(?:about|around|roughly|nearly|almost|over|under|above|below|some|circa|up to|less than|more than|at least|at most)|[~≈<>≤≥])[\s$€£¥₹*_]{0,5}(?:\d[\d.,]{0,12}(?:\s?[-–—]\s?|\s(?:to|and|or)\s)[$€£¥₹]?)?$/i;
/** Directly after an approximate value. */
const VAGUE_AFTER = /^(?:\+(?!\s?[\d$€£¥₹(])|\s(?:or|and) (?:more|less|so|up|above|over|under|below)\b)/i;
/** Directly before the result of a calculation in the answer. */
const CALCULATION = /[=≈→]\s{0,3}[*_(]{0,3}\s?[-−+±]?(?:[$€£¥₹]|USD|EUR|GBP)?\s?$/;
const MAX_SENTENCE_LENGTH = 240;

/** Whether the answer states the value as a fact. */
export function isStatedAsFact(answer: string, value: StatedValue): boolean {
  const before = answer.slice(Math.max(0, value.at - 40), value.at);
  if (VAGUE.test(before) || CALCULATION.test(before)) return false;
  if (VAGUE_AFTER.test(answer.slice(value.end, value.end + 12))) return false;
  // Groups of digits with other separators.
  if (/\d[\s.,'’]$/.test(before) || /^[.,'’\u00a0\u202f]\d/.test(answer.slice(value.end, value.end + 2))) return false;
  const sentence = sentenceAround(answer, value);
  return (
    !HYPOTHETICAL.test(sentence) &&
    !(isPlaceholder(value) && REQUEST.test(sentence)) &&
    !isUnderExampleHeading(answer, value.at) &&
    !isInUrl(answer, value.at) &&
    !isInCode(answer, value.at)
  );
}

/** Asks the user for a value. */
const REQUEST = /\b(?:provide|enter|share|specify|supply|type|reply|respond|give|send|tell)\b/i;
const CONSECUTIVE_DIGITS = '01234567890';

/** Whether its digits stand for any others: `1234567`, `0000`. */
function isPlaceholder({ kind, text }: StatedValue): boolean {
  const digits = text.replace(/\D/g, '');
  return (
    (kind === 'figure' || kind === 'id') &&
    digits.length >= 4 &&
    (CONSECUTIVE_DIGITS.includes(digits) || digits === digits.charAt(0).repeat(digits.length))
  );
}

/** How far above a value its heading is searched. */
const MAX_HEADING_DISTANCE = 600;

/** Whether the value is in a block of lines whose heading calls them hypothetical: `Example:`. */
function isUnderExampleHeading(answer: string, at: number): boolean {
  const lines = answer.slice(Math.max(0, at - MAX_HEADING_DISTANCE), at).split('\n');
  for (let line = lines.length - 2; line >= 0; line -= 1) {
    const text = trimEnd(lines[line] ?? '', /[\s*_]/);
    const isBlank = text === '';
    const heading = isBlank ? trimEnd(lines[line - 1] ?? '', /[\s*_]/) : text;
    if (heading.endsWith(':')) return HYPOTHETICAL.test(heading);
    if (isBlank) return false;
  }
  return false;
}

/** The sentence or the line that contains a value. */
export function sentenceAround(answer: string, { at, end }: { readonly at: number; readonly end: number }): string {
  const before = answer.slice(Math.max(0, at - MAX_SENTENCE_LENGTH), at);
  const after = answer.slice(end, end + MAX_SENTENCE_LENGTH);
  const from = Math.max(
    before.lastIndexOf('\n'),
    before.lastIndexOf('. '),
    before.lastIndexOf('! '),
    before.lastIndexOf('? '),
  );
  const to = after.search(/\n|[.!?]\s/);
  return before.slice(from + 1) + answer.slice(at, end) + (to < 0 ? after : after.slice(0, to));
}

function isInUrl(answer: string, at: number): boolean {
  const before = answer.slice(Math.max(0, at - 200), at);
  const run = before.slice(trimEnd(before, /\S/).length);
  return /:\/\/|www\.|\/$/.test(run);
}

function isInCode(answer: string, at: number): boolean {
  let open = false;
  for (let fence = answer.indexOf('```'); fence >= 0 && fence < at; fence = answer.indexOf('```', fence + 3))
    open = !open;
  return open;
}

/** Whether the value cannot be general knowledge, a count, a list number or a year. */
export function isSpecificValue(answer: string, value: StatedValue): boolean {
  switch (value.kind) {
    case 'figure':
      return isSpecificFigure(answer, value);
    case 'day':
      // `03/04` may be a fraction.
      return !/^\d+\/\d+$/.test(value.text);
    case 'time':
      // Times on a quarter of an hour may be proposals, or calculated from durations.
      return value.minutes % 15 !== 0;
    case 'id':
      return isEmail(value.text) || looksLikeId(value.text);
  }
}

/** Directly before the number of a standard, which is general knowledge. */
const STANDARD_NAME =
  /\b(?:ISO|IEC|IEEE|ANSI|ASTM|NIST|DIN|EN|BS|RFC|PEP|ECMA|HTTP)(?:[ /-](?:ISO|IEC|IEEE|EN|FDIS|SP|Std))?[ -]?$/;

function isSpecificFigure(answer: string, { amount, unit, decimals, text, at }: StatedFigure): boolean {
  if (unit === 'money') return amount > 1;
  if (unit === 'percent') return ![0, 25, 50, 75, 100].includes(amount);
  if (Number.isInteger(amount) && amount >= 1900 && amount <= 2100) return false;
  if (STANDARD_NAME.test(answer.slice(Math.max(0, at - 20), at))) return false;
  if (/[\d-]$/.test(answer.slice(Math.max(0, at - 1), at)) || /^[a-z]/i.test(answer.slice(at + text.length)))
    return false;
  const significant = text.replace(/\D/g, '').replace(/^0+/, '');
  return amount >= 1000 || decimals === 2 ? trimEnd(significant, /0/).length >= 4 : false;
}

function isEmail(text: string): boolean {
  return /^[^@]+@[^@]+\.[a-z]{2,}$/i.test(text) && /\d/.test(text);
}

/**
 * Whether a text looks like a generated identifier: `HAT170`, `W1234567`, `9HBUV8`, `gift_card_8020792`, `BK-48213`.
 */
export function looksLikeId(text: string): boolean {
  return (
    text.length <= 40 &&
    (/^[A-Z]{1,8}[-_]?\d{3,}[A-Z0-9-]{0,20}$/.test(text) ||
      /^[A-Z]{2,8}(?:-[A-Z0-9]{2,12}){1,3}$/.test(text) ||
      /^(?=(?:[A-Z]*\d){2})(?=(?:\d*[A-Z]){2})[A-Z0-9]{6,20}$/.test(text) ||
      /^[a-z]+(?:_[a-z]+){0,3}_\d{3,}$/.test(text))
  );
}
