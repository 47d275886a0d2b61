import { lazy } from '../core/cache/memoize.ts';
import type { RunInfo, SessionReport, TurnReport } from '../core/report.ts';
import { groupByTurn, type SessionFindings } from './session-findings.ts';
import { answeringJudges, totalSession } from './session-totals.ts';

/** What a session of a report is known by; while it is evaluated, its report has only some of its turns. */
export interface SessionModelInput {
  readonly report: SessionReport;
  readonly run: Pick<RunInfo, 'judge'>;
  readonly findings: SessionFindings;
  /** How many turns the session has. */
  readonly turnCount: number;
}

/** A session of a report with what views derive from it, each computed once when it is first needed. */
export class SessionModel {
  readonly report: SessionReport;
  readonly findings: SessionFindings;
  readonly turnCount: number;
  /** The findings by the index of their turn. */
  readonly findingsByTurn = lazy(() => groupByTurn(this.findings));
  /** The title of each problem: that of its group. */
  readonly problemTitles = lazy(
    () => new Map(this.findings.groups.flatMap(({ title, occurrences }) => occurrences.map((one) => [one, title]))),
  );
  readonly totals = lazy(() => totalSession(this.report, this.#run));
  /** `provider/model` of the models that answered. */
  readonly judges = lazy(() => answeringJudges(this.report));
  readonly #run: Pick<RunInfo, 'judge'>;
  readonly #turns = lazy(() => new Map(this.report.turns.map((turn) => [turn.index, turn])));

  constructor({ report, run, findings, turnCount }: SessionModelInput) {
    this.report = report;
    this.#run = run;
    this.findings = findings;
    this.turnCount = turnCount;
  }

  /** The report of a turn; undefined while it is being evaluated. Turns are evaluated in any order. */
  turn(index: number): TurnReport | undefined {
    const turn = this.report.turns[index];
    return turn?.index === index ? turn : this.#turns().get(index);
  }
}
