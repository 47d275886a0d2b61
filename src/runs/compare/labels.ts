import type { RunManifest } from '../../core/run-record.ts';

/** What views call runs: by name, else the agent's version, else branch and commit, else the time; never two by the same. */
export function labelRuns(runs: readonly RunManifest[]): string[] {
  const labels = runs.map(labelOf);
  return labels.map((label, index) =>
    labels.some((other, at) => at !== index && other === label) ? `${label} (run ${index + 1})` : label,
  );
}

function labelOf({ name, agent, git, startedAt }: RunManifest): string {
  if (name !== undefined) return name;
  // A version from git is a commit, which is shorter beside its branch.
  const version = agent.versionFrom === 'git' ? null : agent.version;
  const agentName = [agent.name, version].filter((part) => part !== null).join(' ');
  if (agentName !== '') return agentName;
  if (git) return [git.branch, commitOf(git)].filter((part) => part !== null).join('@');
  return startedAt.slice(0, 16).replace('T', ' ');
}

/** Fewer characters may be a version that only looks like the beginning of the commit. */
const MIN_COMMIT = 7;

/** The version of the agent; null where it is the commit, which stands beside it. */
export function ownVersion(version: string | null, git: RunManifest['git']): string | null {
  const commit = version?.replace(/\+changes$/, '') ?? '';
  return commit.length >= MIN_COMMIT && git?.commit.startsWith(commit) ? null : version;
}

/** `3f2a9c1`, or `3f2a9c1+changes`: the commit alone does not say what was evaluated then. */
export function commitOf({ commit, dirty }: NonNullable<RunManifest['git']>): string {
  return `${commit.slice(0, 7)}${dirty ? '+changes' : ''}`;
}
