import { get, getArray, getNumber, getString } from '../../core/json.ts';
import type { ResultsByMetric } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { formatScore } from './score-text.ts';

/** A score that does not meet its threshold. */
export interface Shortfall {
  readonly name: string;
  readonly result: Result;
  /** `helpfulness 2.00 < 3.50`. */
  readonly text: string;
  /** How far it is from the threshold, as a share of the scale. */
  readonly distance: number;
}

export function isShortfall(result: Result): boolean {
  return result.passed === false && !result.implied;
}

/** The farthest from their thresholds first. */
export function shortfalls(metrics: ResultsByMetric): Shortfall[] {
  return Object.entries(metrics)
    .flatMap(([name, result]) => shortfallOf(name, result) ?? [])
    .sort((a, b) => b.distance - a.distance);
}

function shortfallOf(name: string, result: Result): Shortfall | null {
  const { score, threshold, scale } = result;
  if (!isShortfall(result) || score === null || threshold === null) return null;
  const [min, max] = scale ?? [0, 1];
  // What is lower the better falls short by being above.
  const sign = score > threshold ? '>' : '<';
  return {
    name,
    result,
    text: `${sanitizeLine(name)} ${formatScore(score, scale)} ${sign} ${formatScore(threshold, scale)}`,
    distance: Math.abs(score - threshold) / ((max ?? min + 1) - min),
  };
}

/** What findings did to a judge's score: `cap` in the metadata of a result. */
interface ScoreCap {
  /** The score and the reason that the judge gave. */
  readonly judged: number;
  readonly reason: string | null;
  readonly rules: readonly string[];
}

export function scoreCap({ metadata }: Result): ScoreCap | null {
  const cap = get(metadata, 'cap');
  const judged = getNumber(cap, 'judged');
  if (judged === undefined) return null;
  const rules = (getArray(cap, 'findings') ?? []).flatMap((finding) => getString(finding, 'rule') ?? []);
  return { judged, reason: getString(cap, 'reason') ?? null, rules: [...new Set(rules)] };
}
