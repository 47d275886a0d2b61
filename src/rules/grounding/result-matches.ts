import type { ToolStep } from '../../core/session.ts';
import { trimEnd } from '../../core/text/trim-end.ts';
import { codeSpan, formatValue as worded } from '../shared/message-format.ts';
import { nameWords } from '../shared/tool-effect.ts';
import { isDistinctiveName, isInsideRecord, type RecentContext, type RecentResult } from './recent-values.ts';
import type { ResultEntry, ResultRecord } from './result-records.ts';
import type { StatedValue } from './stated-values.ts';

/** A value of a result that resembles one the agent stated. */
export interface ResultMatch {
  readonly turn: number;
  readonly step: ToolStep;
  readonly key: string;
  readonly value: StatedValue;
}

/** ``` `get_order` returned "42.5" as `total` ``` */
export function describeMatch({ step, key, value }: ResultMatch): string {
  return `${codeSpan(step.name)} returned ${worded(value.text)}${key === '' ? '' : ` as ${codeSpan(key)}`}`;
}

interface Misquote extends ResultMatch {
  /** The value cannot have been calculated from something else. */
  readonly isCertain: boolean;
}

/**
 * Finds the value of a result that the answer restates differently: nearby words name its key, and the results have a
 * single value for the key, or for the entity that the answer mentions closest to it.
 */
export function findMisquote(answer: string, value: StatedValue, { results }: RecentContext): Misquote | null {
  const words = wordsAround(answer, value);
  const all = results.flatMap((result) => labelledMatches(answer, value, words, result));
  const maxWeight = all.reduce((weight, match) => Math.max(weight, match.weight), 0);
  const best = all.filter(({ weight }) => weight === maxWeight);
  const similar = best.filter((match) => isMisspelling(value, match.value));
  const [first] = similar.length > 0 ? similar : best;
  if (!first) return null;
  const isFirst = (match: ResultMatch) => isSameValue(match.value, first.value);
  const sure =
    similar.length > 0 &&
    similar.every(isFirst) &&
    isAdjacent(answer, value, first.key) &&
    (value.kind !== 'figure' || isTransposition(value, first.value));
  const plain =
    best.every(isFirst) &&
    (similar.length > 0 || (value.kind !== 'figure' && first.cited && isAdjacent(answer, value, first.key)));
  return sure || plain ? { ...first, isCertain: sure } : null;
}

interface LabelledMatch extends ResultMatch {
  readonly cited: boolean;
  readonly weight: number;
}

/** The values of a result under a key that the words name, limited to the entity mentioned closest if there is one. */
function labelledMatches(
  answer: string,
  value: StatedValue,
  words: ReadonlySet<string>,
  result: RecentResult,
): LabelledMatch[] {
  const candidates = result.entries.flatMap((entry) => {
    const weight = weightOf(entry.key, words);
    const onlyValue = weight > 0 ? onlyValueOfKind(entry, value) : undefined;
    return onlyValue ? [{ entry, onlyValue, weight }] : [];
  });
  if (candidates.length === 0) return [];
  const cited = closestCitedRecords(answer, value, result);
  const matching =
    cited === null ? candidates : candidates.filter(({ entry }) => isInsideRecord(entry.record, result, cited));
  const weights = cited === null ? 0 : 100;
  return matching.map(({ entry, onlyValue, weight }) => ({
    turn: result.turn,
    step: result.step,
    key: entry.key,
    value: onlyValue,
    cited: cited !== null,
    weight: weight + weights,
  }));
}

/** The most similar value of a recent result. */
export function closestMatch(value: StatedValue, { results }: RecentContext): ResultMatch | undefined {
  for (const { entries, turn, step } of results) {
    for (const entry of entries) {
      const onlyValue = onlyValueOfKind(entry, value);
      if (onlyValue && isMisspelling(value, onlyValue)) return { turn, step, key: entry.key, value: onlyValue };
    }
  }
  return undefined;
}

/** The only value of a kind in an entry; undefined if there are several. */
function onlyValueOfKind({ values }: ResultEntry, { kind }: StatedValue): StatedValue | undefined {
  let only: StatedValue | undefined;
  for (const value of values) {
    if (value.kind !== kind) continue;
    if (only) return undefined;
    only = value;
  }
  return only;
}

function isSameValue(a: StatedValue, b: StatedValue): boolean {
  return a.kind === 'figure' && b.kind === 'figure' ? a.amount === b.amount : a.text === b.text;
}

/** Words of keys without a meaning of their own. */
const GENERIC = new Set('the of is in at on a an usd eur est utc local scheduled number value time date'.split(' '));
const BEFORE = 60;
const AFTER = 24;

