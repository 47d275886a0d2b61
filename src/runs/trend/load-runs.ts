import type { RecordedRun } from '../../core/run-record.ts';
import type { RunListing, RunStore } from '../run-store.ts';

/** Which runs of a project a trend is over. */
export interface RunSelection {
  readonly project: string;
  /** The newest so many. */
  readonly limit: number;
  /** Only those that began at this time or later, ISO 8601. */
  readonly since?: string;
  /** Only those that began at this time or earlier, ISO 8601. */
  readonly until?: string;
  readonly branch?: string;
  readonly agentVersion?: string;
}

export interface SelectedRuns {
  /** Complete, the oldest first. */
  readonly runs: readonly RecordedRun[];
  /** How many of the selected period are not complete. */
  readonly incomplete: number;
}

/** The runs that a trend shows unless its user says otherwise. */
export const TREND_RUNS = 30;

const PAGE = 200;

/** Reads the newest complete runs of a project. */
export async function loadRuns(store: RunStore, selection: RunSelection): Promise<SelectedRuns> {
  const chosen: RunListing[] = [];
  let incomplete = 0;
  for (let offset = 0; chosen.length < selection.limit; offset += PAGE) {
    const page = store.list({ project: selection.project, offset, limit: PAGE });
    for (const listing of page) {
      if (chosen.length >= selection.limit || !isSelected(listing, selection)) continue;
      if (listing.manifest.state === 'complete') chosen.push(listing);
      else incomplete += 1;
    }
    if (page.length < PAGE) break;
  }
  const runs: RecordedRun[] = [];
  for (const { manifest } of chosen.reverse()) {
    // A record that is gone, or that cannot be read, is no reason to show nothing.
    const run = await readRun(store, manifest.id, selection.project).catch(() => null);
    if (run) runs.push(run);
  }
  return { runs, incomplete };
}

async function readRun(store: RunStore, id: string, project: string): Promise<RecordedRun> {
  const record = await store.find(id, project);
  return { manifest: record.manifest, rows: await record.rows() };
}

/** A part of a run is none that others are compared with. */
function isSelected({ manifest }: RunListing, { since, until, branch, agentVersion }: RunSelection): boolean {
  if (manifest.shard) return false;
  if (since !== undefined && manifest.startedAt < since) return false;
  if (until !== undefined && manifest.startedAt > until) return false;
  if (branch !== undefined && manifest.git?.branch !== branch) return false;
  return agentVersion === undefined || manifest.agent.version === agentVersion;
}
