import * as z from 'zod';
import { matchPatterns, type PatternMatch, runFinder, type TextPattern } from '../../core/text-pattern.ts';

/**
 * Kinds of data that can be verified by their own digits. E-mail addresses and telephone numbers cannot: in real
 * sessions they usually belong to the customer or a company.
 */
export const PERSONAL_DATA = ['card number', 'social security number', 'IBAN'] as const;
export type PersonalDataKind = (typeof PERSONAL_DATA)[number];

/** Finds personal data in a text. Masked values and well-known examples do not count. */
export function findPersonalData(text: string, kinds: readonly PersonalDataKind[]): PatternMatch<PersonalDataKind>[] {
  if (!hasLongNumber(text)) return [];
  return matchPatterns(
    text,
    PATTERNS.filter(({ kind }) => kinds.includes(kind)),
  );
}

/** A cheap test: every kind is at least as long as a social security number, including separators. */
const hasLongNumber = runFinder(/[A-Z\d -]/, 11);

/** Not part of a longer number, an identifier, a fraction or a table of codes. */
const START = String.raw`(?<![\p{L}\p{N}_.,/#+-]|[\dA-F]{4} )`;
const END = String.raw`(?![\p{L}\p{N}_]|[ .,/-][\dA-F]{4})`;

/** Groups as printed on cards: 4-4-4-4, 4-6-5 and 4-6-4 digits. */
const GROUPED = String.raw`(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|3\d{3}([ -])\d{6}\2\d{4,5})`;

const PATTERNS: readonly TextPattern<PersonalDataKind>[] = [
  { kind: 'card number', regex: new RegExp(`${START}${GROUPED}${END}`, 'gu'), validate: isCardNumber },
  {
    kind: 'card number',
    regex: new RegExp(String.raw`${START}\d{14,16}${END}`, 'gu'),
    validate: isCardNumber,
    context: /card|visa|amex|karte|carte|tarjeta|cart[aã]o/i,
  },
  {
    kind: 'social security number',
    // The areas, groups and serials in use: Social Security Administration, POMS RM 10201.035.
    regex: new RegExp(String.raw`${START}(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}${END}`, 'gu'),
    validate: isSocialSecurityNumber,
    context: /\bSSN|social.security/i,
  },
  {
    kind: 'IBAN',
    // In groups of four, as printed, or without spaces. The last group contains a digit, so that a following word does
    // not match.
    regex: /(?<![\p{L}\p{N}])[A-Z]{2}\d\d(?: ?[A-Z\d]{4}){2,7}(?: ?(?=[A-Z]{0,2}\d)[A-Z\d]{1,3})?(?![\p{L}\p{N}])/gu,
    validate: isIban,
  },
];

/** First digits by ISO/IEC 7812, with the lengths that networks issue, as in credit-card-type 10.1. */
const NETWORKS =
  /^(?=.{16}$)(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|6(?:011|4[4-9]|5|2))|^3[47].{13}$|^3(?:0[0-5]|[689].).{11}$/;

/**
 * Test numbers published by Stripe, PayPal and Adyen. Other test numbers repeat so few digits that they need no list.
 */
const TEST_CARDS: ReadonlySet<string> = new Set([
  '378282246310005',
  '371449635398431',
  '6011000990139424',
  '3530111333300000',
  '3566002020360505',
  '30569309025904',
  '38520000023237',
  '36227206271667',
  '5200828282828210',
  '2223003122003222',
]);

const LUHN = z.creditCard();

function isCardNumber(value: string): boolean {
  const digits = value.replace(/\D/g, '');
  const isTest = TEST_CARDS.has(digits) || isMonotonous(digits) || /(.)\1{5}/.test(digits);
  return NETWORKS.test(digits) && !isTest && LUHN.safeParse(digits).success;
}

/** Numbers that count up are examples. One was printed on cards sold with wallets, another in a leaflet. */
function isSocialSecurityNumber(value: string): boolean {
  return !/^(?:123-45|078-05-1120|219-09-9999)/.test(value) && !isMonotonous(value.replaceAll('-', ''));
}

/** Examples in the IBAN registry and in most documentation. */
const EXAMPLE_IBANS: ReadonlySet<string> = new Set([
  'DE89370400440532013000',
  'GB82WEST12345698765432',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'NL91ABNA0417164300',
  'ES9121000418450200051332',
]);

const MOD_97 = z.iban();

function isIban(value: string): boolean {
  const iban = value.replaceAll(' ', '');
  return MOD_97.safeParse(iban).success && !EXAMPLE_IBANS.has(iban);
}

/** Made-up numbers use few distinct digits. */
function isMonotonous(digits: string): boolean {
  return new Set(digits).size < 4;
}
