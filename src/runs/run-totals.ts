import { createHash } from 'node:crypto';
import type { Report } from '../core/report.ts';
import type { RecordedSession, RunTotals } from '../core/run-record.ts';
import { coverage } from '../core/scoring.ts';

/** What lists of runs show of a run. @param rows of its sessions */
export function runTotals(report: Report, rows: readonly RecordedSession[]): RunTotals {
  const { scored, of } = coverage(resultsOf(report));
  return {
    sessions: rows.length,
    turns: sum(rows.map(({ turns }) => turns)),
    tasks: report.scenarios.length,
    verdict: report.verdict,
    outcomes: report.outcomes,
    verdicts: countVerdicts(rows),
    problems: countBy(report.failures.flatMap(({ occurrences }) => occurrences.map(({ severity }) => severity))),
    coverage: of === 0 ? null : scored / of,
    usage: report.run.usage,
    means: meansOf(rows),
  };
}

/** The same for runs over the same tasks: of each its id, or what the user of a session without a task wrote. */
export function tasksHash(rows: readonly RecordedSession[]): string {
  const tasks = rows.map(({ task, inputs }) => (task ? JSON.stringify([task.dataset, task.id]) : inputs));
  const hash = createHash('sha256');
  for (const task of [...new Set(tasks)].sort()) hash.update(`${task}\n`);
  return hash.digest('hex').slice(0, 32);
}

function* resultsOf({ sessions }: Report) {
  for (const { metrics, turns } of sessions) {
    yield* Object.values(metrics);
    for (const turn of turns) yield* Object.values(turn.metrics);
  }
}

function meansOf(rows: readonly RecordedSession[]): RunTotals['means'] {
  const sums = new Map<string, { sum: number; n: number }>();
  for (const { scores } of rows) {
    for (const [metric, score] of Object.entries(scores)) {
      const { sum, n } = sums.get(metric) ?? { sum: 0, n: 0 };
      sums.set(metric, { sum: sum + score, n: n + 1 });
    }
  }
  return Object.fromEntries(Array.from(sums, ([metric, { sum, n }]) => [metric, { mean: sum / n, n }]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function countVerdicts(rows: readonly RecordedSession[]): RunTotals['verdicts'] {
  const counts = { passed: 0, failed: 0, undecided: 0 };
  for (const { verdict } of rows) counts[verdict] += 1;
  return counts;
}

function countBy(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}
