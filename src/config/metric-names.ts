import type { Metric } from '../metrics/metric.ts';
import { type Complaint, complaint, type Path } from './explain.ts';
import { didYouMean } from './suggest.ts';

export function findMetric(name: string, metrics: readonly Metric[]): Metric | undefined {
  return metrics.find((metric) => metric.name === name || metric.aliases?.includes(name));
}

export function unknownMetric(name: string, path: Path, metrics: readonly Metric[]): Complaint[] {
  if (findMetric(name, metrics)) return [];
  const names = metrics.flatMap((metric) => [metric.name, ...(metric.aliases ?? [])]);
  const sentence = `There is no metric "${name}".${didYouMean(name, names)} \`turnwise metrics\` lists them.`;
  return [complaint(path, sentence)];
}
