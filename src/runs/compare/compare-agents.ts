import type { Report } from '../../core/report.ts';
import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import { compareMetrics } from './compare-metrics.ts';
import { figuresOf } from './figures.ts';
import { pairRuns } from './pairing.ts';

/**
 * Compares agents on the tasks of one run, each with the first of them, as runs are compared: `before` is of the first agent.
 *
 * @param agents at least two.
 */
export function compareAgentsOfRun(run: RecordedRun, agents: readonly string[]): NonNullable<Report['agents']> {
  const [base = '', ...others] = agents;
  const figures = figuresOf([run]);
  const before = rowsOf(run, base);
  return {
    base,
    others: others.map((agent) => {
      const after = rowsOf(run, agent);
      const sessions = [...before, ...after];
      return {
        agent,
        metrics: compareMetrics(pairRuns(before, after).tasks, figures, [], { sessions, isUnchanged: false }),
      };
    }),
  };
}

/** One scenario is one task, whatever its simulated users write. */
function rowsOf({ rows }: RecordedRun, agent: string): RecordedSession[] {
  return rows.flatMap((row) => (row.task?.agent === agent ? [{ ...row, inputs: '', content: '' }] : []));
}
