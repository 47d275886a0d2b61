import type { Evidence, JudgeProblem, Metadata } from '../../core/result.ts';

/** What one answer of a model comes to. */
export type Conclusion = {
  readonly reason: string;
  /** Ids of the prompt that the answer rests on. */
  readonly cited: readonly string[];
  /** Places that it rests on beside those. */
  readonly evidence?: readonly Evidence[];
  readonly metadata?: Metadata;
} & (Scored | Labelled | Unscored);

interface Scored {
  readonly score: number;
  /** There was nothing to judge, as the answer shows: the score is the one that the source gives then. */
  readonly vacuous?: true;
}

interface Labelled {
  /** The first is the headline. */
  readonly labels: readonly [string, ...string[]];
  readonly failures?: readonly Cited<JudgeProblem>[];
}

/** A failure that cites ids of the prompt. */
type Cited<Failure> = Omit<Failure, 'evidence'> & { readonly cited: readonly string[] };

/** The answer fits, and comes to no score all the same. */
interface Unscored {
  readonly status: 'not_applicable' | 'error';
}

/**
 * One conclusion of several samples: the mean of scores, told by the sample that is nearest to it; of labels, and of
 * scores that are votes, the one that most samples give. Samples that come to no score are left out; where half of
 * the others found nothing to judge, there is nothing.
 *
 * @param votes whether scores are votes, 0 or 1: a tie is 0.
 */
export function bySamples(samples: readonly [Conclusion, ...Conclusion[]], votes: boolean): Conclusion {
  const given = samples.map((sample) => givenBy(sample));
  const chosen = chosenOf(samples, votes);
  return samples.length === 1 ? chosen : { ...chosen, metadata: { ...chosen.metadata, samples: given } };
}

function chosenOf(samples: readonly [Conclusion, ...Conclusion[]], votes: boolean): Conclusion {
  const [first, ...others] = samples.filter((sample) => givenBy(sample) !== null);
  if (!first) return samples[0];
  const telling = [first, ...others];
  const empty = telling.filter((sample) => 'vacuous' in sample);
  if (empty[0] && empty.length * 2 >= telling.length) return empty[0];
  const [found = first, ...rest] = telling.filter((sample) => !('vacuous' in sample));
  const full = [found, ...rest] as const;
  const scores = full.flatMap((sample) => ('score' in sample ? sample.score : []));
  if (scores.length < full.length) return commonest(full);
  return scored(full, votes ? majority(scores) : mean(scores));
}

function givenBy(sample: Conclusion): number | string | null {
  if ('score' in sample) return sample.score;
  return 'labels' in sample ? sample.labels[0] : null;
}

function scored(samples: readonly [Conclusion, ...Conclusion[]], score: number): Conclusion {
  const distance = (sample: Conclusion) => ('score' in sample ? Math.abs(sample.score - score) : 0);
  return { ...best(samples, (sample) => -distance(sample)), score };
}

function commonest(samples: readonly [Conclusion, ...Conclusion[]]): Conclusion {
  const given = samples.map(givenBy);
  return best(samples, (sample) => given.filter((value) => value === givenBy(sample)).length);
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
