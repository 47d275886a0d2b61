import { DIGITS, randomText } from '../../../support/random-text.ts';

/** A number that begins so, as long as its network's are, with the check digit that Luhn's sum needs. */
export function cardNumber(seed: number, begin: string): string {
  const length = /^3[47]/.test(begin) ? 15 : /^3[0689]/.test(begin) ? 14 : 16;
  const body = `${begin}${randomText(seed, length - 1 - begin.length, DIGITS)}`;
  const check = [...DIGITS].find((digit) => luhnSum(`${body}${digit}`) % 10 === 0);
  return `${body}${check}`;
}

function luhnSum(digits: string): number {
  return [...digits]
    .reverse()
    .map((digit, at) => (at % 2 === 0 ? digit : String(2 * Number(digit))))
    .reduce((sum, number) => [...number].reduce((inner, digit) => inner + Number(digit), sum), 0);
}

/** As it is printed on the card. */
export function grouped(digits: string, separator: string): string {
  const form = digits.length === 16 ? /(.{4})(.{4})(.{4})(.{4})/ : /(.{4})(.{6})(.+)/;
  return (form.exec(digits) ?? []).slice(1).join(separator);
}

/** With the check digits that ISO 7064 needs. */
export function iban(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((letter) => Number.parseInt(letter, 36)).join('');
  const check = String(98n - (BigInt(digits) % 97n)).padStart(2, '0');
  return `${country}${check}${account}`;
}
