import { FORMATS } from '../formats/index.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { METRICS } from '../metrics/index.ts';
import { RULES } from '../rules/index.ts';
import type { Registry } from './check.ts';
import type { Configuration } from './schema.ts';

/** The built-in metrics, rules and formats. */
export const REGISTRY: Registry = { metrics: METRICS, rules: RULES, formats: FORMATS };

/** The registry with a configuration's own metrics. */
export function registryFor({ custom }: Pick<Configuration, 'custom'>): Registry {
  return { ...REGISTRY, metrics: allMetrics(custom) };
}
