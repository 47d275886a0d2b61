import { type FunctionRunner, NO_FUNCTIONS } from '../../sandbox/function-runner.ts';
import { METRICS } from '../index.ts';
import type { Metric } from '../metric.ts';
import type { CustomDefinition } from './definition.ts';
import { functionMetric } from './function-metric.ts';
import { rubricMetric } from './rubric-metric.ts';

/** Turnwise's own metrics, followed by those of a configuration. */
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
