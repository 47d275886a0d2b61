import type { ProblemOccurrence, TurnReport } from '../core/report.ts';
import { type Severity, worstSeverity } from '../core/severity.ts';
import { bySeverity } from './session-findings.ts';
import type { SessionModel } from './session-model.ts';

/** What an overview of all turns says of one of them. */
export interface TurnOverview {
  /** The severity of the worst problem; null without problems. */
  readonly severity: Severity | null;
  /** How many problems there are. */
  readonly problems: number;
  readonly coverage: TurnCoverage;
}

/** `waiting`: not evaluated yet; `failed`: a model call failed, and results are missing. */
export type TurnCoverage = 'waiting' | 'rules' | 'judged' | 'failed';

/** @param turn zero-based. */
export function turnOverview(model: SessionModel, turn: number): TurnOverview {
  const report = model.turn(turn);
  const problems = model.findingsByTurn().failures.get(turn) ?? [];
  return {
    severity: worstSeverity(problems.map(({ severity }) => severity)),
    problems: problems.length,
    coverage: turnCoverage(report),
  };
}

/** The problems of a turn, the most severe first. @param turn zero-based. */
export function problemsInTurn(model: SessionModel, turn: number): ProblemOccurrence[] {
  return (model.findingsByTurn().failures.get(turn) ?? []).toSorted(bySeverity);
}

function turnCoverage(report: TurnReport | undefined): TurnCoverage {
  if (!report) return 'waiting';
  let coverage: TurnCoverage = 'rules';
  for (const metric in report.metrics) {
    const result = report.metrics[metric];
    if (result?.status === 'error') return 'failed';
    if (result?.judge !== undefined) coverage = 'judged';
  }
  return coverage;
}
