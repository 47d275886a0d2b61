import { FORMATS } from '../formats/index.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { METRICS } from '../metrics/index.ts';
import { RULES } from '../rules/index.ts';
import type { Registry } from './check.ts';
import type { Configuration } from './schema.ts';

/** The names of this version. */
export const REGISTRY: Registry = { metrics: METRICS, rules: RULES, formats: FORMATS };

/** With the names that a configuration adds. */
export function registryFor({ custom }: Pick<Configuration, 'custom'>): Registry {
  return { ...REGISTRY, metrics: allMetrics(custom) };
}
