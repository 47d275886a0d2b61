import type { Configuration } from './schema.ts';
import { type ConfigIssue, configIssue, formatKeyPath } from './schema-errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * Replaces `${NAME}` in the headers of agents by environment variables. Nothing else of a configuration is replaced.
 *
 * @returns the configuration, and an issue for each variable that is not set.
 */
export function expandHeaders(
  configuration: Configuration,
  env: Environment,
): { readonly configuration: Configuration; readonly issues: readonly ConfigIssue[] } {
  const issues: ConfigIssue[] = [];
  const { simulation } = configuration;
  const agents = Object.entries(simulation.agents).map(([name, agent]) => {
    if (agent.type !== 'chat_completions' || !agent.headers) return [name, agent] as const;
    const headers = Object.entries(agent.headers).map(([header, value]) => {
      const expanded = value.replace(VARIABLE, (_, variable: string) => {
        const set = env[variable];
        if (set === undefined) {
          const path = ['simulation', 'agents', name, 'headers', header];
          const message = `${formatKeyPath(path)} names the environment variable ${variable}, which is not set. Set it, or remove it from the header.`;
          issues.push(configIssue(path, message));
        }
        return set ?? '';
      });
      return [header, expanded] as const;
    });
    return [name, { ...agent, headers: Object.fromEntries(headers) }] as const;
  });
  return {
    configuration: { ...configuration, simulation: { ...simulation, agents: Object.fromEntries(agents) } },
    issues,
  };
}
