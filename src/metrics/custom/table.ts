import { METRICS } from '../index.ts';
import type { Metric } from '../metric.ts';
import type { CustomDefinition } from './definition.ts';
import { functionMetric } from './function-metric.ts';
import { type Functions, NOT_CALLED } from './functions.ts';
import { rubricMetric } from './rubric-metric.ts';

/** The metrics of this version, and those of a configuration behind them. Functions are called by whom is given. */
export function metricsWith(custom: readonly CustomDefinition[], functions: Functions = NOT_CALLED): readonly Metric[] {
  return custom.length === 0 ? METRICS : [...METRICS, ...custom.map((metric) => customMetric(metric, functions))];
}

export function customMetric(metric: CustomDefinition, functions: Functions = NOT_CALLED): Metric {
  const { evaluate, rubric = '' } = metric;
  return evaluate === undefined
    ? rubricMetric({ ...metric, rubric })
    : functionMetric({ ...metric, evaluate }, functions);
}
