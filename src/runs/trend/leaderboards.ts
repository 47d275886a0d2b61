import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import type { Leaderboard, RiskySession, UnreliableTask } from '../../core/run-trend.ts';
import { severityRank } from '../../core/severity.ts';
import { HEADLINE_KINDS } from '../../core/statuses.ts';
import { SESSION_RISK } from '../../report-model/metric-results.ts';
import { wilsonInterval } from '../../stats/intervals.ts';
import { tasksOfRuns } from '../compare/pairing.ts';

/** As long as a person reads. */
const LENGTH = 20;

/**
 * The riskiest sessions of the newest run, and the least reliable tasks of all runs.
 *
 * @param runs the oldest first.
 */
export function leaderboardOf(runs: readonly RecordedRun[]): Leaderboard {
  const newest = runs.at(-1);
  return {
    schemaVersion: 1,
    sessions: newest ? riskiestSessions(newest) : [],
    tasks: leastReliableTasks(runs),
  };
}

/** Sessions with something against them: failed ones first, then by risk, then by problems. */
function riskiestSessions({ manifest, rows }: RecordedRun): RiskySession[] {
  return rows
    .filter(
      ({ headline, scores }) => headline.kind !== 'succeeded' && (headline.kind !== 'clean' || riskOf(scores) !== null),
    )
    .toSorted(
      (a, b) =>
        HEADLINE_KINDS.indexOf(a.headline.kind) - HEADLINE_KINDS.indexOf(b.headline.kind) ||
        (riskOf(b.scores) ?? -1) - (riskOf(a.scores) ?? -1) ||
        rankOf(b) - rankOf(a) ||
        (a.id < b.id ? -1 : 1),
    )
    .slice(0, LENGTH)
    .map(({ id, file, line, headline, task, verdict, severity, scores }) => ({
      id,
      file,
      line,
      headline,
      run: manifest.id,
      task: task?.id ?? null,
      verdict,
      risk: riskOf(scores),
      severity,
    }));
}

function rankOf({ severity }: RecordedSession): number {
  return severity === null ? -1 : severityRank(severity);
}

function riskOf({ [SESSION_RISK]: risk }: RecordedSession['scores']): number | null {
  return risk ?? null;
}

/**
 * Tasks with an attempt that was not correct, by the upper end of the interval of their success: a task that failed once in
 * one attempt is not known to be worse than one that failed nine times in ten.
 */
function leastReliableTasks(runs: readonly RecordedRun[]): UnreliableTask[] {
  const found = new Map<
    string,
    { name: string; attempts: { readonly run: string; readonly row: RecordedSession }[]; flaky: boolean }
  >();
  for (const [index, tasks] of tasksOfRuns(runs.map(({ rows }) => rows)).entries()) {
    const run = runs[index]?.manifest.id ?? '';
    for (const [key, { task, sessions }] of tasks) {
      const known = sessions.filter(({ correct }) => correct !== null);
      if (task === null || known.length === 0) continue;
      const entry = found.get(key) ?? { name: task, attempts: [], flaky: false };
      found.set(key, entry);
      entry.name = task;
      entry.flaky ||= known.some(({ correct }) => correct) && known.some(({ correct }) => !correct);
      entry.attempts.push(...known.map((row) => ({ run, row })));
    }
  }
  return [...found.values()]
    .flatMap(({ name, attempts, flaky }): UnreliableTask[] => {
      const failed = attempts.findLast(({ row }) => row.correct === false);
      if (!failed) return [];
      const { id, file, line } = failed.row;
      const correct = attempts.filter(({ row }) => row.correct).length;
      return [
        {
          task: name,
          runs: new Set(attempts.map(({ run }) => run)).size,
          attempts: attempts.length,
          correct,
          interval: [...wilsonInterval(correct, attempts.length)],
          flaky,
          example: { run: failed.run, id, file, line },
        },
      ];
    })
    .toSorted((a, b) => a.interval[1] - b.interval[1] || b.attempts - a.attempts || (a.task < b.task ? -1 : 1))
    .slice(0, LENGTH);
}
