import { type ConfigIssue, configIssue, formatKeyPath } from './schema-errors.ts';

type Headers = Readonly<Record<string, string>>;

const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * Replaces `${NAME}` in the headers of an agent by environment variables. Nothing else of a configuration is replaced.
 *
 * @param agent its key in `simulation.agents`.
 * @returns the headers, and an issue for each variable that is not set.
 */
export function expandHeaders(
  agent: string,
  headers: Headers,
  env: Readonly<Record<string, string | undefined>>,
): { readonly headers: Headers; readonly issues: readonly ConfigIssue[] } {
  const issues: ConfigIssue[] = [];
  const expanded = Object.entries(headers).map(([header, value]) => {
    const text = value.replace(VARIABLE, (_, variable: string) => {
      const set = env[variable];
      if (set === undefined) {
        const path = ['simulation', 'agents', agent, 'headers', header];
        const message = `${formatKeyPath(path)} names the environment variable ${variable}, which is not set. Set it, or remove it from the header.`;
        issues.push(configIssue(path, message));
      }
      return set ?? '';
    });
    return [header, text] as const;
  });
  return { headers: Object.fromEntries(expanded), issues };
}
