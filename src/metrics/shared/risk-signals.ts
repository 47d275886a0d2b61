import { get, getNumber } from '../../core/json.ts';
import type { JudgeProblem, Result } from '../../core/result.ts';
import { type Severity, severityOfLabel, worstSeverity } from '../../core/severity.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { DEFAULT_WEIGHTS, SIGNALS } from '../session/signals.ts';
import { PRIOR_WEIGHTS, type RiskTerm, signalTerm, termOfNamed } from './risk-model.ts';

/** Scores of a turn that say how it failed its user, with how much they weigh: 1 as a high finding where they are 0. */
const TURN_SCORES: Readonly<Record<string, number>> = {
  ...DEFAULT_WEIGHTS,
  task_completion: 1,
  faithfulness: 1,
  safety_v1: 1,
};

/** Metrics whose labels are failures. */
const LABELS = ['agent_behavior_failure', 'tool_call_behavior_failure'] as const;

/** That the goal was not reached is what failing a user means: it weighs as a critical finding does. */
const GOAL = 'goal_completion';
const GOAL_WEIGHT = PRIOR_WEIGHTS.critical / PRIOR_WEIGHTS.high;

/** What a turn's risk reads beside findings. */
export const TURN_RISK_SIGNALS: readonly string[] = [
  ...SIGNALS,
  'task_completion',
  'faithfulness',
  'safety_v1',
  ...LABELS,
];
export const SESSION_RISK_SIGNALS: readonly string[] = [...TURN_RISK_SIGNALS, GOAL];

/**
 * A term for each score that somebody gave, by the turn where it is lowest, and for each failure that a judge named: a
 * judge, a real embedder, the file. What the rules gave stands in their findings already, and word overlap is no signal:
 * on labelled data it makes the risk no better (`docs/validity.md`).
 */
export function signalTerms(
  resultsOf: (metric: string) => readonly (Result | undefined)[],
  embedder: Embedder | null,
): RiskTerm[] {
  const given = (metric: string) =>
    resultsOf(metric).filter((result) => result !== undefined && isSignal(result, embedder));
  const scores = Object.entries(TURN_SCORES).flatMap(([metric, weight]) => {
    const lowest = given(metric).reduce<Result | undefined>((low, result) => lowerResult(low, result), undefined);
    return lowest ? signalTerm(metric, toUnitScale(lowest), lowest.evidence, weight) : [];
  });
  return [...scores, ...failureLabelTerms(LABELS.flatMap(given))];
}

/** A term where the file, or a judge, says that the goal was not reached. */
export function goalTerms(result: Result | undefined): RiskTerm[] {
  if (!result || !isSignal(result, null) || result.score === null) return [];
  return [signalTerm(GOAL, result.score, result.evidence, GOAL_WEIGHT)];
}

/** One term a label, as there is one a rule. */
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
  return worstSeverity([severity, severityOfLabel(label)].flatMap((one) => one ?? [])) ?? 'medium';
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
 * A score from 0 to 1, whatever its scale: what a judge gave before a finding capped it, since the finding has a term of
 * its own.
 */
function toUnitScale({ score, scale, metadata }: Result): number {
  const [min, max] = scale ?? [0, 1];
  const given = getNumber(get(metadata, 'cap'), 'judged') ?? score;
  return given === null || max === null ? 1 : (given - min) / (max - min);
}
