/**
 * Text drawn at random, the same for the same seed. What looks like a secret is made when a test runs, so that no
 * scanner takes a file of this repository for a leak.
 */
export function randomText(seed: number, length: number, alphabet: string): string {
  let state = (seed + 1) >>> 0;
  let text = '';
  while (text.length < length) {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    text += alphabet.charAt(((mixed ^ (mixed >>> 14)) >>> 0) % alphabet.length);
  }
  return text;
}

export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const DIGITS = '0123456789';
export const HEX = `${DIGITS}abcdef`;
export const UPPER = LOWER.toUpperCase();
export const BASE62 = `${DIGITS}${UPPER}${LOWER}`;
export const BASE64 = `${BASE62}+/`;
export const BASE64URL = `${BASE62}-_`;
