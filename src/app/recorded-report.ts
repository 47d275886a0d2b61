import type { Report } from '../core/report.ts';
import type { RunManifest } from '../core/run-record.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import { reduceOutcomes, toSessionReport } from '../engine/reduce.ts';
import { METRICS } from '../metrics/index.ts';
import { completeReport } from '../runs/record/report-lines.ts';
import type { RunRecord } from '../runs/run-store.ts';

/**
 * The report of a recorded run: the same that was written when it ended. Of a run that was killed, and of records of older
 * versions, it is made from the sessions, without metrics of tasks that are not built in.
 *
 * @param storage where the results of many sessions are put aside; the report can be read as long as it is there
 */
export async function reportOfRecord(record: RunRecord, storage: OutcomeStorage): Promise<Report> {
  const recorded = await record.report();
  const outcomes: SessionOutcome[] = [];
  for await (const outcome of record.sessions()) {
    const changed = recorded?.sessions[outcomes.length]?.metrics;
    const reported = changed ? { ...outcome, metrics: { ...outcome.metrics, ...changed } } : outcome;
    outcomes.push(storage.put(reported));
  }
  if (recorded?.sessions.every(({ id }, at) => outcomes[at]?.id === id)) {
    const sessions = recorded.sessions.flatMap(({ undecided = [], ...rest }, at) => {
      const outcome = outcomes[at];
      return outcome ? toSessionReport(outcome, { ...rest, undecided }) : [];
    });
    const report = completeReport(recorded, sessions, outcomes);
    if (report) return report;
  }
  return await reduceAfresh(record.manifest, outcomes, storage);
}

async function reduceAfresh(
  { plan: { metrics, ...plan }, state, durationMs }: RunManifest,
  outcomes: readonly SessionOutcome[],
  storage: OutcomeStorage,
): Promise<Report> {
  const builtIn = new Set(METRICS.map(({ name }) => name));
  const known = { ...plan, metrics: metrics.filter(({ name }) => builtIn.has(name)), boundaryKey: null };
  return await reduceOutcomes(known, outcomes, {
    totals: {
      sessions: outcomes.length,
      unfinishedFile: null,
      complete: state === 'complete',
      durationMs: durationMs ?? 0,
    },
    metrics: METRICS,
    judge: null,
    storage,
    locate: () => new Map(),
    usageBeside: () => [],
    problems: [],
  });
}
