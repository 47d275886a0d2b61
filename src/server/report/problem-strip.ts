import type { Severity } from '../../core/severity.ts';
import type { ProblemStrip } from '../../protocol/report.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { type TurnCoverage, turnOverview } from '../../report-model/turn-overview.ts';
import { truncate } from '../text/excerpt.ts';

/** Limits of reasons in the header, in characters: of one, and of all together. */
const MAX_REASON = 160;
const MAX_REASONS_LENGTH = 240_000;

/** Columns with one entry per turn. */
export function buildStrip(model: SessionModel): ProblemStrip {
  const reasons = new ReasonTable();
  const columns: StripColumns = { risk: [], severity: [], problems: [], coverage: [], reason: [] };
  for (let turn = 0; turn < model.turnCount; turn += 1) {
    const { risk, riskReason, severity, problems, coverage } = turnOverview(model, turn);
    columns.risk.push(risk === null ? null : Math.round(risk * 1000) / 1000);
    columns.severity.push(severity);
    columns.problems.push(problems);
    columns.coverage.push(coverage);
    columns.reason.push(riskReason ? reasons.add(riskReason) : null);
  }
  return { turns: model.turnCount, ...columns, reasons: reasons.all };
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
