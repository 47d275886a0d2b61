import type { Configuration } from '../config/schema.ts';
import type { Gate } from '../core/report.ts';
import type { MetricPlan } from './plan.ts';
import { productionThresholds } from './production-preset.ts';
import type { GateThreshold } from './threshold.ts';

/** The configured thresholds of the metrics that run; their names were checked with the configuration. */
export function configuredThresholds({ gates }: Configuration, plan: MetricPlan): GateThreshold[] {
  const metrics = [...plan.turn, ...plan.session, ...plan.scenario, ...plan.run].map(({ metric }) => metric);
  const named = (name: string) => metrics.find((metric) => metric.name === name || metric.aliases?.includes(name));
  const own = Object.entries(gates.thresholds ?? {}).flatMap(([name, value]) => {
    const metric = named(name);
    return metric ? [{ name: metric.name, metric, value }] : [];
  });
  const composite = gates.preset === 'production' ? named('composite_score') : undefined;
  return composite ? [...own, ...productionThresholds(composite)] : own;
}

/** Where a threshold gates: as configured, but a metric of several sessions cannot gate one of them. */
export function gateScope({ metric }: GateThreshold, { gates }: Configuration): Gate['scope'] {
  const configured = gates.scope ?? 'run';
  if (metric.scope === 'run') return 'run';
  if (metric.scope === 'scenario') return configured === 'session' ? 'run' : configured;
  return configured;
}
