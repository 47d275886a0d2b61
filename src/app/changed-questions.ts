import type { RunManifest } from '../core/run-record.ts';
import { questionsChangedIn } from '../runs/compare/judge-differences.ts';
import type { RunStore } from '../runs/run-store.ts';

/** What a run asks its judge otherwise than the last complete run of its project with the same judge. */
export interface ChangedQuestions {
  /** The id of that run. */
  readonly since: string;
  /** The metrics whose question or instructions changed; never empty. */
  readonly metrics: readonly string[];
  /** What that run needed, cached answers included. Questions share calls, so as many may have to be made again. */
  readonly calls: number;
  readonly sessions: number;
}

/** How many earlier runs are looked at. */
const MAX_RUNS = 50;

/** Null where nothing changed, where there is no such run, and where it cannot be read. */
export async function findChangedQuestions(
  store: Pick<RunStore, 'list' | 'find'>,
  { project, plan, questions }: Pick<RunManifest, 'project' | 'plan' | 'questions'>,
): Promise<ChangedQuestions | null> {
  const { judge } = plan;
  if (!judge) return null;
  const last = store.list({ project, limit: MAX_RUNS }).find(({ manifest, isGone }) => {
    const isSame = manifest.judge?.provider === judge.provider && manifest.judge.model === judge.model;
    return isSame && !isGone && manifest.state === 'complete' && !manifest.shard;
  });
  if (!last) return null;
  try {
    const { manifest } = await store.find(last.manifest.id, project);
    const metrics = questionsChangedIn(manifest, { questions }, Object.keys(questions));
    const { usage, sessions = 0 } = manifest.totals ?? {};
    if (metrics.length === 0 || !usage) return null;
    return { since: manifest.id, metrics, calls: usage.judgeCalls + usage.judgeCallsCached, sessions };
  } catch {
    return null;
  }
}
