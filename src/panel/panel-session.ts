import type { Gate, RunInfo, SessionReport } from '../core/report.ts';
import type { SessionRow } from '../protocol/messages.ts';
import type { CorrectedShareText } from '../report-model/corrected-share.ts';
import { riskLevel } from '../report-model/risk-level.ts';
import type { SessionFindings } from '../report-model/session-findings.ts';
import { SessionModel } from '../report-model/session-model.ts';
import type { TraceFacts } from '../report-model/trace-facts.ts';

/** A session with results, as far as the panel shows them. */
export interface PanelSession {
  readonly row: SessionFigures;
  readonly file: string;
  readonly detail: SessionDetail;
}

/** What lists and the header show of a session. */
export type SessionFigures = Pick<
  SessionRow,
  | 'key'
  | 'id'
  | 'verdict'
  | 'outcome'
  | 'headline'
  | 'risk'
  | 'riskLevel'
  | 'riskReason'
  | 'turns'
  | 'problems'
  | 'turnsDone'
>;

/** What the report panel is built from. */
export interface SessionDetail {
  readonly report: SessionReport;
  /** Its own, and those of its run. */
  readonly gates: readonly Gate[];
  readonly run: RunInfo;
  /** Why the run as a whole is undecided, one sentence each; absent where it is not. */
  readonly undecided?: readonly string[];
  /** What people would pass of the run by their labels of judges; absent where no judge is calibrated. */
  readonly correctedShares?: readonly CorrectedShareText[];
  readonly found: SessionFindings;
  /** Whether a judge had scored it, and only the rules have evaluated its last change. */
  readonly hasOutdatedScores?: true;
  /** Absent where its trace was not read, and in results that an earlier version stored. */
  readonly facts?: TraceFacts;
}

/** @param problems how many. */
export function sessionFigures(
  { id, verdict, outcome, headline, metrics, turns }: SessionReport,
  key: string,
  problems: number,
): SessionFigures {
  const risk = Object.hasOwn(metrics, 'session_risk') ? metrics.session_risk : undefined;
  return {
    key,
    id,
    verdict,
    outcome: outcome.status,
    headline,
    risk: risk?.score ?? null,
    riskLevel: riskLevel(risk),
    riskReason: risk?.reason ?? null,
    turns: turns.length,
    problems,
    turnsDone: null,
  };
}

/** The gates that decide about each session: its own, and those of the run. */
export function gatesBySession(gates: readonly Gate[]): (session: string) => readonly Gate[] {
  const own = Map.groupBy(gates, ({ scope, subject }) => (scope === 'session' ? subject : null));
  const ofRun = gates.filter(({ scope }) => scope === 'run');
  return (session) => [...(own.get(session) ?? []), ...ofRun];
}

/** What views derive from a session. */
export function createSessionModel({ row, detail }: Pick<PanelSession, 'row' | 'detail'>): SessionModel {
  return new SessionModel({
    report: detail.report,
    run: detail.run,
    findings: detail.found,
    turnCount: row.turns,
  });
}
