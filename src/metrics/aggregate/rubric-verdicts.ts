import { isObject } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';

type RubricVerdict = readonly [rubric: string, verdict: 0 | 1];

/** The decided rubric verdicts whose mean is the score; null if the score is not such a mean. */
export function rubricVerdicts(result: Result): readonly number[] | null {
  return decidedVerdicts(result)?.map(([, verdict]) => verdict) ?? null;
}

/** The mean verdict of each rubric over scored results; null if no score is a mean of rubrics. */
export function meanRubrics(results: readonly Result[]): Readonly<Record<string, number>> | null {
  const verdicts = results.flatMap((result) => (result.status === 'scored' ? (decidedVerdicts(result) ?? []) : []));
  if (verdicts.length === 0) return null;
  const means = Array.from(
    Map.groupBy(verdicts, ([rubric]) => rubric),
    ([rubric, all]) => [rubric, share(all)] as const,
  );
  return Object.fromEntries(means);
}

/** `metadata.rubrics` has 0, 1 or null by the ids of the rubrics. Figures that the score is not made of are other ones. */
function decidedVerdicts({ metadata: { rubrics }, score }: Result): readonly RubricVerdict[] | null {
  if (!isObject(rubrics) || score === null) return null;
  const verdicts = Object.entries(rubrics).filter(
    (entry): entry is [string, 0 | 1] => entry[1] === 0 || entry[1] === 1,
  );
  const isMean = verdicts.length > 0 && Math.abs(share(verdicts) - score) < 1e-9;
  return isMean ? verdicts : null;
}

function share(verdicts: readonly RubricVerdict[]): number {
  return verdicts.filter(([, verdict]) => verdict === 1).length / verdicts.length;
}
