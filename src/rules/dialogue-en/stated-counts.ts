/** Finds counts in English texts: `we have 12 shirts available`. */

import { wordSet } from '../shared/tool-words.ts';

export interface StatedCount {
  readonly number: number;
  /** The words that describe what is counted, as they were asked for: `available`. */
  readonly words: string;
  /** The part of the text that states it. */
  readonly text: string;
}

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
/** Directly before a count of all there is. */
const STATEMENTS = wordSet('are have has had is found see list lists offer carry total');
const MAX_FILLERS = 4;
/** Between a statement and its number. */
const FILLERS = wordSet('currently now also exactly just only still actually a total of all');
/** Matches every text that states a count. */
const POSSIBLE_COUNT = new RegExp(
  String.raw`\b(?:${[...STATEMENTS].join('|')})\s(?:(?:${[...FILLERS].join('|')})\s){0,4}(?:\d|${NUMBERS.join('|')})`,
  'i',
);

/** Between a number and the words that describe what is counted, these speak of something else. */
const NOT_COUNTED = wordSet(
  'the a an of as than and or but not no with without some more other others bar inch inches ft foot feet cm mm gb tb mb ml kg lb oz hour hours day days minute minutes year years percent',
);
/** How many words may be between a number and the words that describe what is counted. */
const MAX_BETWEEN = 5;
/** Longer texts are not sentences. */
const MAX_CLAUSE_LENGTH = 300;

/** A cheap test that excludes nearly all answers. */
export function mayStateCount(text: string): boolean {
  return POSSIBLE_COUNT.test(text);
}

/**
 * Finds the counts that a text states of things with certain words.
 *
 * @param descriptions in lower case, such as `available` or `in stock`
 */
export function countsIn(text: string, descriptions: readonly string[]): StatedCount[] {
  return text.split(/[^\p{L}\p{N}\s'’-]+/u).flatMap((clause) => {
    if (clause.length > MAX_CLAUSE_LENGTH) return [];
    const words = clause
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    return descriptions.flatMap((description) => {
      const at = positionOf(description.split(' '), words);
      const number = at < 0 ? null : countBefore(words, at);
      return number === null ? [] : [{ number, words: description, text: clause.trim() }];
    });
  });
}

function positionOf(description: readonly string[], words: readonly string[]): number {
  return words.findIndex((_, at) => description.every((word, i) => words[at + i] === word));
}

/** The number of the things that the words at a position describe; null if there is none. */
function countBefore(words: readonly string[], at: number): number | null {
  for (let i = at - 1; i >= 0 && at - i <= MAX_BETWEEN + 1; i -= 1) {
    const word = words[i] ?? '';
    const number = /^\d{1,4}$/.test(word) ? Number(word) : NUMBERS.indexOf(word);
    if (number >= 0) return isStatement(words, i) ? number : null;
    if (NOT_COUNTED.has(word)) return null;
  }
  return null;
}

function isStatement(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - MAX_FILLERS - 1), at).findLast((word) => !FILLERS.has(word));
  return before !== undefined && STATEMENTS.has(before);
}
