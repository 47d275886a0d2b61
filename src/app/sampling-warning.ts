import type { Configuration } from '../config/schema.ts';
import { getNumber } from '../core/json.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { planMetrics } from '../engine/plan.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';

/** Warns if questions are sampled several times at a temperature that gives much the same answer each time. */
export function samplingWarning(configuration: Configuration): Problem[] {
  const { judge, custom } = configuration;
  if (judge.temperature > 0) return [];
  const { turn, session } = planMetrics(allMetrics(custom), configuration);
  const repeated = [...turn, ...session].flatMap(({ metric, options }) => {
    const times = metric.usesJudge ? (getNumber(options, 'samples') ?? judge.samples) : 1;
    return times > 1 ? [{ name: metric.name, times }] : [];
  });
  const [first, ...others] = repeated.toSorted((a, b) => b.times - a.times);
  if (!first) return [];
  const also = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const message = `${first.name}${also} is asked ${first.times} times at temperature 0, where the answers hardly differ. Set "judge": { "temperature": 0.7 }.`;
  return [createProblem('warning', 'alike-samples', '', message)];
}
