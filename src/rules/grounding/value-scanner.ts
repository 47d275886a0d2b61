/**
 * Finds values that can be compared across formats: figures, days, times of day and identifiers. A text is scanned
 * once, from digit to digit, and only a bounded part around each digit is read.
 */

/** `count` is a figure without a unit. */
export type FigureUnit = 'money' | 'percent' | 'count';

/** Receives the values with their positions in the text. */
export interface ValueSink {
  figure(amount: number, unit: FigureUnit, at: number, end: number): void;
  /** @param year 0 if the text has none */
  day(year: number, month: number, day: number, at: number, end: number): void;
  /**
   * @param minutes since midnight
   * @param sure false if it may be in the other half of the day
   * @param zoned whether it has a UTC offset
   */
  time(minutes: number, sure: boolean, zoned: boolean, at: number, end: number): void;
  /** Letters and digits, or digits in groups. */
  id(at: number, end: number): void;
}

const DIGIT = /\d/g;
/** Longer tokens are hashes, keys and Base64 data, which answers do not quote. */
const MAX_TOKEN_LENGTH = 80;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
/** The widest gap between a month and its day: text that YAML breaks over a line is indented. */
const MAX_GAP = 24;
const MONTH_BEFORE = new RegExp(`\\b${MONTH}\\.?\\s{0,${MAX_GAP}}(?:the\\s)?$`, 'i');
const MONTH_AFTER = new RegExp(`(?:st|nd|rd|th)?(?:\\s|-|\\sof\\s)${MONTH}\\b\\.?(?:[\\s,-]{1,2}(\\d{4})\\b)?`, 'iy');
const AFTER_DAY = /(?:st|nd|rd|th)?(?:,?\s(\d{4})\b)?(?!\d)/iy;
const YEAR_FIRST = /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y;
const YEAR_LAST = /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?![\d]|[-/.]\d)/y;
const NO_YEAR = /(\d{1,2})\/(\d{1,2})(?![\d/])/y;
const CLOCK = /(\d{1,2})(?::([0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?)?(?:\s?([ap])\.?m\b)?/iy;
const OFFSET = /Z\b|\s?(?:UTC|GMT)\b|[+-]\d\d:?\d\d\b/y;
const NUMBER = /(?:\d{1,3}(?:,\d{3})+(?![\d])|\d+)(?:\.\d+)?/y;
const SCALE = /k\b|bn\b|[mMB]\b|\s?(?:%|percent\b|thousand\b|million\b|billion\b)/iy;
const DECIMAL_COMMA = /\d{1,3}(?:\.\d{3}){0,6},\d{2}(?![\d,.])/y;
const MONEY_BEFORE = /(?:(?<!\d)[$€£¥₹]|\b(?:USD|EUR|GBP|JPY|INR|CAD|AUD|CHF)\b|\bRs\.?)\s?$/;
const MONEY_AFTER = /\s?(?:[$€£¥₹](?!\d)|(?:USD|EUR|GBP|JPY|INR|CAD|AUD|CHF|dollars?|euros?|pounds?|bucks|cents?)\b)/iy;
const RANGE = /^(?:st|nd|rd|th)?\s?(?:-|–|—|,|to|and|or|&|through|until|, and|, or)\s?$/i;

/** Reports all values of a text to the sink. */
export function scanValues(text: string, sink: ValueSink): void {
  const first = digitFrom(text, 0);
  if (first >= 0) scanFrom(first, text, sink);
}

function digitFrom(text: string, at: number): number {
  DIGIT.lastIndex = at;
  return DIGIT.test(text) ? DIGIT.lastIndex - 1 : -1;
}

function scanFrom(first: number, text: string, sink: ValueSink): void {
  let at = 0;
  let lastMonth = 0;
  let lastDayEnd = -1;
  for (let digit = first; digit >= 0; digit = digitFrom(text, at)) at = token(digit, at);

  /**
   * Reads the token around a digit.
   *
   * @returns where to continue
   */
  function token(digit: number, least: number): number {
    // A cheap test: most digits follow no letter.
    if (isLetter(text.charCodeAt(digit - 1))) {
      const escaped = endOfEscape(text, digit);
      if (escaped > digit) return escaped;
    }
    const from = startOf(text, digit, least);
    const end = endOf(text, digit);
    if (end - from > MAX_TOKEN_LENGTH) return end;
    if (from === digit) {
      const after = numeric(digit, end);
      if (after > digit) return after;
    }
    parts(from, end);
    return end;
  }

  /**
   * Reads a token that begins with a digit and is not an identifier.
   *
   * @returns where to continue, or `at` for an identifier
   */
  function numeric(at: number, end: number): number {
    let digits = at;
    while (digits < end && isDigit(text.charCodeAt(digits))) digits += 1;
    const count = digits - at;
    const next = text[digits];
    if (count === 4 && (next === '-' || next === '/' || next === '.')) {
      const yearFirst = match(YEAR_FIRST, text, at);
      if (
        yearFirst &&
        emitDay(Number(yearFirst[1]), Number(yearFirst[3]), Number(yearFirst[4]), at, YEAR_FIRST.lastIndex)
      ) {
        const after = YEAR_FIRST.lastIndex;
        return text[after] === 'T' ? after + 1 : after;
      }
    }
    if (count <= 2) {
      const after = shortNumeric(at, digits, next);
      if (after > at) return after;
    }
    return number(at, digits, end);
  }

  /** Reads what one or two digits may begin: a day or a time. */
  function shortNumeric(at: number, digits: number, next: string | undefined): number {
    if (next === '/' || next === '-' || next === '.') {
      const yearLast = match(YEAR_LAST, text, at);
      if (yearLast) {
        const year = Number(yearLast[4]) < 100 ? 2000 + Number(yearLast[4]) : Number(yearLast[4]);
        const [a, b] = [Number(yearLast[1]), Number(yearLast[3])];
        // Both readings, since the order of day and month is unknown.
        const end = emitDay(year, a, b, at, YEAR_LAST.lastIndex);
        const other = a !== b && emitDay(year, b, a, at, YEAR_LAST.lastIndex);
        if (end || other) return YEAR_LAST.lastIndex;
      }
      const short = next === '/' ? match(NO_YEAR, text, at) : null;
      if (short) {
        const [a, b] = [Number(short[1]), Number(short[2])];
        emitDay(0, a, b, at, NO_YEAR.lastIndex);
        if (a !== b) emitDay(0, b, a, at, NO_YEAR.lastIndex);
        // It may be a fraction as well.
        sink.figure(a, 'count', at, digits);
        sink.figure(b, 'count', digits + 1, NO_YEAR.lastIndex);
        return NO_YEAR.lastIndex;
      }
    }
    const clock = next === ':' || (next !== undefined && ' aApP'.includes(next)) ? match(CLOCK, text, at) : null;
    if (clock && (clock[2] !== undefined || clock[3] !== undefined)) {
      const hour = Number(clock[1]);
      const half = clock[3]?.toLowerCase();
      if (hour <= 24 && (half === undefined || (hour >= 1 && hour <= 12))) {
        const base = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
        const end = at + clock[0].length;
        // `03:00` is on a 24-hour clock; `3:00` may be on either.
        const sure = half !== undefined || hour > 12 || text.charCodeAt(at) === 0x30;
        sink.time((base % 24) * 60 + Number(clock[2] ?? 0), sure, match(OFFSET, text, end) !== null, at, end);
        return end;
      }
    }
    const day = Number(text.slice(at, digits));
    if (day < 1 || day > 31) return at;
    return monthDay(day, at, digits);
  }

  /** A day next to the name of a month, or after such a day. */
  function monthDay(day: number, at: number, digits: number): number {
    const before = text.charCodeAt(at - 1);
    const word = before === 0x20 || before === 0x0a ? text.charCodeAt(at - 2) : before;
    if (isLetter(word) || word === 0x2e || word === 0x20) {
      const month = MONTH_BEFORE.exec(text.slice(Math.max(0, at - 16 - MAX_GAP), at));
      if (month) {
        const rest = match(AFTER_DAY, text, digits);
        const year = Number(rest?.[1] ?? 0);
        const end = rest ? AFTER_DAY.lastIndex : digits;
        lastMonth = monthOf(month[1] ?? '');
        if (emitDay(year, lastMonth, day, at - month[0].length, end)) {
          lastDayEnd = end;
          return end;
        }
      }
    }
    const next = text.charCodeAt(digits);
    if (next === 0x20 || next === 0x2d || isLetter(next)) {
      const month = match(MONTH_AFTER, text, digits);
      // `option 1 may be cheaper`
      const verb = month?.[1] === 'may' && month[2] === undefined;
      if (month && !verb && emitDay(Number(month[2] ?? 0), monthOf(month[1] ?? ''), day, at, MONTH_AFTER.lastIndex)) {
        return MONTH_AFTER.lastIndex;
      }
    }
    if (lastDayEnd >= 0 && at - lastDayEnd <= 10 && RANGE.test(text.slice(lastDayEnd, at)) && !isWord(next)) {
      if (emitDay(0, lastMonth, day, at, digits)) {
        lastDayEnd = digits;
        // It may be a plain number after a comma as well.
        sink.figure(day, 'count', at, digits);
        return digits;
      }
    }
    return at;
  }

  /** @param digits where its first digits end */
  function number(at: number, digits: number, end: number): number {
    let after = digits;
    let amount: number;
    const next = text.charCodeAt(digits);
    if (next === 0x2c || next === 0x2e) {
      const comma = match(DECIMAL_COMMA, text, at);
      const [written = ''] = comma ?? match(NUMBER, text, at) ?? [];
      if (written.includes(',')) sinkGroups(written, at);
      amount = Number(comma ? written.replaceAll('.', '').replace(',', '.') : written.replaceAll(',', ''));
      after = at + written.length;
    } else amount = wholeNumber(at, digits);
    let unit: FigureUnit = isMoneyBefore(at) ? 'money' : 'count';
    if (mayBeUnit(after)) {
      const scale = match(SCALE, text, after);
      // `5m` may be five metres or five million.
      if (scale && (unit === 'money' || !/^[mb]$/i.test(scale[0]))) {
        const word = scale[0].trim().toLowerCase();
        if (word === '%' || word === 'percent') unit = 'percent';
        else
          amount = roundFigure(amount * (word === 'k' || word === 'thousand' ? 1e3 : word.startsWith('m') ? 1e6 : 1e9));
        after += scale[0].length;
      }
      const money = unit === 'count' ? match(MONEY_AFTER, text, after) : null;
      if (money) {
        unit = 'money';
        if (/cents?$/i.test(money[0])) amount /= 100;
        after += money[0].length;
      }
    }
    if (isWord(text.charCodeAt(after)) || (after < end && unit === 'count')) return at;
    sink.figure(amount, unit, at, after);
    return after;
  }

  function wholeNumber(at: number, end: number): number {
    if (end - at > 15) return Number(text.slice(at, end));
    let amount = 0;
    for (let i = at; i < end; i += 1) amount = amount * 10 + (text.charCodeAt(i) - 0x30);
    return amount;
  }

  /** Whether a sign or a word follows, with or without a space. */
  function mayBeUnit(at: number): boolean {
    const next = text.charCodeAt(at);
    const sign = next === 0x20 ? text.charCodeAt(at + 1) : next;
    return isLetter(sign) || sign === 0x25 || sign === 0x24 || sign >= 0x80;
  }

  /** `120,150` may be two numbers in a list. */
  function sinkGroups(written: string, at: number): void {
    let position = at;
    for (const group of written.split(',')) {
      sink.figure(Number(group), 'count', position, position + group.length);
      position += group.length + 1;
    }
  }

  function isMoneyBefore(at: number): boolean {
    const before = text.charCodeAt(at - 1);
    if (before === 0x24) return true;
    const sign = before === 0x20 ? text.charCodeAt(at - 2) : before;
    // A cheap test for the last character of currency names and signs, which excludes most figures.
    const mayBe = sign >= 0x80 || sign === 0x24 || sign === 0x2e || sign === 0x73 || (sign >= 0x44 && sign <= 0x59);
    return mayBe && MONEY_BEFORE.test(text.slice(Math.max(0, at - 5), at));
  }

  /**
   * Reports an identifier, its parts between separators and the digits in them, since an answer may use any of these.
   */
  function parts(from: number, end: number): void {
    sink.id(from, end);
    let start = from;
    let digits = -1;
    let mixed = false;
    for (let i = from; i <= end; i += 1) {
      const code = i < end ? text.charCodeAt(i) : 0;
      if (isDigit(code)) {
        if (digits < 0) digits = i;
        continue;
      }
      if (digits >= 0) {
        sink.figure(wholeNumber(digits, i), 'count', digits, i);
        if (code === 0x2e && isDigit(text.charCodeAt(i + 1)) && match(NUMBER, text, digits)) {
          sink.figure(Number(text.slice(digits, NUMBER.lastIndex)), 'count', digits, NUMBER.lastIndex);
        }
        mixed = mixed || digits > start || isLetter(code);
        digits = -1;
      }
      if (isLetter(code)) continue;
      if (mixed && (start > from || i < end)) sink.id(start, i);
      start = i + 1;
      mixed = false;
    }
  }

  function emitDay(year: number, month: number, day: number, at: number, end: number): boolean {
    if (month < 1 || month > 12 || day < 1 || day > 31 || (year !== 0 && (year < 1000 || year > 2999))) return false;
    sink.day(year, month, day, at, end);
    return true;
  }
}

/** Removes floating-point noise. */
export function roundFigure(amount: number): number {
  return Math.abs(amount) < 1e9 ? Math.round(amount * 1e6) / 1e6 : amount;
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Matches a sticky pattern at a position. */
function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** @param least the end of the previous token */
function startOf(text: string, digit: number, least: number): number {
  let at = digit;
  while (at > least) {
    const before = text.charCodeAt(at - 1);
    if (isWord(before)) at -= 1;
    else if (isIdSeparator(before) && at - 1 > least && isWord(text.charCodeAt(at - 2))) at -= 2;
    else break;
  }
  // The letter of an escape such as `\n`, in JSON inside a text, does not belong to the token.
  if (at < digit && at > least && text.charCodeAt(at - 1) === 0x5c && /[nrt]/.test(text.charAt(at))) at += 1;
  while (text.charCodeAt(at) === 0x5f) at += 1;
  return at;
}

/** Where the escape around a digit ends, such as `\u2013` in JSON inside a text; the digit itself if there is none. */
function endOfEscape(text: string, digit: number): number {
  let at = digit;
  while (digit - at < 4 && isLetter(text.charCodeAt(at - 1)) && text.charCodeAt(at - 1) !== 0x75) at -= 1;
  if (text.charCodeAt(at - 1) !== 0x75 || text.charCodeAt(at - 2) !== 0x5c) return digit;
  return /^[\da-f]{4}$/i.test(text.slice(at, at + 4)) ? at + 4 : digit;
}

function endOf(text: string, digit: number): number {
  let at = digit + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isWord(code)) at += 1;
    else if (isIdSeparator(code) && isWord(text.charCodeAt(at + 1))) at += 2;
    else break;
  }
  while (text.charCodeAt(at - 1) === 0x5f) at -= 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function isWord(code: number): boolean {
  return isDigit(code) || isLetter(code) || code === 0x5f;
}

/** `-`, `.` and `@` between letters or digits belong to an identifier. */
function isIdSeparator(code: number): boolean {
  return code === 0x2d || code === 0x2e || code === 0x40;
}
