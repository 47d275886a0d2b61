import type {
  ComparabilityNote,
  Flip,
  PairedSession,
  RunComparison,
  SessionOfRuns,
} from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import { severityRank } from '../../core/severity.ts';
import { CORRECT, VERDICT } from './compared-settings.ts';
import { toPairedSession } from './paired-session.ts';
import type { SessionPair, TaskPair } from './pairing.ts';

/** What can be compared: another judge or other gates leave nothing to be said of a verdict. */
export interface ComparableStandings {
  readonly verdict: boolean;
  readonly outcome: boolean;
}

/** What has finished of an incomplete run is still a fact: only its means are withheld. */
export function comparableStandings(notes: readonly ComparabilityNote[]): ComparableStandings {
  const isCompared = (metric: string) => notes.every(({ withholds }) => !withholds.includes(metric));
  return { verdict: isCompared(VERDICT), outcome: isCompared(CORRECT) };
}

/** That no session of two runs changed; null where one did, and where none could be compared. */
export function unchangedText({
  flips,
  pairing,
  comparability,
  leaderboard,
}: Pick<RunComparison, 'flips' | 'pairing' | 'comparability' | 'leaderboard'>): string | null {
  if (leaderboard !== null || flips.length > 0 || pairing.sessions === 0) return null;
  const { outcome, verdict } = comparableStandings(comparability);
  const compared = [...(outcome ? ['outcome'] : []), ...(verdict ? ['verdict'] : [])];
  return compared.length === 0 ? null : `No session changed its ${compared.join(' or ')}.`;
}

/** The sessions whose outcome or verdict changed, the worst first. */
export function findFlips(tasks: readonly TaskPair[], comparable: ComparableStandings): Flip[] {
  const flips = tasks.flatMap((task) => {
    const attempts = countAttempts(task, comparable);
    const drop = attempts ? share(attempts.before) - share(attempts.after) : 0;
    return task.pairs.flatMap((pair) => {
      const direction = directionOf(pair, comparable);
      if (direction === null) return [];
      const flip: Flip = {
        task: task.task,
        direction,
        pairedBy: task.pairedBy,
        before: toPairedSession(pair.before),
        after: toPairedSession(pair.after),
        attempts,
      };
      return [{ flip, drop }];
    });
  });
  return flips
    .sort(
      (a, b) =>
        DIRECTIONS.indexOf(a.flip.direction) - DIRECTIONS.indexOf(b.flip.direction) ||
        b.drop - a.drop ||
        severityOf(b.flip) - severityOf(a.flip),
    )
    .map(({ flip }) => flip);
}

/**
 * The sessions of several runs whose outcome or verdict is not the same in all of them, those that fail in most runs first.
 *
 * @param pairings of the first run with each other one, over the tasks that all have, in the order of the first run.
 */
export function findChangedSessions(
  pairings: readonly (readonly TaskPair[])[],
  comparable: readonly ComparableStandings[],
): SessionOfRuns[] {
  const partners = pairings.map(
    (tasks) => new Map(tasks.flatMap(({ pairs }) => pairs.map(({ before, after }) => [before, after] as const))),
  );
  const changed = (pairings[0] ?? []).flatMap(({ task, before }) =>
    before.flatMap((row) => {
      const rows = [row, ...partners.map((after) => after.get(row) ?? null)];
      const differs = rows.some((one, first) =>
        rows.some((other, second) => {
          if (second <= first || !one || !other) return false;
          return directionOf({ before: one, after: other }, bothOf(comparable[first], comparable[second])) !== null;
        }),
      );
      return differs ? [{ task, sessions: rows.map((one) => one && toPairedSession(one)) }] : [];
    }),
  );
  const worst = ({ sessions }: SessionOfRuns) =>
    Math.max(-1, ...sessions.flatMap((session) => (session?.severity ? [severityRank(session.severity)] : [])));
  const failures = ({ sessions }: SessionOfRuns) => sessions.filter((one) => one && hasFailed(one)).length;
  return changed.sort((a, b) => failures(b) - failures(a) || worst(b) - worst(a));
}

/** The outcome says more than the verdict. */
export function hasFailed({ outcome, verdict }: Pick<PairedSession, 'outcome' | 'verdict'>): boolean {
  return outcome === 'failed' || (outcome === 'unknown' && verdict === 'failed');
}

function bothOf(first: ComparableStandings | undefined, second: ComparableStandings | undefined): ComparableStandings {
  return {
    verdict: (first?.verdict ?? true) && (second?.verdict ?? true),
    outcome: (first?.outcome ?? true) && (second?.outcome ?? true),
  };
}

const DIRECTIONS: readonly Flip['direction'][] = ['worse', 'unclear', 'better'];

/** The outcome says more than the verdict, which depends on gates. */
function directionOf({ before, after }: SessionPair, comparable: ComparableStandings): Flip['direction'] | null {
  const changes = [
    ...(comparable.outcome ? [{ old: before.outcome.status, now: after.outcome.status, good: 'succeeded' }] : []),
    ...(comparable.verdict ? [{ old: before.verdict, now: after.verdict, good: 'passed' }] : []),
  ].filter(({ old, now }) => old !== now);
  const known = changes.find(({ old, now }) => isKnown(old) && isKnown(now));
  if (known) return known.now === known.good ? 'better' : 'worse';
  return changes.length === 0 ? null : 'unclear';
}

function isKnown(state: string): boolean {
  return state !== 'unknown' && state !== 'undecided';
}

function severityOf({ after: { severity } }: Flip): number {
  return severity === null ? -1 : severityRank(severity);
}

type Count = NonNullable<Flip['attempts']>['before'];

function countAttempts({ before, after }: TaskPair, comparable: ComparableStandings): Flip['attempts'] {
  if (before.length < 2 && after.length < 2) return null;
  return { before: countCorrect(before, comparable), after: countCorrect(after, comparable) };
}

/** Of the attempts that are known to be correct or not; by their verdicts where nothing else says so. */
function countCorrect(rows: readonly RecordedSession[], comparable: ComparableStandings): Count {
  const known = rows.flatMap((row) => {
    if (comparable.outcome && row.correct !== null) return [row.correct];
    return comparable.verdict && row.verdict !== 'undecided' ? [row.verdict === 'passed'] : [];
  });
  return { correct: known.filter(Boolean).length, of: known.length };
}

function share({ correct, of }: Count): number {
  return of === 0 ? 0 : correct / of;
}
