import { get, getArray, getNumber, getString } from '../core/json.ts';
import type { Result } from '../core/result.ts';
import { meetsThreshold } from '../core/scoring.ts';

/** How findings limited a judge's score: the `cap` in a result's metadata. */
export interface JudgeScoreCap {
  /** The highest score that the findings allow; null where the metadata does not say. */
  readonly most: number | null;
  /** The score and the reason that the judge gave. */
  readonly judged: number;
  /** Whether the judge's own score meets the threshold: then its reason names nothing wrong. */
  readonly judgedPasses: boolean;
  readonly reason: string | null;
  /** The rules whose findings limited it. */
  readonly rules: readonly string[];
}

/** Null where no finding limited the score. */
export function scoreCap({ metadata, threshold }: Pick<Result, 'metadata' | 'threshold'>): JudgeScoreCap | null {
  const cap = get(metadata, 'cap');
  const judged = getNumber(cap, 'judged');
  if (judged === undefined) return null;
  const rules = (getArray(cap, 'findings') ?? []).flatMap((finding) => getString(finding, 'rule') ?? []);
  return {
    most: getNumber(cap, 'most') ?? null,
    judged,
    judgedPasses: threshold !== null && meetsThreshold(judged, threshold),
    reason: getString(cap, 'reason') ?? null,
    rules: [...new Set(rules)],
  };
}
