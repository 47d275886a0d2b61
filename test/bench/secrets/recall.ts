import { createDraw, SECRET_KINDS, type SecretKind } from './kinds.ts';
import { SECRET_PLACES } from './places.ts';
import { SET_ASIDE_KINDS, SET_ASIDE_PLACES } from './split.ts';

/** The parts of the corpus for which recall is counted apart. */
export const PARTS = [
  'development',
  'set-aside kinds',
  'set-aside places',
  'set-aside kinds in set-aside places',
] as const;
export type Part = (typeof PARTS)[number];

export interface RecallCase {
  readonly part: Part;
  readonly kind: string;
  readonly place: string;
  readonly text: string;
  /** What must not be left. */
  readonly secret: string;
}

/** Every kind in every place that can show it, so many times. */
export function* recallCases(draws: number): Generator<RecallCase> {
  let seed = 0;
  for (const [kindName, kind] of Object.entries(SECRET_KINDS)) {
    for (const [placeName, place] of Object.entries(SECRET_PLACES)) {
      seed += 1;
      if (!place.shapes.includes(kind.shape)) continue;
      const part = partOf(kindName, placeName);
      for (let draw = 0; draw < draws; draw += 1) {
        const { text, secret } = makeSecret(kind, seed * 64 + draw);
        yield { part, kind: kindName, place: placeName, text: place.write({ kind, text }), secret };
      }
    }
  }
}

function partOf(kind: string, place: string): Part {
  if (SET_ASIDE_KINDS.has(kind)) {
    return SET_ASIDE_PLACES.has(place) ? 'set-aside kinds in set-aside places' : 'set-aside kinds';
  }
  return SET_ASIDE_PLACES.has(place) ? 'set-aside places' : 'development';
}

function makeSecret(kind: SecretKind, seed: number): { text: string; secret: string } {
  const made = kind.make(createDraw(seed));
  const { text, secret } = typeof made === 'string' ? { text: made, secret: made } : made;
  return { text, secret: secret === '' ? text : secret };
}

/** So many characters of a secret in a row are a leak; of a short one, a little over half of it. */
const LEAK_LENGTH = 8;

/** Whether a text still shows a piece of a secret, written as it is, in a URL, in Base64 or with escapes. */
export function isLeaked(redacted: string, { secret, text }: Pick<RecallCase, 'secret' | 'text'>): boolean {
  return secretPieces(secret).some((piece) => redacted.includes(piece) && text.includes(piece));
}

function secretPieces(secret: string): string[] {
  // Of a private key each line counts, but not its title or its headers.
  const lines = secret.includes('-----BEGIN') ? (secret.match(/[A-Za-z0-9+/]{40,}/g) ?? []) : [secret];
  return lines.flatMap((line) => [line, encodeURIComponent(line)].flatMap(piecesOf).concat(base64Pieces(line)));
}

function piecesOf(value: string): string[] {
  const length = Math.min(LEAK_LENGTH, Math.ceil(value.length * 0.6));
  return Array.from({ length: value.length - length + 1 }, (_, at) => value.slice(at, at + length));
}

/** Of a password in `Authorization: Basic`, after the user that the place writes. */
function base64Pieces(value: string): string[] {
  const encoded = Buffer.from(`deploy:${value}`).toString('base64');
  return piecesOf(encoded.slice('deploy:'.length + 3));
}

export interface Recall {
  readonly cases: number;
  readonly redacted: number;
}

/** How many of the secrets are redacted, by part. */
export function measureRecall(redact: (text: string) => string, draws: number): Record<Part, Recall> {
  const nothing: Recall = { cases: 0, redacted: 0 };
  const recall: Record<Part, Recall> = {
    development: nothing,
    'set-aside kinds': nothing,
    'set-aside places': nothing,
    'set-aside kinds in set-aside places': nothing,
  };
  for (const sample of recallCases(draws)) {
    const { cases, redacted } = recall[sample.part];
    const isRedacted = !isLeaked(redact(sample.text), sample);
    recall[sample.part] = { cases: cases + 1, redacted: redacted + Number(isRedacted) };
  }
  return recall;
}
