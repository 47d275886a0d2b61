import { UNKNOWN_METRIC } from '../core/problem.ts';
import type { Metric } from '../metrics/metric.ts';
import { isPreset, PRESET_NAMES, PRESETS } from './presets.ts';
import { type ConfigIssue, configIssue, type KeyPath } from './schema-errors.ts';
import { didYouMean } from './suggest.ts';

export function findMetric(name: string, metrics: readonly Metric[]): Metric | undefined {
  return metrics.find((metric) => metric.name === name || metric.aliases?.includes(name));
}

export function unknownMetric(name: string, path: KeyPath, metrics: readonly Metric[]): ConfigIssue[] {
  if (findMetric(name, metrics)) return [];
  if (isPreset(name)) {
    const sentence = `"${name}" is a preset of metrics, which are configured by their own names: ${PRESETS[name]?.join(', ')}. A preset is allowed in a list: "metrics": ["${name}"].`;
    return [configIssue(path, sentence)];
  }
  const presets = path[0] === 'metrics' ? PRESET_NAMES : [];
  const names = [...metrics.flatMap((metric) => [metric.name, ...(metric.aliases ?? [])]), ...presets];
  const sentence = `Unknown metric "${name}".${didYouMean(name, names)}`;
  return [{ ...configIssue(path, sentence), code: UNKNOWN_METRIC }];
}
