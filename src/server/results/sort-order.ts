import type { FileRow, SessionRow } from '../../protocol/messages.ts';

const VERDICT_ORDER = { failed: 0, undecided: 1, passed: 2 } as const satisfies Record<SessionRow['verdict'], number>;

/** The riskiest first, then what failed. */
export function byRisk(a: Pick<SessionRow, 'risk' | 'verdict'>, b: Pick<SessionRow, 'risk' | 'verdict'>): number {
  return (b.risk ?? -1) - (a.risk ?? -1) || VERDICT_ORDER[a.verdict] - VERDICT_ORDER[b.verdict];
}

/** Null where there is none. */
export function worstVerdict(sessions: readonly Pick<SessionRow, 'verdict'>[]): SessionRow['verdict'] | null {
  const verdicts = sessions.map(({ verdict }) => verdict).sort((a, b) => VERDICT_ORDER[a] - VERDICT_ORDER[b]);
  return verdicts[0] ?? null;
}

/** What could not be read comes first. */
export function byFileRisk(a: FileRow, b: FileRow): number {
  const isBroken = ({ verdict }: FileRow) => Number(verdict === null);
  return isBroken(b) - isBroken(a) || (b.risk ?? -1) - (a.risk ?? -1) || (a.uri < b.uri ? -1 : 1);
}
