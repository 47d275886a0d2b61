import type { TaskSummary } from '../core/report.ts';
import { attemptStatistics } from '../metrics/attempts/attempt-statistics.ts';
import type { TaskGroup } from './attempts.ts';
import type { MetricPlan } from './plan.ts';

/** One score has neither a spread nor an interval. */
const MIN_SCORES = 2;

/** What each metric that was selected scored over the attempts of a scenario. */
export function taskStatistics({ attempts }: TaskGroup, { turn, session }: MetricPlan): TaskSummary['statistics'] {
  const entries = [...turn, ...session].flatMap(({ metric: { name }, template: frame }) => {
    if (frame.implied) return [];
    const scores = attempts.flatMap((attempt) => {
      const result = attempt.result(name);
      return result?.status === 'scored' && result.score !== null ? [result.score] : [];
    });
    const statistics = scores.length < MIN_SCORES ? null : attemptStatistics(scores);
    return statistics ? [[name, statistics] as const] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
