import type { Evidence, JudgeProblem, Metadata } from '../../core/result.ts';

/** The outcome of one answer of the judge. */
export type JudgedOutcome = {
  readonly reason: string;
  /** Ids of the excerpts in the prompt that the answer cites. */
  readonly cited: readonly string[];
  /** Evidence in addition to those. */
  readonly evidence?: readonly Evidence[];
  readonly metadata?: Metadata;
} & (ScoredAnswer | LabelledAnswer | UnscoredAnswer);

interface ScoredAnswer {
  readonly score: number;
  /** The answer shows that there was nothing to judge: the score is what the source defines for that case. */
  readonly vacuous?: true;
}

interface LabelledAnswer {
  /** The first is the headline. */
  readonly labels: readonly [string, ...string[]];
  readonly failures?: readonly WithCitations<JudgeProblem>[];
}

/** A failure that cites ids of the prompt instead of evidence. */
type WithCitations<Failure> = Omit<Failure, 'evidence'> & { readonly cited: readonly string[] };

/** A valid answer that gives no score. */
interface UnscoredAnswer {
  readonly status: 'not_applicable' | 'error';
}

/**
 * Combines several samples: the mean of scores, with the reason of the sample nearest to it; the majority of labels and
 * votes. Samples without a score are left out. If half of the others found nothing to judge, the result is vacuous.
 *
 * @param votes whether scores are votes, 0 or 1: a tie is 0.
 */
export function combineSamples(samples: readonly [JudgedOutcome, ...JudgedOutcome[]], votes: boolean): JudgedOutcome {
  const values = samples.map((sample) => sampleValue(sample));
  const chosen = chooseSample(samples, votes);
  return samples.length === 1 ? chosen : { ...chosen, metadata: { ...chosen.metadata, samples: values } };
}

function chooseSample(samples: readonly [JudgedOutcome, ...JudgedOutcome[]], votes: boolean): JudgedOutcome {
  const [first, ...others] = samples.filter((sample) => sampleValue(sample) !== null);
  if (!first) return samples[0];
  const withValue = [first, ...others];
  const empty = withValue.filter((sample) => 'vacuous' in sample);
  if (empty[0] && empty.length * 2 >= withValue.length) return empty[0];
  const [firstScored = first, ...rest] = withValue.filter((sample) => !('vacuous' in sample));
  const judged = [firstScored, ...rest] as const;
  const scores = judged.flatMap((sample) => ('score' in sample ? sample.score : []));
  if (scores.length < judged.length) return mostCommonSample(judged);
  return nearestSample(judged, votes ? majority(scores) : mean(scores));
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
  const values = samples.map(sampleValue);
  return best(samples, (sample) => values.filter((value) => value === sampleValue(sample)).length);
}

function mean(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function majority(votes: readonly number[]): number {
  return mean(votes) > 0.5 ? 1 : 0;
}

/** The first item with the highest worth. */
function best<T>(items: readonly [T, ...T[]], worth: (item: T) => number): T {
  return items.reduce((top, item) => (worth(item) > worth(top) ? item : top));
}
