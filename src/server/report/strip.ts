import type { TurnReport } from '../../core/report.ts';
import { type Severity, worstSeverity } from '../../core/severity.ts';
import type { Looked, Strip } from '../../protocol/report.ts';
import type { HeldSession } from '../held/rows.ts';
import { shortened } from '../wording/excerpt.ts';
import { foundByTurn } from './findings.ts';
import { resultOf, TURN_RISK } from './scores.ts';
import { reportOfTurn } from './turn-reports.ts';

/** What a header says in words of its turns, in characters: of one, and of all together. */
const REASON = 160;
const REASONS = 240_000;

/** A column per fact, with one entry per turn. */
export function stripOf(held: HeldSession): Strip {
  const { failures } = foundByTurn(held.detail.found);
  const reasons = new Reasons();
  const columns = { risk: [], severity: [], failures: [], looked: [], reason: [] } satisfies Record<string, never[]>;
  const { risk, severity, failures: counts, looked, reason }: Columns = columns;
  for (let turn = 0; turn < held.row.turns; turn += 1) {
    const report = reportOfTurn(held, turn);
    const result = report && resultOf(report.metrics, TURN_RISK);
    const found = failures.get(turn) ?? [];
    risk.push(result?.score === undefined || result.score === null ? null : Math.round(result.score * 1000) / 1000);
    severity.push(worstSeverity(found.map(({ severity }) => severity)));
    counts.push(found.length);
    looked.push(lookedAt(report));
    reason.push(result?.reason ? reasons.add(result.reason) : null);
  }
  return { turns: held.row.turns, risk, severity, failures: counts, looked, reason, reasons: reasons.all };
}

interface Columns {
  readonly risk: (number | null)[];
  readonly severity: (Severity | null)[];
  readonly failures: number[];
  readonly looked: Looked[];
  readonly reason: (number | null)[];
}

/** Each sentence once. */
class Reasons {
  readonly #known = new Map<string, number>();
  readonly all: string[] = [];
  #room = REASONS;

  /** Its number; null where there is no room any more. */
  add(reason: string): number | null {
    const known = this.#known.get(reason);
    if (known !== undefined) return known;
    const text = shortened(reason, REASON);
    if (text.length > this.#room) return null;
    this.#room -= text.length;
    this.#known.set(reason, this.all.length);
    this.all.push(text);
    return this.all.length - 1;
  }
}

function lookedAt(report: TurnReport | undefined): Looked {
  if (!report) return 'waiting';
  let looked: Looked = 'rules';
  for (const metric in report.metrics) {
    const result = report.metrics[metric];
    if (result?.status === 'error') return 'failed';
    if (result?.judge !== undefined) looked = 'judged';
  }
  return looked;
}
