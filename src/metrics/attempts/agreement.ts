/** What an attempt is compared by. */
export interface ComparedAttempt {
  /** Keys of what it changed; equal for the same change. */
  readonly changes: readonly string[];
  /** Which agent made it; null where the trace does not say. */
  readonly agent?: string | null;
  /** The same for one session that was read twice: it counts once. */
  readonly fingerprint?: string;
  /** It was stopped before it could finish: it is compared with the others, and none of them with it. */
  readonly endedEarly?: boolean;
  /** An earlier run has it: it is not asked about itself. */
  readonly isEarlier?: boolean;
}

/** How an attempt stands to the others of its task. */
export interface AttemptStanding {
  /** The other attempts that it is compared with; 0: there is nothing to compare. */
  readonly others: number;
  /** How many of them are from earlier runs. */
  readonly earlier: number;
  /** How many of them are the same agent's; null where the trace does not name it. */
  readonly sameAgent: number | null;
  /** Whether others are compared with it: it did not end early. */
  readonly isVoter: boolean;
  /** The share of the others that made the same changes; null without others. */
  readonly share: number | null;
  /** Of all changes of it and of each other, the share that both made; null without others. */
  readonly overlap: number | null;
  /** Whether any attempt of the task changed something. Attempts that only read agree, which says little. */
  readonly anyChanges: boolean;
  /** What most of the others did; null without others. */
  readonly majority: { readonly count: number; readonly attempt: number; readonly isOwn: boolean } | null;
}

/** Stands for having changed nothing. */
const NOTHING = '';

/**
 * Compares each attempt of a task with the others, by what they changed. Linear in the number of changes.
 *
 * @param attempts those of earlier runs last: examples come from this run where possible.
 * @returns one entry per attempt, in their order.
 */
export function agreements(attempts: readonly ComparedAttempt[]): AttemptStanding[] {
  const sets = attempts.map(({ changes }) => [...new Set(changes.length === 0 ? [NOTHING] : changes)].sort());
  const setKeys = sets.map((set) => set.join('\n'));
  const voters = findVoters(attempts);
  const voterIndexes = [...new Set(voters)].filter((index) => index !== null);
  const sizes = voterIndexes.reduce((sum, index) => sum + (sets[index]?.length ?? 0), 0);
  const votesOfChange = countBy(voterIndexes.flatMap((index) => sets[index] ?? []));
  const votesOfAgent = countBy(voterIndexes.map((index) => attempts[index]?.agent ?? null));
  const votesOfSet = Map.groupBy(voterIndexes, (index) => setKeys[index] ?? '');
  // An attempt that is left out can take one vote from the largest.
  const largest = [...votesOfSet].sort(([, a], [, b]) => b.length - a.length).slice(0, 2);
  const earlier = voterIndexes.filter((index) => attempts[index]?.isEarlier).length;
  const anyChanges = sets.some(([first]) => first !== NOTHING);

  return attempts.map(({ agent = null }, index): AttemptStanding => {
    const set = sets[index] ?? [];
    const own = voters[index] === null ? 0 : 1;
    const others = voterIndexes.length - own;
    const sameAgent = agent === null ? null : (votesOfAgent.get(agent) ?? 0) - own;
    const isVoter = own === 1;
    const standing = { others, earlier, sameAgent, isVoter, anyChanges };
    if (others === 0) return { ...standing, share: null, overlap: null, majority: null };
    const key = setKeys[index] ?? '';
    const same = (votesOfSet.get(key)?.length ?? 0) - own;
    const shared = set.reduce((sum, change) => sum + (votesOfChange.get(change) ?? 0) - own, 0);
    const all = others * set.length + sizes - own * set.length - shared;
    const [majority] = largest
      .map(([ofSet, votes]) => ({
        count: votes.length - (ofSet === key ? own : 0),
        attempt: votes.find((vote) => vote !== voters[index]) ?? index,
        isOwn: ofSet === key,
      }))
      .sort((a, b) => b.count - a.count);
    return { ...standing, share: same / others, overlap: shared / all, majority: majority ?? null };
  });
}

/** For each attempt the one that votes for it: itself, or the same session; null if it ended early. */
function findVoters(attempts: readonly ComparedAttempt[]): (number | null)[] {
  const first = new Map<string, number>();
  return attempts.map(({ fingerprint, endedEarly }, index) => {
    if (endedEarly) return null;
    if (fingerprint === undefined) return index;
    const known = first.get(fingerprint);
    if (known === undefined) first.set(fingerprint, index);
    return known ?? index;
  });
}

function countBy<Value>(values: readonly Value[]): Map<Value, number> {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
