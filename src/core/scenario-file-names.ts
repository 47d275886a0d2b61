const CODE = ['ts', 'js', 'mts', 'mjs'];
const DATA = ['yaml', 'yml', 'json'];

/** Globs of scenario files where a configuration names no others, relative to it. */
export const DEFAULT_SCENARIOS: readonly string[] = [
  `**/*.sim.{${CODE.join(',')}}`,
  `**/*.scenario.{${DATA.join(',')}}`,
];

/** The same as one glob, for a single search. */
export const ANY_DEFAULT_SCENARIO = `**/*.{${[...CODE.map((end) => `sim.${end}`), ...DATA.map((end) => `scenario.${end}`)].join(',')}}`;

/** Evaluation sets of the Agent Development Kit, whose cases can be run as scenarios. */
export const ADK_FILES = '**/*.{evalset,test}.json';

const SCENARIO = new RegExp(String.raw`\.(?:sim\.(?:${CODE.join('|')})|scenario\.(?:${DATA.join('|')}))$`, 'i');

/** Whether a file is one of scenarios, by its name. */
export function isScenarioFile(file: string): boolean {
  return SCENARIO.test(file);
}
