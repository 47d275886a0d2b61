import type { Finding } from '../../core/finding.ts';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { findingReferences, summarizeFindings } from './rule-based-scores.ts';

/** The highest score that proven findings allow. */
export interface ScoreCap {
  readonly limit: number;
  /** The findings, in sentences. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** References to the findings, for the metadata. */
  readonly findings: unknown;
}

/** Null without findings: they are not evidence of quality. */
export function capFromFindings(findings: readonly Finding[], limit: number): ScoreCap | null {
  if (findings.length === 0) return null;
  return {
    limit,
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
 * Limits a judge's score to the cap. The reason and the evidence then include the findings, and `metadata.cap` has the
 * score and the reason that the judge gave.
 */
export function applyCap(outcome: MetricOutcome, cap: ScoreCap | null): MetricOutcome {
  if (cap === null || !('score' in outcome) || outcome.status !== 'scored' || outcome.score <= cap.limit)
    return outcome;
  const { score, reason, evidence = [], metadata } = outcome;
  return {
    ...outcome,
    score: cap.limit,
    reason:
      `${reason ?? ''} Capped at ${formatScore(cap.limit)} (the judge gave ${formatScore(score)}): ${cap.reason}`.trim(),
    evidence: [...cap.evidence, ...evidence],
    metadata: { ...metadata, cap: { most: cap.limit, judged: score, reason, findings: cap.findings } },
  };
}

function formatScore(score: number): string {
  return String(Number(score.toFixed(2)));
}
