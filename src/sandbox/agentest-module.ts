/** The module that configurations of the Agentest tool import: its `defineConfig`, and the base classes of custom metrics. */
import { get, isObject } from '../core/json.ts';
import { ConversationMetric, describeMetric, QualitativeMetric, QuantitativeMetric } from './metric-classes.ts';

/** What configurations import. */
export const CONFIGURATION_EXPORTS = {
  defineConfig: (configuration: unknown) => configuration,
  QuantitativeMetric,
  QualitativeMetric,
  ConversationMetric,
};

/** The names under which it is published. */
export const AGENTEST_MODULES = { agentest: CONFIGURATION_EXPORTS, '@agentesting/agentest': CONFIGURATION_EXPORTS };

/** The default export of an Agentest configuration, with custom metrics as functions. Of an object that is none, the name. */
export function describeAgentestConfiguration(configuration: unknown): unknown {
  if (!isObject(configuration)) return configuration;
  const { customMetrics, ...rest } = configuration;
  if (!Array.isArray(customMetrics)) return { ...rest, ...(customMetrics === undefined ? {} : { customMetrics }) };
  const described = customMetrics.map((metric: unknown) => describeMetric(metric) ?? { name: get(metric, 'name') });
  return { ...rest, customMetrics: described };
}
