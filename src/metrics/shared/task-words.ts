import type { Session } from '../../core/session.ts';
import { wordSet } from './text.ts';

/** Of longer texts only so much is looked at. */
const MAX_LENGTH = 4000;
/** Enough to estimate how much of their words two texts share, with a standard error of 0.06. */
const SKETCH_SIZE = 64;

/**
 * A sketch of the distinct words of what a session was to do: of its goal, else of the first message of the user. It has the
 * smallest hashes, in ascending order, which estimate the similarity of two texts and do not contain them (Broder 1997, "On
 * the resemblance and containment of documents").
 */
export function taskWords({ goal, turns }: Session): number[] {
  const text = goal ?? turns.find(({ input }) => input !== null)?.input ?? '';
  const hashes = new Set(Array.from(wordSet(text.slice(0, MAX_LENGTH)), hashWord));
  return [...hashes].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
}

/** The estimated share of common words among all words of two texts; 0 for texts without words. */
export function wordSimilarity(a: readonly number[], b: readonly number[]): number {
  const smallest = [...new Set([...a, ...b])].sort((one, other) => one - other).slice(0, SKETCH_SIZE);
  if (smallest.length === 0) return 0;
  const [inA, inB] = [new Set(a), new Set(b)];
  return smallest.filter((hash) => inA.has(hash) && inB.has(hash)).length / smallest.length;
}

/** 32-bit FNV-1a over code units, with the finalizer of MurmurHash3. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
