import type { Finding } from '../../core/finding.ts';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { inSentences, named } from './moved-by-findings.ts';

/** The most that what is proven leaves of a score. */
export interface Cap {
  readonly most: number;
  /** What is proven, in sentences. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Which findings, as metadata name them. */
  readonly findings: unknown;
}

/** Null where nothing was found: no finding is no praise. */
export function capBy(findings: readonly Finding[], most: number): Cap | null {
  if (findings.length === 0) return null;
  return {
    most,
    reason: inSentences(findings),
    evidence: findings.flatMap(({ evidence }) => evidence),
    findings: named(findings),
  };
}

/** The lower of two; the first of equals. */
export function lower(a: Cap | null, b: Cap | null): Cap | null {
  if (a === null || b === null) return a ?? b;
  return b.most < a.most ? b : a;
}

/**
 * A judge's score is no higher than what is proven leaves of it, and says so: its reason and its evidence have what is
 * proven beside the judge's own, and `metadata.cap` has the score and the reason that the judge gave.
 */
export function capped(outcome: MetricOutcome, cap: Cap | null): MetricOutcome {
  if (cap === null || !('score' in outcome) || outcome.status !== 'scored' || outcome.score <= cap.most) return outcome;
  const { score, reason, evidence = [], metadata } = outcome;
  return {
    ...outcome,
    score: cap.most,
    reason:
      `${reason ?? ''} Not above ${figure(cap.most)}, whatever the judge says (${figure(score)}): ${cap.reason}`.trim(),
    evidence: [...cap.evidence, ...evidence],
    metadata: { ...metadata, cap: { most: cap.most, judged: score, reason, findings: cap.findings } },
  };
}

function figure(score: number): string {
  return String(Number(score.toFixed(2)));
}
