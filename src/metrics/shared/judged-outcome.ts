import type { Evidence, JudgeProblem, Metadata } from '../../core/result.ts';

/** What one answer of a model comes to. */
export type JudgedOutcome = {
  readonly reason: string;
  /** Ids of the prompt that the answer rests on. */
  readonly cited: readonly string[];
  /** Places that it rests on beside those. */
  readonly evidence?: readonly Evidence[];
  readonly metadata?: Metadata;
} & (ScoredAnswer | LabelledAnswer | UnscoredAnswer);

interface ScoredAnswer {
  readonly score: number;
  /** There was nothing to judge, as the answer shows: the score is the one that the source gives then. */
  readonly vacuous?: true;
}

interface LabelledAnswer {
  /** The first is the headline. */
  readonly labels: readonly [string, ...string[]];
  readonly failures?: readonly WithCitations<JudgeProblem>[];
}

/** A failure that cites ids of the prompt. */
type WithCitations<Failure> = Omit<Failure, 'evidence'> & { readonly cited: readonly string[] };

/** The answer fits, and comes to no score all the same. */
interface UnscoredAnswer {
  readonly status: 'not_applicable' | 'error';
}

/**
 * One conclusion of several samples: the mean of scores, told by the sample that is nearest to it; of labels, and of
 * scores that are votes, the one that most samples give. Samples that come to no score are left out; where half of
 * the others found nothing to judge, there is nothing.
 *
 * @param votes whether scores are votes, 0 or 1: a tie is 0.
 */
export function combineSamples(samples: readonly [JudgedOutcome, ...JudgedOutcome[]], votes: boolean): JudgedOutcome {
  const given = samples.map((sample) => sampleValue(sample));
  const chosen = chooseSample(samples, votes);
  return samples.length === 1 ? chosen : { ...chosen, metadata: { ...chosen.metadata, samples: given } };
}

function chooseSample(samples: readonly [JudgedOutcome, ...JudgedOutcome[]], votes: boolean): JudgedOutcome {
  const [first, ...others] = samples.filter((sample) => sampleValue(sample) !== null);
  if (!first) return samples[0];
  const telling = [first, ...others];
  const empty = telling.filter((sample) => 'vacuous' in sample);
  if (empty[0] && empty.length * 2 >= telling.length) return empty[0];
  const [found = first, ...rest] = telling.filter((sample) => !('vacuous' in sample));
  const full = [found, ...rest] as const;
  const scores = full.flatMap((sample) => ('score' in sample ? sample.score : []));
  if (scores.length < full.length) return mostCommonSample(full);
  return nearestSample(full, votes ? majority(scores) : mean(scores));
}

function sampleValue(sample: JudgedOutcome): number | string | null {
  if ('score' in sample) return sample.score;
  return 'labels' in sample ? sample.labels[0] : null;
}

function nearestSample(samples: readonly [JudgedOutcome, ...JudgedOutcome[]], score: number): JudgedOutcome {
  const distance = (sample: JudgedOutcome) => ('score' in sample ? Math.abs(sample.score - score) : 0);
  return { ...best(samples, (sample) => -distance(sample)), score };
}

function mostCommonSample(samples: readonly [JudgedOutcome, ...JudgedOutcome[]]): JudgedOutcome {
  const given = samples.map(sampleValue);
  return best(samples, (sample) => given.filter((value) => value === sampleValue(sample)).length);
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
