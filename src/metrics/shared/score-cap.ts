import type { Finding } from '../../core/finding.ts';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { findingReferences, summarizeFindings } from './rule-based-scores.ts';

/** The most that what is proven leaves of a score. */
export interface ScoreCap {
  readonly limit: number;
  /** What is proven, in sentences. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Which findings, as metadata name them. */
  readonly findings: unknown;
}

/** Null where nothing was found: no finding is no praise. */
export function capFromFindings(findings: readonly Finding[], most: number): ScoreCap | null {
  if (findings.length === 0) return null;
  return {
    limit: most,
    reason: summarizeFindings(findings),
    evidence: findings.flatMap(({ evidence }) => evidence),
    findings: findingReferences(findings),
  };
}

/** The lower of two; the first of equals. */
export function lowerCap(a: ScoreCap | null, b: ScoreCap | null): ScoreCap | null {
  if (a === null || b === null) return a ?? b;
  return b.limit < a.limit ? b : a;
}

/**
 * A judge's score is no higher than what is proven leaves of it, and says so: its reason and its evidence have what is
 * proven beside the judge's own, and `metadata.cap` has the score and the reason that the judge gave.
 */
export function applyCap(outcome: MetricOutcome, cap: ScoreCap | null): MetricOutcome {
  if (cap === null || !('score' in outcome) || outcome.status !== 'scored' || outcome.score <= cap.limit)
    return outcome;
  const { score, reason, evidence = [], metadata } = outcome;
  return {
    ...outcome,
    score: cap.limit,
    reason:
      `${reason ?? ''} Not above ${formatScore(cap.limit)}, whatever the judge says (${formatScore(score)}): ${cap.reason}`.trim(),
    evidence: [...cap.evidence, ...evidence],
    metadata: { ...metadata, cap: { most: cap.limit, judged: score, reason, findings: cap.findings } },
  };
}

function formatScore(score: number): string {
  return String(Number(score.toFixed(2)));
}
