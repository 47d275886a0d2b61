import { inRange, scaleRange } from '../core/scale.ts';
import type { Metric } from '../metrics/metric.ts';
import { PERCENTAGE } from '../metrics/threshold-schema.ts';
import { type ConfigIssue, configIssue, describeValue, formatKeyPath, type KeyPath } from './schema-errors.ts';

/** Checks that a threshold is on its metric's scale. The schema reports values of the wrong type. */
export function checkThreshold(
  metric: Pick<Metric, 'name' | 'scale'>,
  threshold: unknown,
  path: KeyPath,
): ConfigIssue[] {
  const percentage = typeof threshold === 'string' && PERCENTAGE.test(threshold);
  if (typeof threshold !== 'number' && !percentage) return [];
  const { name, scale } = metric;
  const range = scaleRange(scale);
  const stands = `${formatKeyPath(path)} is ${describeValue(threshold)}`;
  const wrong = (message: string) => [configIssue(path, `${stands}${message}`)];
  if (!range) {
    return wrong(`, but ${name} answers with labels, which have no threshold; use gates.failOn.`);
  }
  const bounds = range[1] === null ? `${range[0]} and more` : `${range[0]} to ${range[1]}`;
  if (percentage && range[1] !== 1) return wrong(`, but the scale of ${name} is ${bounds}: write a number on it.`);
  const value = percentage ? Number(threshold.slice(0, -1)) / 100 : Number(threshold);
  if (inRange(value, range)) return [];
  if (name === 'coherence' && value > 1) {
    const other = 'Agentest’s coherence, on a scale of 1 to 5, is conversation_coherence here';
    return wrong(`, but the scale of coherence is ${bounds}. ${other}.`);
  }
  const share = range[1] === 1 && !percentage && value > 1 && value <= 100;
  return wrong(`, but the scale of ${name} is ${bounds}${share ? `: write ${value / 100} or "${value}%"` : ''}.`);
}
