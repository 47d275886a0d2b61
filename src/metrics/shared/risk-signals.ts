import { get, getNumber } from '../../core/json.ts';
import type { JudgeProblem, Result } from '../../core/result.ts';
import { type Severity, severityOfLabel, worstSeverity } from '../../core/severity.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { DEFAULT_WEIGHTS, SIGNALS } from '../session/signals.ts';
import { PRIOR_WEIGHTS, type RiskTerm, signalTerm, termOfNamed } from './risk-model.ts';

/** Scores of a turn that indicate failure, with their weights: at 1, a score of 0 weighs as a high finding. */
const TURN_SCORES: Readonly<Record<string, number>> = {
  ...DEFAULT_WEIGHTS,
  task_completion: 1,
  faithfulness: 1,
  safety_v1: 1,
};

/** Metrics whose labels are failures. */
const LABELS = ['agent_behavior_failure', 'tool_call_behavior_failure'] as const;

/** A missed goal is the definition of failing a user: it weighs as a critical finding. */
const GOAL = 'goal_completion';
const GOAL_WEIGHT = PRIOR_WEIGHTS.critical / PRIOR_WEIGHTS.high;

/** The metrics that a turn's risk reads in addition to findings. */
export const TURN_RISK_SIGNALS: readonly string[] = [
  ...SIGNALS,
  'task_completion',
  'faithfulness',
  'safety_v1',
  ...LABELS,
];
export const SESSION_RISK_SIGNALS: readonly string[] = [...TURN_RISK_SIGNALS, GOAL];

/**
 * A term for each score by a judge, an embedding model or the file, at the turn where it is lowest, and for each failure
 * that a judge named. Scores by rules are left out, because their findings have terms; so is word overlap, because it
 * does not improve the risk on labelled data (`docs/validity.md`).
 */
export function signalTerms(
  resultsOf: (metric: string) => readonly (Result | undefined)[],
  embedder: Embedder | null,
): RiskTerm[] {
  const scoreOf = (metric: string) =>
    resultsOf(metric).filter((result) => result !== undefined && isSignal(result, embedder));
  const scores = Object.entries(TURN_SCORES).flatMap(([metric, weight]) => {
    const lowest = scoreOf(metric).reduce<Result | undefined>((low, result) => lowerResult(low, result), undefined);
    return lowest ? signalTerm(metric, toUnitScale(lowest), lowest.evidence, weight) : [];
  });
  return [...scores, ...failureLabelTerms(LABELS.flatMap(scoreOf))];
}

/** A term if the file or a judge says that the goal was not reached. */
export function goalTerms(result: Result | undefined): RiskTerm[] {
  if (!result || !isSignal(result, null) || result.score === null) return [];
  return [signalTerm(GOAL, result.score, result.evidence, GOAL_WEIGHT)];
}

/** One term for each label. */
function failureLabelTerms(results: readonly (Result | undefined)[]): RiskTerm[] {
  const failures = results.flatMap((result) => result?.failures ?? []);
  return [...Map.groupBy(failures, ({ label }) => label)].map(([label, named]) =>
    termOfNamed(
      label,
      named.toSorted((a, b) => PRIOR_WEIGHTS[severityOf(b)] - PRIOR_WEIGHTS[severityOf(a)]),
      severityOf,
    ),
  );
}

function severityOf({ label, severity }: JudgeProblem): Severity {
  return worstSeverity([severity, severityOfLabel(label)].flatMap((value) => value ?? [])) ?? 'medium';
}

function isSignal({ status, score, label, source }: Result, embedder: Embedder | null): boolean {
  if (status !== 'scored' || (score === null && label === null) || source === 'rules') return false;
  return !(source === 'embedding' && embedder?.provider === 'lexical');
}

function lowerResult(low: Result | undefined, result: Result | undefined): Result | undefined {
  if (!low || !result) return low ?? result;
  return toUnitScale(result) < toUnitScale(low) ? result : low;
}

/**
 * A score, scaled to 0 to 1, as the judge gave it before a finding capped it: the finding has its own term.
 */
function toUnitScale({ score, scale, metadata }: Result): number {
  const [min, max] = scale ?? [0, 1];
  const judged = getNumber(get(metadata, 'cap'), 'judged') ?? score;
  return judged === null || max === null ? 1 : (judged - min) / (max - min);
}
