import type { TurnReport } from '../core/report.ts';
import { type Severity, worstSeverity } from '../core/severity.ts';
import { metricResult, TURN_RISK } from './metric-results.ts';
import type { SessionModel } from './session-model.ts';

/** What an overview of all turns says of one of them. */
export interface TurnOverview {
  /** `turn_risk`, 0 to 1; null where it has no score. */
  readonly risk: number | null;
  /** The explanation of the risk, or why there is none. */
  readonly riskReason: string | null;
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
  const risk = report && metricResult(report.metrics, TURN_RISK);
  const problems = model.findingsByTurn().failures.get(turn) ?? [];
  return {
    risk: risk?.score ?? null,
    riskReason: risk?.reason ?? null,
    severity: worstSeverity(problems.map(({ severity }) => severity)),
    problems: problems.length,
    coverage: turnCoverage(report),
  };
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
