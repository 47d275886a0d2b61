import { NumberSet } from './number-set.ts';
import { spelledNumbers } from './number-words.ts';
import type { Period } from './periods.ts';
import { type FigureUnit, roundFigure, scanValues, type ValueSink } from './value-scanner.ts';

/** Times of day in words, which contain no digits. */
const TIME_NAMES: readonly (readonly [name: RegExp, minutes: number])[] = [
  [/\bnoon\b/i, 720],
  [/\bmidnight\b/i, 0],
];

/** The values that the agent has seen so far, as sets without their texts: one entry for each distinct value. */
export class ObservedValues implements ValueSink {
  /** A time was written with its UTC offset, so that an answer may state it in another time zone. */
  hasTimeZone = false;
  readonly #figures = new NumberSet();
  readonly #endings = new NumberSet();
  readonly #dates = new Set<number>();
  readonly #years = new Set<number>();
  readonly #days = new Set<number>();
  readonly #daysWithoutYear = new Set<number>();
  readonly #times = new Set<number>();
  readonly #ids = new NumberSet();
  readonly #families = new NumberSet();
  #text = '';

  read(text: string): void {
    this.#text = text;
    scanValues(text, this);
    this.#text = '';
  }

  /** Reads numbers in words as well. Used for texts of people, which are short. */
  readWords(text: string): void {
    this.read(text);
    for (const amount of spelledNumbers(text)) this.figure(amount);
    for (const [name, minutes] of TIME_NAMES) if (name.test(text)) this.#times.add(minutes);
  }

  figure(amount: number, _unit: FigureUnit = 'count', at = 0, end = 0): void {
    this.#figures.add(amount);
    if (!Number.isInteger(amount)) {
      // Rounded as in an answer, and without floating-point noise.
      for (const digits of [100, 10, 1]) this.#figures.add(Math.round(amount * digits) / digits);
    } else if (amount >= 1e5) {
      // The digits of a number that is too large to be exact are in the text.
      const last = Number.isSafeInteger(amount) ? amount : Number(this.#text.slice(Math.max(at, end - 12), end));
      for (const base of ENDING_BASES) if (last >= base * 10) this.#endings.add(endingKey(last, base));
      const seconds = amount > 1e11 ? amount / 1000 : amount;
      if (seconds > 9e8 && seconds < 3e9) this.#moment(new Date(seconds * 1000));
    }
  }

  day(year: number, month: number, day: number): void {
    const inYear = month * 100 + day;
    this.#days.add(inYear);
    if (year === 0) this.#daysWithoutYear.add(inYear);
    else {
      this.#years.add(year);
      this.#dates.add(year * 10_000 + inYear);
    }
  }

  time(minutes: number, sure: boolean, zoned: boolean): void {
    this.#times.add(minutes);
    if (!sure) this.#times.add((minutes + 720) % 1440);
    if (zoned) this.hasTimeZone = true;
  }

  id(at: number, end: number): void {
    this.#ids.add(idKey(this.#text, at, end));
    this.#families.add(familyKey(this.#text, at, end));
  }

  /** Adds the date of a Unix time in seconds or milliseconds. */
  #moment(moment: Date): void {
    this.day(moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate());
    this.time(moment.getUTCHours() * 60 + moment.getUTCMinutes(), true, true);
  }

  /** Whether the amount was seen: as it is, as cents, or as a fraction of one. */
  hasFigure(amount: number, unit: FigureUnit): boolean {
    const has = (other: number) => this.#figures.has(roundFigure(other));
    if (this.#figures.has(amount) || (unit === 'money' && has(amount * 100))) return true;
    return unit === 'percent' && (has(amount / 100) || has(100 - amount) || has(1 - amount / 100));
  }

  /** Whether these are the last four to seven digits of a longer number. */
  hasEnding(digits: string): boolean {
    return /^\d{4,7}$/.test(digits) && this.#endings.has(endingKey(Number(digits), 10 ** digits.length));
  }

  hasDay(year: number, month: number, day: number): boolean {
    const inYear = month * 100 + day;
    if (year === 0) return this.#days.has(inYear);
    return this.#dates.has(year * 10_000 + inYear) || this.#daysWithoutYear.has(inYear);
  }

  /** Whether a day of that year, or of an adjacent one, was seen. */
  hasYear(year: number): boolean {
    return [-1, 0, 1].some((by) => this.#years.has(year + by));
  }

  /** Whether the day that is a period earlier or later was seen. */
  hasDayApart(year: number, month: number, day: number, { months, days }: Period): boolean {
    return [-1, 1].some((by) => {
      const moment = new Date(Date.UTC(year === 0 ? 2024 : year, month - 1 + by * months, day + by * days));
      return this.hasDay(year === 0 ? 0 : moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate());
    });
  }

  hasTime(minutes: number, sure: boolean): boolean {
    return this.#times.has(minutes) || (!sure && this.#times.has((minutes + 720) % 1440));
  }

  /** Whether a time with the same minutes past the hour was seen. */
  hasMinutesOf(minutes: number): boolean {
    for (let hour = 0; hour < 24; hour += 1) if (this.#times.has(hour * 60 + (minutes % 60))) return true;
    return false;
  }

  hasId(text: string): boolean {
    return this.#ids.has(idKey(text, 0, text.length));
  }

  /** Whether an identifier that begins with the same letters was seen. */
  hasFamilyOf(id: string): boolean {
    return /^[A-Za-z]/.test(id) && this.#families.has(familyKey(id, 0, id.length));
  }
}

const ENDING_BASES = [1e4, 1e5, 1e6, 1e7];

/** The last digits of a number, with a one before them, since they may begin with a zero. */
function endingKey(amount: number, base: number): number {
  return base + (amount % base);
}

/** Hashes the letters at the beginning of an identifier: `HAT` for `HAT170`, `gift_card` for `gift_card_8020792`. */
function familyKey(text: string, at: number, end: number): number {
  let digit = at;
  while (digit < end && !(text.charCodeAt(digit) >= 0x30 && text.charCodeAt(digit) <= 0x39)) digit += 1;
  return idKey(text, at, digit);
}

/** Hashes the letters and digits, ignoring case and separators. */
function idKey(text: string, at: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = at; i < end; i += 1) {
    let code = text.charCodeAt(i);
    if (code >= 0x41 && code <= 0x5a) code += 0x20;
    if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a))) continue;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash;
}
