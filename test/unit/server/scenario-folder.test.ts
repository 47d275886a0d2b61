import { expect, it } from 'vitest';
import { scenarioFolder } from '../../../src/server/scenarios/new-scenario.ts';

it.each([
  [['**/*.sim.{ts,js}', '**/*.scenario.{yaml,yml,json}'], ''],
  [['tests/agent/**/*.sim.ts', 'tests/data/*.scenario.yaml'], 'tests/data'],
  [['!old/**/*.yaml', 'tests/**/*.sim.ts'], 'tests'],
  [['tests/refund.scenario.yaml'], 'tests'],
  [[], ''],
])('of %j, a new scenario belongs to "%s"', (globs, folder) => {
  expect(scenarioFolder(globs)).toBe(folder);
});
