import { get, getArray, getString } from '../core/json.ts';
import { CUSTOM_SCALES, customSchema } from '../metrics/custom/definition-schema.ts';
import { createCustomMetric } from '../metrics/custom/metric-table.ts';
import type { Metric } from '../metrics/metric.ts';

/**
 * The metrics that a raw configuration can name: the built-in ones and its own. Invalid custom metrics are included, so
 * that one mistake is reported once.
 */
export function addCustomMetrics(metrics: readonly Metric[], configuration: unknown): readonly Metric[] {
  const written = getArray(configuration, 'custom') ?? [];
  return written.length === 0 ? metrics : [...metrics, ...written.flatMap((entry) => parseCustomMetric(entry) ?? [])];
}

export function parseCustomMetric(entry: unknown): Metric | null {
  const parsed = customSchema.safeParse(entry);
  if (parsed.success) return createCustomMetric(parsed.data);
  const name = getString(entry, 'name');
  if (name === undefined) return null;
  const scope = get(entry, 'scope') === 'session' ? 'session' : 'turn';
  const written = get(entry, 'scale');
  const scale = written === undefined ? 'likert' : CUSTOM_SCALES.find((name) => name === written);
  const metric = createCustomMetric({ name, scope, scale: scale ?? 'likert', optIn: false, rubric: name });
  // With an invalid scale, no threshold is too high.
  return scale === undefined ? { ...metric, scale: 'count' } : metric;
}

/** The labels that custom metrics can give a turn, and that can be failures. */
export function customTurnLabels(configuration: unknown): readonly string[] {
  return (getArray(configuration, 'custom') ?? []).flatMap((entry) => {
    const labels = get(entry, 'scope') === 'session' ? [] : (getArray(entry, 'labels') ?? []);
    return labels.flatMap((label) => (typeof label === 'string' ? label : []));
  });
}
