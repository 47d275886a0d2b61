import type { Metadata } from '../../core/result.ts';

/** What one answer of a model comes to. */
export type Conclusion = {
  readonly reason: string;
  /** Ids of the prompt that the answer rests on. */
  readonly cited: readonly string[];
  readonly metadata?: Metadata;
} & ({ readonly score: number } | { readonly labels: readonly [string, ...string[]] });

/**
 * One conclusion of several samples: the mean of scores, told by the sample that is nearest to it; of labels, and of
 * scores that are votes, the one that most samples give.
 *
 * @param votes whether scores are votes, 0 or 1: a tie is 0.
 */
export function bySamples(samples: readonly [Conclusion, ...Conclusion[]], votes: boolean): Conclusion {
  const given = samples.map((sample) => ('score' in sample ? sample.score : sample.labels[0]));
  const scores = given.filter((value) => typeof value === 'number');
  const chosen =
    scores.length < samples.length
      ? commonest(samples, given)
      : scored(samples, votes ? majority(scores) : mean(scores));
  return { ...chosen, metadata: { ...chosen.metadata, samples: given } };
}

function scored(samples: readonly [Conclusion, ...Conclusion[]], score: number): Conclusion {
  const distance = (sample: Conclusion) => ('score' in sample ? Math.abs(sample.score - score) : 0);
  return { ...best(samples, (sample) => -distance(sample)), score };
}

function commonest(samples: readonly [Conclusion, ...Conclusion[]], given: readonly unknown[]): Conclusion {
  const votesOf = (sample: Conclusion) =>
    given.filter((value) => 'labels' in sample && value === sample.labels[0]).length;
  return best(samples, votesOf);
}

function mean(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function majority(votes: readonly number[]): number {
  return mean(votes) > 0.5 ? 1 : 0;
}

/** The first of those that are worth most. */
function best<T>(items: readonly [T, ...T[]], worth: (item: T) => number): T {
  return items.reduce((found, item) => (worth(item) > worth(found) ? item : found));
}
