import { sharedCount } from './multiset.ts';
import { stem } from './porter-stemmer.ts';

export interface WordOverlap {
  /** Shared words / words of the candidate. */
  readonly precision: number;
  /** Shared words / words of the reference. */
  readonly recall: number;
  readonly f1: number;
  readonly candidate: readonly string[];
  readonly reference: readonly string[];
}

/**
 * ROUGE-1 as `rouge_score` computes it with its stemmer: counts are clipped, and two texts without words score 0.
 * When either text has a letter outside ASCII, both are cut by script and nothing is stemmed.
 */
export function rouge1(candidateText: string, referenceText: string): WordOverlap {
  const cut = [candidateText, referenceText].some((text) => FOREIGN_LETTER.test(text)) ? unicodeWords : englishStems;
  const [candidate, reference] = [cut(candidateText), cut(referenceText)];
  const shared = sharedCount(candidate, reference);
  const precision = candidate.length === 0 ? 0 : shared / candidate.length;
  const recall = reference.length === 0 ? 0 : shared / reference.length;
  const f1 = shared === 0 ? 0 : (2 * shared) / (candidate.length + reference.length);
  return { precision, recall, f1, candidate, reference };
}

const FOREIGN_LETTER = /[^\P{L}a-zA-Z]/u;
/** `rouge_score` does not stem words of up to this length. */
const UNSTEMMED = 3;

function englishStems(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.map((word) => (word.length > UNSTEMMED ? stem(word) : word));
}

/** Scripts without spaces between words whose characters have a meaning of their own. */
const IDEOGRAPH = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]`;
/** Scripts without spaces whose letters carry marks: a letter with its marks is a grapheme. */
const SYLLABIC = String.raw`[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const WORD = new RegExp(
  String.raw`(?=[\p{L}\p{N}])(?:${IDEOGRAPH}|${SYLLABIC})\p{M}*|(?:(?!${IDEOGRAPH}|${SYLLABIC})[\p{L}\p{M}\p{N}])+`,
  'gu',
);

function unicodeWords(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}
