/** Globs of scenario files where a configuration names no others, relative to it. */
export const DEFAULT_SCENARIOS: readonly string[] = ['**/*.sim.{ts,js,mts,mjs}', '**/*.scenario.{yaml,yml,json}'];
