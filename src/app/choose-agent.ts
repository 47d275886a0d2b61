import type { Configuration } from '../config/schema.ts';
import { didYouMean } from '../config/suggest.ts';
import type { Scenario } from '../scenarios/scenario.ts';

type Agents = Pick<Configuration['simulation'], 'agent' | 'agents'>;

/** The key of the agent that a scenario tries, or a sentence that says why there is none. */
export function chooseAgent(
  { name, agent }: Pick<Scenario, 'name' | 'agent'>,
  { agent: first, agents }: Agents,
  chosen?: string,
): { readonly agent: string } | { readonly problem: string } {
  const names = Object.keys(agents);
  const [only, second] = names;
  const key = chosen ?? agent ?? first ?? (second === undefined ? only : undefined);
  if (key !== undefined && Object.hasOwn(agents, key)) return { agent: key };
  if (names.length === 0) {
    return { problem: `"${name}" has no agent to try: add one to "simulation.agents" of the configuration.` };
  }
  const list = names.join(', ');
  return {
    problem:
      key === undefined
        ? `"${name}" does not say which agent to try. Set its "agent", "simulation.agent" or --agent: ${list}.`
        : `"${name}" tries the agent "${key}", which the configuration does not have.${didYouMean(key, names)} Agents: ${list}.`,
  };
}
