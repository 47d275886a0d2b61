import * as l10n from '@vscode/l10n';
import { get, getArray, getObject, isObject, type JsonObject } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import { limitName, limitSentence } from './values.ts';

/** Distinct answers that are listed. */
const MAX_KINDS = 8;

/**
 * The answers of a judge that was voteCount several times: `Asked 3 times: 0.80, 0.60, 0.70.` Null where it was voteCount
 * once.
 */
export function describeSamples({ source, metadata }: Result): string | null {
  if (source !== 'judge') return null;
  const samples = getArray(metadata, 'samples');
  const votes = getObject(metadata, 'votes');
  const voteCount = Object.values(votes ?? {}).reduce<number>((sum, count) => sum + toNumber(count), 0);
  const times = samples?.length ?? voteCount;
  if (times < 2) return null;
  return samplesText(times, (votes && describeVotes(votes, times)) ?? describeAnswers(samples ?? []));
}

function samplesText(times: number, answers: string): string {
  return limitSentence(l10n.t('Asked {0} times: {1}.', times, answers));
}

/** `valid 3, invalid 2`; null without votes. @param times the number of answers. */
function describeVotes(votes: JsonObject, times: number): string | null {
  const counts = Object.entries(votes).filter(([, count]) => toNumber(count) > 0);
  return counts.length === 0
    ? null
    : joinLimited(
        counts.map(([answer, count]) =>
          count === times ? `always ${limitName(answer)}` : `${limitName(answer)} ${count}`,
        ),
      );
}

/** Scores in order, labels by frequency, verdicts per statement. */
function describeAnswers(samples: readonly unknown[]): string {
  const objects = samples.filter(isObject);
  if (objects.length > 0) return describeStatements(objects);
  const answers = samples.map(formatAnswer);
  const areScores = samples.every((sample) => typeof sample !== 'string');
  return joinLimited(areScores && new Set(answers).size > 1 ? answers : countAnswers(answers));
}

function describeStatements(samples: readonly JsonObject[]): string {
  const ids = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  const each = ids.map((id) => {
    const verdicts = samples.map((sample) => get(sample, id) ?? l10n.t('unclear'));
    return `${limitName(id)} ${countAnswers(verdicts.map(String)).join(', ')}`;
  });
  return each.length > MAX_KINDS ? l10n.t('{0}; and more', each.slice(0, MAX_KINDS).join('; ')) : each.join('; ');
}

function formatAnswer(sample: unknown): string {
  if (typeof sample === 'number') return sample.toFixed(2);
  return typeof sample === 'string' ? limitName(sample) : l10n.t('no score');
}

/** The most frequent first. */
function countAnswers(answers: readonly string[]): string[] {
  const counts = [...Map.groupBy(answers, (answer) => answer)].sort(([, a], [, b]) => b.length - a.length);
  const [first] = counts;
  if (first && counts.length === 1) return [`always ${first[0]}`];
  return counts.map(([answer, all]) => `${answer} ${all.length}`);
}

function joinLimited(parts: readonly string[]): string {
  return parts.length > MAX_KINDS ? l10n.t('{0} and more', parts.slice(0, MAX_KINDS).join(', ')) : parts.join(', ');
}

function toNumber(count: unknown): number {
  return typeof count === 'number' ? count : 0;
}
