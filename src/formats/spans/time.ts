import { trimEnd } from '../../core/text/trim-end.ts';

/** Converts the times of span producers to ISO 8601 with full nanoseconds. */

/** Number of decimal places of a second. */
const NANO = 9;
const MICRO = 6;
const MILLI = 3;

/**
 * A time as ISO 8601. Accepts seconds, milliseconds, microseconds or nanoseconds since 1970 as a number or digits,
 * distinguished by magnitude; `[seconds, nanoseconds]`; and ISO 8601. Undefined for anything else.
 */
export function preciseIsoTime(value: unknown): string | undefined {
  if (Array.isArray(value)) return preciseTimeOfPair(value);
  if (typeof value === 'number') return preciseTimeOfNumber(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d{10,19}$/.test(value)) return preciseTimeOfDigits(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

/** The time that is a duration after another time. The duration is in a decimal fraction of a second. */
export function preciseIsoTimeAfter(start: string | undefined, duration: number | undefined, decimals: 3 | 6 | 9) {
  if (start === undefined || duration === undefined || duration < 0) return undefined;
  const amount = Math.round(duration * 10 ** (NANO - decimals));
  if (!Number.isFinite(amount)) return undefined;
  const nanos = nanosOf(start) + BigInt(amount);
  return fromParts(nanos / 1_000_000_000n, (nanos % 1_000_000_000n).toString().padStart(NANO, '0'));
}

/** Milliseconds since 1970 with the fraction that `Date` drops, for sorting; infinity if there is no time. */
export function timeOrder(moment: string | undefined): number {
  if (moment === undefined) return Number.POSITIVE_INFINITY;
  const beyond = beyondMillis(moment);
  return Date.parse(moment) + (beyond === '' ? 0 : Number(`0.${beyond}`));
}

/** Compares times to the nanosecond, which a number of milliseconds cannot hold. No time is after all others. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return (
    Date.parse(a) - Date.parse(b) || Number(beyondMillis(a).padEnd(6, '0')) - Number(beyondMillis(b).padEnd(6, '0'))
  );
}

/** The digits of a second behind the third. */
function beyondMillis(moment: string): string {
  return /\.\d{3}(\d{1,6})/.exec(moment)?.[1] ?? '';
}

function preciseTimeOfNumber(value: number): string | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  // Seconds with a fraction. A float is precise to microseconds only.
  if (value < 1e11) return preciseTimeOfDigits(Math.round(value * 1e6).toString(), MICRO);
  if (value >= 1e20) return undefined;
  return preciseTimeOfDigits(BigInt(Math.round(value)).toString());
}

function preciseTimeOfPair([seconds, nanos]: readonly unknown[]): string | undefined {
  if (!Number.isSafeInteger(seconds) || !Number.isSafeInteger(nanos)) return undefined;
  const total = BigInt(Number(seconds)) * 1_000_000_000n + BigInt(Number(nanos));
  return total > 0n ? preciseTimeOfDigits(total.toString(), NANO) : undefined;
}

function preciseTimeOfDigits(digits: string, decimals = decimalsOf(digits.length)): string | undefined {
  const padded = digits.padStart(decimals + 1, '0');
  return fromParts(BigInt(padded.slice(0, padded.length - decimals)), padded.slice(padded.length - decimals));
}

/** Seconds have 10 digits from 2001 to 2286. */
function decimalsOf(length: number): number {
  if (length >= 18) return NANO;
  if (length >= 15) return MICRO;
  return length >= 12 ? MILLI : 0;
}

/** Always shows milliseconds, and smaller digits if they are not zero. */
function fromParts(seconds: bigint, fraction: string): string | undefined {
  const date = new Date(Number(seconds) * 1000);
  if (seconds <= 0n || Number.isNaN(date.getTime())) return undefined;
  const digits = fraction.slice(0, MILLI).padEnd(MILLI, '0') + trimEnd(fraction.slice(MILLI), /0/);
  return `${date.toISOString().slice(0, -'.000Z'.length)}.${digits}Z`;
}

function nanosOf(moment: string): bigint {
  return BigInt(Date.parse(moment)) * 1_000_000n + BigInt(beyondMillis(moment).padEnd(6, '0'));
}
