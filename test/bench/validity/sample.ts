import { createHash } from 'node:crypto';
import type { Finding } from '../../../src/core/finding.ts';
import { severityRank } from '../../../src/core/severity.ts';
import type { SetSession } from './labelled-sets.ts';

/**
 * Which findings and sessions are judged by hand. The draw was fixed on 2026-11-23, before the rules were changed for the
 * sets of `LABELLED_FOLDERS`: the place of a finding in the order depends on nothing but its trace, its rule and this seed,
 * so a rule that changes gives and takes findings of its own only, and the judgements of all others stay.
 */
const SEED = 'turnwise 2026-11-23';

/** How many findings of medium severity or above are judged. */
const JUDGED_FINDINGS = 150;

export interface DrawnFinding {
  /** Names the finding in the judgements: file, session, rule, one-based turn and pointer. */
  readonly key: string;
  readonly finding: Finding;
  readonly session: SetSession;
}

/** Problems of medium severity or above in the order in which they are judged. */
export function drawFindings(sessions: readonly SetSession[], count = JUDGED_FINDINGS): DrawnFinding[] {
  const problems = sessions.flatMap((session) =>
    session.findings
      .filter(({ severity }) => severity !== 'info' && severityRank(severity) >= severityRank('medium'))
      .map((finding) => ({ key: findingKey(session, finding), finding, session })),
  );
  return inDrawnOrder(problems, ({ key }) => key).slice(0, count);
}

/** Sessions in the order in which they are read by hand. */
export function drawSessions(sessions: readonly SetSession[], count: number): SetSession[] {
  return inDrawnOrder(sessions, sessionKey).slice(0, count);
}

function sessionKey({ file, session }: SetSession): string {
  return `${file} ${session.id}`;
}

export function findingKey(session: SetSession, { rule, turn, evidence }: Finding): string {
  return `${sessionKey(session)} ${rule} ${turn + 1} ${evidence[0]?.pointer ?? ''}`;
}

function inDrawnOrder<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const keyed = items.map((item) => ({
    item,
    place: createHash('sha256')
      .update(`${SEED} ${keyOf(item)}`)
      .digest('hex'),
  }));
  return keyed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ item }) => item);
}
