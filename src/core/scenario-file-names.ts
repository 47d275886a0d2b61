/** Globs of scenario files where a configuration names no others, relative to it. */
export const DEFAULT_SCENARIOS: readonly string[] = ['**/*.sim.{ts,js,mts,mjs}', '**/*.scenario.{yaml,yml,json}'];

/** Evaluation sets of the Agent Development Kit, whose cases can be run as scenarios. */
export const ADK_FILES = '**/*.{evalset,test}.json';
