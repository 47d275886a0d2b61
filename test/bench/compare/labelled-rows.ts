import type { RecordedSession, RunManifest } from '../../../src/core/run-record.ts';
import { evaluate } from '../../../src/index.ts';
import { sessionFacts } from '../../../src/metrics/shared/session-facts.ts';
import { runOfReport } from '../../../src/runs/compare/report-run.ts';
import { labelledSets } from '../validity/labelled-sets.ts';

/** Sessions that are alike but for chance: those of one task, or where it has too few, of one agent in one domain. */
export type Cell = readonly RecordedSession[];

export interface LabelledRows {
  readonly manifest: RunManifest;
  readonly cells: readonly Cell[];
  /** The sessions of each task, whichever agent made them: some always succeed, some never, most at times. */
  readonly tasks: readonly Cell[];
  readonly sessions: number;
}

/** A cell gives this many attempts to each of two runs. */
const SMALLEST = 8;
/** Fewer sessions of a task say too little of how often it succeeds. */
const SMALLEST_TASK = 4;

/** The labelled sessions, evaluated by rules; null where the data is not there. */
export async function labelledRows(): Promise<LabelledRows | null> {
  const sets = await labelledSets();
  if (!sets) return null;
  const report = await evaluate(
    sets.map(({ session }) => session),
    {},
  );
  const run = runOfReport(JSON.parse(JSON.stringify(report)), 'labelled');
  if (!run) throw new Error('The report cannot be read.');
  const keyed = sets.flatMap(({ set, domain, task, session, failed }, index) => {
    const reported = run.rows[index];
    if (reported?.id !== session.id) throw new Error(`Session ${index} is not the one that was evaluated.`);
    const { tokens, cost, durationMs } = sessionFacts(session);
    const row: RecordedSession = {
      ...reported,
      correct: !failed,
      outcome: { status: failed ? 'failed' : 'succeeded', source: 'recorded' },
      tokens,
      cost: cost ?? null,
      durationMs,
    };
    return [{ set, task: `${set}, ${task}`, domainTask: `${domain} ${task}`, row }];
  });
  const cells = Array.from(Map.groupBy(keyed, ({ set }) => set).values()).flatMap((ofSet): Cell[] => {
    const tasks = [...Map.groupBy(ofSet, ({ task }) => task).values()];
    const large = tasks.filter((ofTask) => ofTask.length >= SMALLEST);
    const rest = tasks.filter((ofTask) => ofTask.length < SMALLEST).flat();
    return [...large, ...(rest.length >= SMALLEST ? [rest] : [])].map((ofCell) => ofCell.map(({ row }) => row));
  });
  const tasks = [...Map.groupBy(keyed, ({ domainTask }) => domainTask).values()]
    .filter(({ length }) => length >= SMALLEST_TASK)
    .map((ofTask) => ofTask.map(({ row }) => row));
  return { manifest: run.manifest, cells, tasks, sessions: cells.reduce((sum, { length }) => sum + length, 0) };
}
