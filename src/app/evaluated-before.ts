import { errorMessage } from '../core/error-message.ts';
import type { Report } from '../core/report.ts';
import type { RunManifest } from '../core/run-record.ts';
import type { Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import { isNothingNew } from '../runs/nothing-new.ts';
import type { RunStore } from '../runs/run-store.ts';

/** What runs of a project evaluated, to leave it out of the next one. */
export interface EvaluatedBefore {
  /** The newest of these runs; null where there is none. */
  readonly run: Pick<RunManifest, 'id' | 'startedAt'> | null;
  /** Counts the session if one of them decided about it, as it is now. */
  readonly has: (session: Session) => boolean;
  /** How many sessions `has` has found. */
  readonly count: number;
}

/**
 * Reads which sessions a run of the project, and those before it, evaluated. What a run left undecided, such as sessions that its
 * judge did not answer about, is evaluated again.
 *
 * @param reference as a user names a run; null: the last one, if there is any. @throws Error with a sentence if there is no such run
 */
export async function readEvaluatedBefore(
  store: RunStore,
  project: string,
  { reference, warn }: { readonly reference: string | null; readonly warn: (sentence: string) => void },
): Promise<EvaluatedBefore> {
  const runs = store.list({ project });
  const found = reference === null ? null : await store.find(reference, project);
  const run = found?.manifest ?? runs[0]?.manifest ?? null;
  const known = new Set<string>();
  const add = async (open: () => Promise<Pick<NonNullable<typeof found>, 'rows'>>) => {
    for (const { content, verdict } of await (await open()).rows()) if (verdict !== 'undecided') known.add(content);
  };
  if (found) await add(async () => found);
  for (const { manifest, isGone } of runs) {
    if (isGone || run === null || manifest.startedAt > run.startedAt || manifest.id === found?.manifest.id) continue;
    try {
      await add(() => store.find(manifest.id, project));
    } catch (error) {
      warn(errorMessage(error));
    }
  }
  let count = 0;
  return {
    run,
    has: (session) => {
      if (!known.has(sessionHashes(session).content)) return false;
      count += 1;
      return true;
    },
    get count() {
      return count;
    },
  };
}

/** The report with what was left out. Where nothing is new, there is nothing to gate, and the run passes. */
export function reportSince(report: Report, { run, count }: EvaluatedBefore): Report {
  if (run === null) return report;
  const since = { ...report, run: { ...report.run, sinceRun: { id: run.id, leftOut: count } } };
  return isNothingNew(since) ? { ...since, verdict: 'passed', gates: [], undecided: [] } : since;
}
