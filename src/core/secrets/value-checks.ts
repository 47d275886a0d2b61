/** Words that mark placeholder values, and example keys of public documentation. */
const PLACEHOLDER =
  /example|sample|placeholder|dummy|fake|test|your|redact|change|insert|replace|\.\.\.|qwert|tGzv3JOkF0XG5Qx2TlKWIA|SplxlOBeZQQYbYS6WxSbIA|czZCaGRSa3F0MzpnWDFmQmF0M2JW|2YotnFZFEjr1zCsicMWpAA|Eby8vdM02xNOcqFl|C2y6yDjf5\/R\+ob0N8A7Cgv/i;

const COMMON_PASSWORD = /pass|secret|user|admin|root|guest|postgres|mysql|mongo|redis|token|key|\bpw/i;

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Whether a value in the format of a key can be one, and not a placeholder. */
export function looksGenerated(value: string): boolean {
  return !looksLikePlaceholder(value) && entropy(value) >= 3;
}

/** Whether a value looks random, and not like a name, a path, a version or a public id. */
export function looksRandom(value: string): boolean {
  if (looksLikePlaceholder(value) || UUID.test(value) || entropy(value) < 3.3) return false;
  return digitChanges(value) >= 4;
}

/** As `looksRandom`, for values that only their name makes a secret: also with few digits, if capitals are scattered. */
export function looksRandomWithName(value: string): boolean {
  if (looksLikePlaceholder(value) || UUID.test(value)) return false;
  const isHex = /^(?:0x)?[\da-f]+$/i.test(value);
  if (entropy(value) < (isHex ? 2.9 : 3.3)) return false;
  const changes = digitChanges(value);
  return changes >= 4 || (changes >= 2 && classChanges(value) >= value.length * 0.4);
}

function digitChanges(value: string): number {
  const bare = value.replace(/[^A-Za-z0-9]/g, '');
  return bare.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
}

/** How often lower case, upper case, digits and signs follow each other. */
function classChanges(value: string): number {
  return value.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)|[^A-Za-z\d](?=[A-Za-z\d])/g)?.length ?? 0;
}

/** Common replacements of letters by digits and punctuation. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

function isCommonPassword(value: string): boolean {
  if ([/[^A-Za-z]/g, /\D/g].some((other) => hasSequence(value.replace(other, '').toLowerCase(), 4))) return true;
  const plain = value.replace(/[013457@$!]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return COMMON_PASSWORD.test(plain) || PLACEHOLDER.test(plain);
}

const CLASSES = [/[a-z]/, /[A-Z]/, /\d/, /[^\w.-]/] as const;

/** Whether a short value mixes letters of both cases, digits and punctuation more than a disguised word does. */
export function looksLikePassword(value: string): boolean {
  if (value.length < 8 || value.length > 32 || looksLikePlaceholder(value)) return false;
  if (!CLASSES.every((kind) => kind.test(value)) || isCommonPassword(value)) return false;
  return classChanges(value) > value.length / 2;
}

/** `dobjiv-3cYrza-wuktat`, as browsers of Apple draw them. */
const GROUPS = /^(?=.*\d)[A-Za-z\d]{6}-[A-Za-z\d]{6}-[A-Za-z\d]{6}$/;

/** `amber-basin-cedar-delta-42`, as password managers draw them. */
const WORDS = /^(?:[A-Za-z]{3,9}([-_.]))(?:[A-Za-z]{3,9}\1){2,7}(?:[A-Za-z]{3,9}|\d{1,4})$/;

/** `xqzw rtyp lmnb dfgh`: Google's passwords for one app. English has few words of four letters without a vowel. */
const APP_PASSWORD = /^(?=.*\b[^aeiouy\s]{4}\b)[a-z]{4}(?: [a-z]{4}){3}$/;

/** Whether a value after the name of a password can be one that somebody drew, or chose with care. */
export function looksLikeNamedPassword(value: string): boolean {
  if (value.length < 8 || value.length > 64 || /^\d+$/.test(value)) return false;
  if (looksLikePlaceholder(value) || isCommonPassword(value) || /^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(value)) return false;
  if (GROUPS.test(value) || WORDS.test(value) || APP_PASSWORD.test(value)) return true;
  if (/\s/.test(value)) return false;
  const classes = CLASSES.filter((kind) => kind.test(value)).length;
  if (classes === 4) return classChanges(value) > value.length * 0.3;
  if (classes === 3) return value.length >= 12 && classChanges(value) >= value.length * 0.3;
  return value.length >= 16 && looksRandomWithName(value);
}

function looksLikePlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /(.)\1{4}/.test(value) || hasSequence(value);
}

/** Whether the password in a URL is one that nobody guesses. */
export function looksLikeUrlPassword(value: string): boolean {
  if (looksLikePlaceholder(value) || COMMON_PASSWORD.test(value) || !/[a-z]/i.test(value)) return false;
  return /\d/.test(value) || (value.length >= 12 && classChanges(value) >= value.length * 0.4);
}

/** Contains `123456` or six consecutive letters of the alphabet. */
export function hasSequence(value: string, length = 6): boolean {
  let run = 1;
  for (let i = 1; i < value.length; i += 1) {
    run = value.charCodeAt(i) === value.charCodeAt(i - 1) + 1 ? run + 1 : 1;
    if (run === length) return true;
  }
  return false;
}

/** Shannon's entropy of the characters of a text, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (let i = 0; i < text.length; i += 1) counts.set(text.charAt(i), (counts.get(text.charAt(i)) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
