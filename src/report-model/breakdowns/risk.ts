import { get, getArray, getNumber, getString } from '../../core/json.ts';
import type { Metadata } from '../../core/result.ts';
import { metricResult } from '../metric-results.ts';
import type { SessionModel } from '../session-model.ts';

/** `session_risk`: a base, and what each finding and each signal adds to it. */
export interface RiskBreakdown {
  /** The risk of such a session without findings. */
  readonly base: number;
  /** Otherwise the risk only ranks sessions. */
  readonly isProbability: boolean;
  /** Characters of the messages; null in reports that do not say. */
  readonly length: number | null;
  /** How many other attempts of the task the risk counts, and how many of them made the same changes; null without any. */
  readonly attempts: { readonly others: number; readonly same: number } | null;
  /** The data that the weights were fitted on. */
  readonly fittedOn: string | null;
  readonly terms: readonly RiskTerm[];
  /** How many terms add to the risk. */
  readonly adding: number;
}

interface RiskTerm {
  readonly kind: 'rule' | 'signal';
  /** The rule or the metric. */
  readonly name: string;
  /** Why it counts, as a sentence. */
  readonly because: string;
  readonly adds: number;
  /** The weight is not fitted on labelled data. */
  readonly isEstimate: boolean;
  /** Zero-based, ascending. */
  readonly turns: readonly number[];
}

/** Null where the metadata do not explain the score. */
export function riskBreakdown(metadata: Metadata, model: SessionModel): RiskBreakdown | null {
  const base = getNumber(metadata, 'base');
  const terms = getArray(metadata, 'terms');
  if (base === undefined || !terms) return null;
  return {
    base,
    isProbability: get(metadata, 'isProbability') === true,
    length: getNumber(metadata, 'length') ?? null,
    attempts: comparedAttempts(get(metadata, 'attempts')),
    fittedOn: getString(metadata, 'fittedOn') ?? null,
    terms: terms.flatMap((term) => riskTerm(term, model) ?? []),
    adding: terms.filter((term) => (getNumber(term, 'adds') ?? 0) > 0).length,
  };
}

function comparedAttempts(noted: unknown): RiskBreakdown['attempts'] {
  const others = getNumber(noted, 'others');
  const share = getNumber(noted, 'share');
  return others === undefined || share === undefined ? null : { others, same: Math.round(others * share) };
}

function riskTerm(noted: unknown, model: SessionModel): RiskTerm | null {
  const common = {
    because: getString(noted, 'because') ?? '',
    adds: getNumber(noted, 'adds') ?? 0,
    isEstimate: get(noted, 'calibrated') === false,
  };
  const rule = getString(noted, 'rule');
  if (rule !== undefined) return { ...common, kind: 'rule', name: rule, turns: turnsWithRule(rule, model) };
  const signal = getString(noted, 'signal');
  if (signal === undefined) return null;
  return { ...common, kind: 'signal', name: signal, turns: turnsWithScore(signal, getNumber(noted, 'score'), model) };
}

function turnsWithRule(rule: string, { findingsByTurn }: SessionModel): number[] {
  const { failures, observations } = findingsByTurn();
  const turns = new Set<number>();
  for (const [turn, findings] of failures) if (findings.some((finding) => finding.rule === rule)) turns.add(turn);
  for (const [turn, findings] of observations) if (findings.some((finding) => finding.rule === rule)) turns.add(turn);
  return [...turns].sort((a, b) => a - b);
}

/** The turns in which the score is as low as the term says. */
function turnsWithScore(signal: string, score: number | undefined, { report }: SessionModel): number[] {
  if (score === undefined) return [];
  return report.turns.flatMap(({ index, metrics }) => {
    const signalScore = metricResult(metrics, signal)?.score ?? null;
    return signalScore !== null && Math.abs(signalScore - score) < 1e-4 ? [index] : [];
  });
}
