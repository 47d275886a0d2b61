import type { SessionReport } from '../core/report.ts';
import type { Verdict } from '../core/verdict.ts';
import { SESSION_RISK, scoreOf } from './metric-results.ts';

const VERDICT_ORDER = { failed: 0, undecided: 1, passed: 2 } as const satisfies Record<Verdict, number>;

/** What sessions are sorted by. */
export interface SessionRank {
  /** 0 to 1; null where it is unknown. */
  readonly risk: number | null;
  readonly verdict: Verdict;
}

/** The highest risk first, then failed before undecided before passed. */
export function byRisk(a: SessionRank, b: SessionRank): number {
  return (b.risk ?? -1) - (a.risk ?? -1) || VERDICT_ORDER[a.verdict] - VERDICT_ORDER[b.verdict];
}

/** Null where there is no session. */
export function worstVerdict(sessions: readonly Pick<SessionRank, 'verdict'>[]): Verdict | null {
  const verdicts = sessions.map(({ verdict }) => verdict).sort((a, b) => VERDICT_ORDER[a] - VERDICT_ORDER[b]);
  return verdicts[0] ?? null;
}

/** The one score that says most about a session: its risk, else its reliability. */
export interface KeyScore {
  readonly metric: typeof SESSION_RISK | 'agent_reliability';
  readonly name: 'risk' | 'reliability';
  readonly score: number;
  /** How bad it is, 0 to 1. */
  readonly risk: number;
}

/** Null when neither was scored. */
export function keyScore({ metrics }: Pick<SessionReport, 'metrics'>): KeyScore | null {
  const risk = scoreOf(metrics, SESSION_RISK);
  if (risk !== null) return { metric: SESSION_RISK, name: 'risk', score: risk, risk };
  const score = scoreOf(metrics, 'agent_reliability');
  return score === null ? null : { metric: 'agent_reliability', name: 'reliability', score, risk: 1 - score };
}
