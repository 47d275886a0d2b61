import type { Configuration } from '../config/schema.ts';
import { literalPattern } from '../core/name-pattern.ts';
import type { FinishedAttempt } from '../scenarios/run-scenarios.ts';

/** The thresholds that a scenario sets for its own attempts. */
export interface ScenarioThresholds {
  /** The pattern of its name, which is the id of its task. */
  readonly task: string;
  readonly thresholds: Readonly<Record<string, number>>;
}

export function scenarioThresholds(attempts: readonly Pick<FinishedAttempt, 'scenario'>[]): ScenarioThresholds[] {
  const scenarios = new Map(attempts.map(({ scenario }) => [scenario.name, scenario]));
  return [...scenarios.values()].flatMap(({ name, thresholds }) =>
    thresholds === undefined ? [] : [{ task: literalPattern(name), thresholds }],
  );
}

/** The configuration under which attempts are evaluated. */
export function configureForScenarios(
  configuration: Configuration,
  thresholds: readonly ScenarioThresholds[],
): Configuration {
  return withExpectations(withScenarioGates(configuration, thresholds));
}

const EXPECTATIONS = ['turn_expectations', 'session_expectations'] as const;

/** A scenario is checked against what it expects, whichever metrics are chosen. */
function withExpectations(configuration: Configuration): Configuration {
  const { metrics } = configuration;
  if (Array.isArray(metrics)) return { ...configuration, metrics: [...new Set([...metrics, ...EXPECTATIONS])] };
  const enabled = EXPECTATIONS.map((name) => [name, { ...metrics[name], enabled: true }] as const);
  return { ...configuration, metrics: { ...metrics, ...Object.fromEntries(enabled) } };
}

function withScenarioGates(configuration: Configuration, thresholds: readonly ScenarioThresholds[]): Configuration {
  if (thresholds.length === 0) return configuration;
  const { gates } = configuration;
  return { ...configuration, gates: { ...gates, for: [...(gates.for ?? []), ...thresholds] } };
}
