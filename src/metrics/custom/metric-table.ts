import { METRICS } from '../index.ts';
import type { Metric } from '../metric.ts';
import type { CustomDefinition } from './definition.ts';
import { functionMetric } from './function-metric.ts';
import { type FunctionRunner, NO_FUNCTIONS } from './function-runner.ts';
import { rubricMetric } from './rubric-metric.ts';

/** The metrics of this version, and those of a configuration behind them. Functions are called by whom is given. */
export function allMetrics(
  custom: readonly CustomDefinition[],
  functions: FunctionRunner = NO_FUNCTIONS,
): readonly Metric[] {
  return custom.length === 0 ? METRICS : [...METRICS, ...custom.map((metric) => createCustomMetric(metric, functions))];
}

export function createCustomMetric(metric: CustomDefinition, functions: FunctionRunner = NO_FUNCTIONS): Metric {
  const { evaluate, rubric = '' } = metric;
  return evaluate === undefined
    ? rubricMetric({ ...metric, rubric })
    : functionMetric({ ...metric, evaluate }, functions);
}
