import type { TurnReport } from '../../core/report.ts';
import { type Severity, worstSeverity } from '../../core/severity.ts';
import type { ProblemStrip, TurnCoverage } from '../../protocol/report.ts';
import { metricResult, TURN_RISK } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { truncate } from '../text/excerpt.ts';

/** Limits of reasons in the header, in characters: of one, and of all together. */
const MAX_REASON = 160;
const MAX_REASONS_LENGTH = 240_000;

/** Columns with one entry per turn. */
export function buildStrip(model: SessionModel): ProblemStrip {
  const { failures } = model.findingsByTurn();
  const reasons = new ReasonTable();
  const columns = { risk: [], severity: [], problems: [], coverage: [], reason: [] } satisfies Record<string, never[]>;
  const { risk, severity, problems: counts, coverage, reason }: StripColumns = columns;
  for (let turn = 0; turn < model.turnCount; turn += 1) {
    const report = model.turn(turn);
    const result = report && metricResult(report.metrics, TURN_RISK);
    const problems = failures.get(turn) ?? [];
    risk.push(result?.score === undefined || result.score === null ? null : Math.round(result.score * 1000) / 1000);
    severity.push(worstSeverity(problems.map(({ severity }) => severity)));
    counts.push(problems.length);
    coverage.push(turnCoverage(report));
    reason.push(result?.reason ? reasons.add(result.reason) : null);
  }
  return { turns: model.turnCount, risk, severity, problems: counts, coverage, reason, reasons: reasons.all };
}

interface StripColumns {
  readonly risk: (number | null)[];
  readonly severity: (Severity | null)[];
  readonly problems: number[];
  readonly coverage: TurnCoverage[];
  readonly reason: (number | null)[];
}

/** Distinct sentences. */
class ReasonTable {
  readonly #known = new Map<string, number>();
  readonly all: string[] = [];
  #room = MAX_REASONS_LENGTH;

  /** The index of a sentence; null where there is no room left. */
  add(reason: string): number | null {
    const known = this.#known.get(reason);
    if (known !== undefined) return known;
    const text = truncate(reason, MAX_REASON);
    if (text.length > this.#room) return null;
    this.#room -= text.length;
    this.#known.set(reason, this.all.length);
    this.all.push(text);
    return this.all.length - 1;
  }
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
