import type { Headline, SessionReport } from '../core/report.ts';
import { SESSION_RISK, scoreOf } from './metric-results.ts';

type HeadlineKind = Headline['kind'];

/** The last two say nothing against the agent and rank alike. */
const HEADLINE_RANK = {
  failed: 0,
  undecided: 1,
  problems: 2,
  'not-run': 3,
  clean: 4,
  succeeded: 4,
} as const satisfies Record<HeadlineKind, number>;

/** What sessions are sorted by. */
export interface SessionRank {
  /** 0 to 1; null where it is unknown. */
  readonly risk: number | null;
  readonly headline: Pick<Headline, 'kind'>;
}

/** Failed, undecided, with problems, the rest; of the same kind, the highest risk first. */
export function byHeadline(a: SessionRank, b: SessionRank): number {
  return headlineRank(a.headline.kind) - headlineRank(b.headline.kind) || (b.risk ?? -1) - (a.risk ?? -1);
}

/** The lower, the worse. */
export function headlineRank(kind: HeadlineKind): number {
  return HEADLINE_RANK[kind];
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
