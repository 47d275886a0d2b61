import type { Baseline } from '../../core/baseline.ts';
import type { RecordedRun, RunManifest } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { type Remedies, terminalRemedies } from '../remedies.ts';
import { runIdentity } from './identity.ts';
import { runFigures, writeTask } from './run-figures.ts';

export interface AcceptOptions {
  /** Why these figures are good enough. */
  readonly reason: string;
  /** Today, as in 2026-11-23. */
  readonly today: string;
  /** The quarantine of the baseline that it replaces. */
  readonly quarantine?: Baseline['quarantine'];
}

/** The baseline that a run makes. Ask `missingForBaseline` first. */
export function acceptBaseline(run: RecordedRun, { reason, today, quarantine }: AcceptOptions): Baseline {
  const { manifest } = run;
  const { columns, tasks } = runFigures(run);
  return {
    schemaVersion: 1,
    reason,
    accepted: today,
    run: {
      id: manifest.id,
      startedAt: manifest.startedAt,
      agent: { name: manifest.agent.name, version: manifest.agent.version },
      commit: manifest.git?.commit ?? null,
    },
    identity: runIdentity(manifest, [...columns.passed, ...columns.means]),
    columns,
    ...(quarantine ? { quarantine } : {}),
    tasks: Object.fromEntries([...tasks].map(([name, figures]) => [name, writeTask(figures, columns)])),
  };
}

/** Why a run cannot be a baseline, each a sentence with its remedy; empty if it can. */
export function missingForBaseline(
  { state, git, agent, totals, stoppedBy, shard }: RunManifest,
  { finish, nameVersion }: Remedies = terminalRemedies,
): string[] {
  const missing: string[] = [];
  if (shard)
    missing.push(
      `The run is shard ${shard.index} of ${shard.of}. Accept what \`turnwise merge\` makes of all of them.`,
    );
  if (state !== 'complete') {
    const why = stoppedBy === undefined ? '' : `: ${stoppedBy.replace(/\.$/, '')}`;
    missing.push(`The run is not complete${why}. ${finish}`);
  } else if (totals === null || totals.sessions === 0) {
    missing.push('The run has no session.');
  } else if (totals.verdicts.undecided > 0) {
    const { undecided } = totals.verdicts;
    missing.push(
      `${undecided} of ${pluralize(totals.sessions, 'session')} ${undecided === 1 ? 'is' : 'are'} undecided. Evaluate again, so that no result is missing.`,
    );
  }
  if (git?.dirty) {
    missing.push(
      'The work tree had uncommitted changes, so that no commit has this agent. Commit, and evaluate again.',
    );
  }
  if (!git && agent.version === null) {
    missing.push(`Nothing says which version of the agent ran. ${nameVersion}`);
  }
  return missing;
}
