import type { RunManifest } from '../../core/run-record.ts';
import { shortRunId } from '../run-label.ts';

/**
 * What views call runs: by name, else the agent's version, else branch and commit, else the time. Runs that would be called the
 * same have their id too, and their position where it is the same run.
 */
export function labelRuns(runs: readonly RunManifest[]): string[] {
  const labels = makeUnique(runs.map(labelOf), (label, index) => `${label} (${shortRunId(runs[index]?.id ?? '')})`);
  return makeUnique(labels, (label, index) => `${label} (run ${index + 1})`);
}

function makeUnique(labels: readonly string[], extend: (label: string, index: number) => string): string[] {
  return labels.map((label, index) =>
    labels.some((other, at) => at !== index && other === label) ? extend(label, index) : label,
  );
}

function labelOf({ name, agent, git, startedAt }: RunManifest): string {
  if (name !== undefined) return name;
  // A version from git is a commit, which is shorter beside its branch.
  const agentText = agentLabel(agent.name, agent.versionFrom === 'git' ? null : agent.version);
  if (agentText !== null) return agentText;
  if (git) return [git.branch, commitOf(git)].filter((part) => part !== null).join('@');
  return startedAt.slice(0, 16).replace('T', ' ');
}

/** `shop 2`; `version 2` where the agent has no name, since a number alone names nothing; null where neither is known. */
export function agentLabel(name: string | null, version: string | null): string | null {
  if (name === null) return version !== null && /^v?\d/i.test(version) ? `version ${version}` : version;
  return version === null ? name : `${name} ${version}`;
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