/** The stems of the words before a value in its line, and directly after it. */
function wordsAround(answer: string, { at, end }: StatedValue): ReadonlySet<string> {
  const before =
    answer
      .slice(Math.max(0, at - BEFORE), at)
      .split('\n')
      .at(-1) ?? '';
  const after = answer.slice(end, end + AFTER).split(/[\n.;,]/)[0] ?? '';
  return new Set(
    `${before} ${after}`
      .toLowerCase()
      .match(/[a-z]{3,}/g)
      ?.map(wordStem),
  );
}

/** Long enough to match `departs` with `departure`. */
function wordStem(word: string): string {
  return word.slice(0, 5);
}

/** How many words of a key are near a value; zero if one is missing. */
function weightOf(key: string, words: ReadonlySet<string>): number {
  const all = nameWords(key).filter((word) => word.length >= 3);
  const special = all.filter((word) => !GENERIC.has(word));
  const telling = special.length > 0 ? special : all;
  return telling.every((word) => words.has(wordStem(word))) ? telling.length : 0;
}

/** Whether only small words are between the name of the key and the value. */
function isAdjacent(answer: string, { at }: StatedValue, key: string): boolean {
  const last = nameWords(key).findLast((word) => !GENERIC.has(word)) ?? key.toLowerCase();
  const before = answer.slice(Math.max(0, at - 40), at).toLowerCase();
  const index = before.lastIndexOf(wordStem(last));
  return (
    index >= 0 &&
    /^[a-z]*(?:\s|[:*_"'`$€£¥₹(=-]|\b(?:is|was|of|at|on|to|for|the|a|date|time|will|be)\b){0,12}$/.test(
      before.slice(index),
    )
  );
}

/** The records that the answer mentions last before a value, or else first after it; null if there are none. */
function closestCitedRecords(
  answer: string,
  { at, end }: StatedValue,
  { records }: RecentResult,
): ReadonlySet<number> | null {
  const before = answer.slice(Math.max(0, at - 300), at).toLowerCase();
  const after = answer.slice(end, end + 60).toLowerCase();
  return (
    closestNamedRecords(records, (name) => before.lastIndexOf(name)) ??
    closestNamedRecords(records, (name) => 60 - after.indexOf(name) - 61 * Number(!after.includes(name)))
  );
}

/** @param nearness how close a name is: higher is closer, negative is absent */
function closestNamedRecords(
  records: readonly ResultRecord[],
  nearness: (name: string) => number,
): ReadonlySet<number> | null {
  let best = -1;
  let nearest = new Set<number>();
  for (const [index, { names }] of records.entries()) {
    for (const name of names) {
      const position = isDistinctiveName(name) ? nearness(name.toLowerCase()) : -1;
      if (position < 0 || position < best) continue;
      if (position > best) nearest = new Set();
      best = position;
      nearest.add(index);
    }
  }
  return best < 0 ? null : nearest;
}

/**
 * Whether two values differ by transposed, missing, doubled or mistyped digits, or by the position of the decimal
 * point.
 */
function isMisspelling(stated: StatedValue, actual: StatedValue): boolean {
  if (stated.kind === 'figure' && actual.kind === 'figure')
    return hasSimilarDigits(digitsOf(stated.amount), digitsOf(actual.amount));
  if (stated.kind === 'day' && actual.kind === 'day') {
    return stated.month === actual.month || stated.day === actual.day;
  }
  if (stated.kind === 'id' && actual.kind === 'id')
    return hasSimilarDigits(stated.text.toLowerCase(), actual.text.toLowerCase());
  return stated.kind === 'time';
}

/** Whether two digits are transposed, which cannot be the result of a calculation. */
function isTransposition(stated: StatedValue, actual: StatedValue): boolean {
  if (stated.kind !== 'figure' || actual.kind !== 'figure') return false;
  const [a, b] = [digitsOf(stated.amount), digitsOf(actual.amount)];
  return a.length === b.length && [...a].sort().join('') === [...b].sort().join('');
}

function digitsOf(amount: number): string {
  return trimEnd(String(Math.round(amount * 100)), /0/);
}

function hasSimilarDigits(a: string, b: string): boolean {
  if (a.length < 2 || b.length < 2 || Math.abs(a.length - b.length) > 1) return false;
  if (a === b) return true;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let back = 0;
  while (back < Math.min(a.length, b.length) - from && a.at(-1 - back) === b.at(-1 - back)) back += 1;
  const [left, right] = [a.slice(from, a.length - back), b.slice(from, b.length - back)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
