import type { Configuration } from '../config/schema.ts';
import { didYouMean } from '../config/suggest.ts';
import type { Scenario } from '../scenarios/scenario.ts';

type Agents = Pick<Configuration['simulation'], 'agent' | 'agents' | 'compare'>;

/** The key of an agent that a scenario tries, or a sentence that says why there is none. */
export type ChosenAgent =
  | { readonly agent: string }
  /** `isNamed`: one is named that is not there. */
  | { readonly problem: string; readonly isNamed: boolean };

/** The agents that try a scenario: those that the user names, that the scenario names, or that are compared. */
export function chooseAgents(
  scenario: Pick<Scenario, 'name' | 'agent'>,
  simulation: Agents,
  named?: readonly string[],
): readonly ChosenAgent[] {
  const compared = scenario.agent === undefined ? simulation.compare : undefined;
  const keys = named ?? compared;
  return keys ? keys.map((key) => findAgent(key, scenario, simulation)) : [chooseAgent(scenario, simulation)];
}

function chooseAgent(scenario: Pick<Scenario, 'name' | 'agent'>, simulation: Agents): ChosenAgent {
  const names = Object.keys(simulation.agents);
  const [only, second] = names;
  const key = scenario.agent ?? simulation.agent ?? (second === undefined ? only : undefined);
  if (key !== undefined) return findAgent(key, scenario, simulation);
  const problem =
    names.length === 0
      ? noAgents(scenario)
      : `"${scenario.name}" does not say which agent to try. Set its "agent" or "simulation.agent" to one of ${names.join(', ')}.`;
  return { problem, isNamed: false };
}

function findAgent(key: string, scenario: Pick<Scenario, 'name'>, { agents }: Agents): ChosenAgent {
  if (Object.hasOwn(agents, key)) return { agent: key };
  const names = Object.keys(agents);
  const problem =
    names.length === 0
      ? noAgents(scenario)
      : `"${scenario.name}" tries the agent "${key}", which the configuration does not have.${didYouMean(key, names)} Agents: ${names.join(', ')}.`;
  return { problem, isNamed: true };
}

function noAgents({ name }: Pick<Scenario, 'name'>): string {
  return `"${name}" has no agent to try: add one to the configuration, such as "simulation": {"agents": {"support": {"endpoint": "http://localhost:3000/v1/chat/completions"}}}.`;
}
