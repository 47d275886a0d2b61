import type { RecordedAgent, RecordedAttempt } from '../core/run-record.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { EarlierAttempt } from '../metrics/attempts/compared-sessions.ts';
import { attemptKey } from '../report-model/session-attempts.ts';
import { attemptGroup } from '../runs/record/session-row.ts';
import type { RunListing, RunStore } from '../runs/run-store.ts';

/** The newest comparable runs that are read. */
const MAX_RUNS = 20;
/** Attempts of one task: more of them change its agreement little. */
const MAX_ATTEMPTS = 10;
/** The newest runs among which comparable ones are looked for. */
const MAX_LISTED = 200;

interface EarlierAttemptsRequest {
  readonly store: RunStore;
  readonly project: string;
  /** ISO 8601; later runs do not count. */
  readonly startedAt: string;
  readonly agent: RecordedAgent;
  readonly outcomes: readonly SessionOutcome[];
}

/**
 * The newest attempts of the same tasks by the same version of the agent in earlier runs of the project. A session with the same
 * content is the same attempt, whichever runs have it. Runs that cannot be read have none.
 */
export async function findEarlierAttempts({
  store,
  project,
  startedAt,
  agent,
  outcomes,
}: EarlierAttemptsRequest): Promise<EarlierAttempt[]> {
  if (!isIdentified(agent)) return [];
  const own = outcomes.filter(({ facts }) => facts.changes !== undefined);
  const keys = new Map(own.map((outcome) => [attemptGroup(outcome) ?? '', attemptKey(outcome) ?? '']));
  keys.delete('');
  if (keys.size === 0) return [];
  const isComparable = ({ manifest, isGone }: RunListing) =>
    !isGone &&
    manifest.state === 'complete' &&
    // The run that its parts were merged into has the same sessions.
    !manifest.shard &&
    manifest.startedAt < startedAt &&
    manifest.agent.name === agent.name &&
    manifest.agent.version === agent.version &&
    isIdentified(manifest.agent);
  const runs = store.list({ project, limit: MAX_LISTED }).filter(isComparable).slice(0, MAX_RUNS);

  const seen = new Set(own.map(({ hashes }) => hashes?.content));
  const open = new Map(Array.from(keys.keys(), (group) => [group, MAX_ATTEMPTS]));
  const found: EarlierAttempt[] = [];
  for (const run of runs) {
    if (open.size === 0) break;
    for (const { content, task, attempt } of await store.attempts(run, new Set(open.keys())).catch(() => [])) {
      const left = open.get(attempt.group) ?? 0;
      if (left === 0 || seen.has(content)) continue;
      seen.add(content);
      if (left === 1) open.delete(attempt.group);
      else open.set(attempt.group, left - 1);
      found.push(toEarlierAttempt(attempt, keys.get(attempt.group) ?? '', task?.agent ?? null));
    }
  }
  return found;
}

/** Uncommitted changes can be others each time. */
function isIdentified({ version, versionFrom }: RecordedAgent): boolean {
  return version !== null && !(versionFrom === 'git' && version.endsWith('+changes'));
}

function toEarlierAttempt(
  { changes, unknownCalls, endedEarly, fingerprint }: RecordedAttempt,
  key: string,
  agent: string | null,
): EarlierAttempt {
  return {
    key,
    agent,
    facts: { unknownCalls, endedEarly, fingerprint },
    changes: changes.map(([change, tool, moreArguments]) => ({
      key: change,
      tool,
      arguments: [],
      moreArguments,
      turn: 0,
      pointer: '',
    })),
  };
}
