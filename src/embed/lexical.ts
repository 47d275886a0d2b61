import type { Embedder } from './embedder.ts';

/** UTF-16 code units of a text that are looked at; what follows is left out, so that no text costs more than this. */
export const LEXICAL_TEXT_LIMIT = 32_768;

const DIMENSION = 512;
/** A word in common says more than three letters in common. */
const WORD_WEIGHT = 2;
const SPACE = 0x20;

/** The built-in embedder: deterministic, offline, and lexical. It compares wording, never meaning. */
export function lexicalEmbedder(): Embedder {
  return {
    provider: 'lexical',
    model: null,
    async embed(texts, signal) {
      signal.throwIfAborted();
      return texts.map(lexicalVector);
    },
  };
}

/**
 * A text's words and character trigrams, hashed with a sign into a fixed number of dimensions (so that collisions
 * cancel out on average), damped and scaled to length 1. A text without letters, digits or symbols beyond ASCII
 * punctuation has the zero vector. Reads the first `LEXICAL_TEXT_LIMIT` code units only.
 */
export function lexicalVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION);
  const add = (hash: number, weight: number) => {
    const mixed = finalizeHash(hash);
    const bucket = mixed & (DIMENSION - 1);
    vector[bucket] = (vector[bucket] ?? 0) + (mixed < 0 ? -weight : weight);
  };

  const normal = text.slice(0, LEXICAL_TEXT_LIMIT).normalize('NFKC').toLowerCase();
  let [before, last] = [SPACE, SPACE];
  let word = WORD_SEED;
  for (let i = 0; i <= normal.length; i += 1) {
    const unit = i < normal.length ? normal.charCodeAt(i) : SPACE;
    const next = isWordUnit(unit) ? unit : SPACE;
    if (next === SPACE && last === SPACE) continue;
    if (before !== SPACE || last !== SPACE) add(hashStep(hashStep(hashStep(TRIGRAM_SEED, before), last), next), 1);
    if (next === SPACE) {
      add(word, WORD_WEIGHT);
      word = WORD_SEED;
    } else {
      word = hashStep(word, next);
    }
    [before, last] = [last, next];
  }
  normalizeVector(vector);
  return vector;
}

/** Letters and digits, and of what lies beyond ASCII everything but spaces and punctuation. */
function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
  return unit >= 0xc0 && !(unit >= 0x2000 && unit <= 0x206f) && !(unit >= 0x3000 && unit <= 0x303f);
}

// 32-bit FNV-1a over code units, with a seed for each kind of feature, and the finaliser of MurmurHash3.
const WORD_SEED = 0x811c9dc5;
const TRIGRAM_SEED = 0x01234567;

function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function finalizeHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Square roots, so that a word said ten times does not drown the others; then length 1. In place. */
function normalizeVector(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += Math.abs(value);
  if (squares === 0) return;
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i += 1) {
    const value = vector[i] ?? 0;
    vector[i] = (Math.sign(value) * Math.sqrt(Math.abs(value))) / length;
  }
}
