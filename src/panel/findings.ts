import type { Observation as FoundObservation, ProblemOccurrence, SuppressedFinding } from '../core/report.ts';
import type { ReportObservation, ReportProblem, ReportSuppression } from '../protocol/report-values.ts';
import { usesJudge } from '../report-model/metric-results.ts';
import type { CitationResolver } from './citations.ts';
import type { FeedbackLookup } from './feedback.ts';
import { toTarget } from './targets.ts';
import { limitName, limitSentence } from './values.ts';

/** What rows of findings are built with. */
export interface FindingContext {
  readonly citations: CitationResolver;
  readonly feedback: FeedbackLookup;
}

export function failureRow(
  occurrence: ProblemOccurrence,
  title: string,
  { citations, feedback }: FindingContext,
): ReportProblem {
  const { turn, label, severity, rule, metric, reason, file, pointer, evidence } = occurrence;
  const hasPrompt = rule === null && metric !== null && usesJudge(metric);
  const of = rule === null ? ({ type: 'label', label } as const) : ({ type: 'rule', rule } as const);
  return {
    title: limitSentence(title),
    turn,
    label: limitName(label),
    severity,
    reason: limitSentence(reason),
    rule,
    metric,
    ...(hasPrompt ? { hasPrompt } : {}),
    target: toTarget(file, pointer),
    ...citations.cite(evidence, reason),
    feedback: feedback(turn, of),
  };
}

export function observationRow(
  observation: FoundObservation,
  { citations, feedback }: FindingContext,
): ReportObservation {
  const { turn, rule, title, reason, file, pointer, evidence } = observation;
  return {
    rule,
    title: limitSentence(title),
    reason: limitSentence(reason),
    target: toTarget(file, pointer),
    ...citations.cite(evidence, reason),
    feedback: feedback(turn, { type: 'rule', rule }),
  };
}

export function suppressedRow(suppressed: SuppressedFinding, { citations }: FindingContext): ReportSuppression {
  const { rule, finding, reason, file, pointer, evidence } = suppressed;
  return {
    rule,
    finding: limitSentence(finding),
    reason: limitSentence(reason),
    target: toTarget(file, pointer),
    ...citations.cite(evidence, finding),
  };
}
