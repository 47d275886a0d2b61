import { expect, test } from 'vitest';
import { checkScenario } from '../../../src/scenarios/check-scenario.ts';

const scenario = (forbidden: unknown[]) =>
  checkScenario({ name: 'a', turns: [{ userMessage: 'b' }], assertions: { toolCalls: { expected: [], forbidden } } });

test('reads forbidden tools as Agentest writes them, by name', () => {
  const { scenario: read, issues } = scenario([{ name: 'delete' }, { name: 'pay', argMatchMode: 'ignore' }, 'drop_*']);
  expect(issues).toEqual([]);
  expect(read?.assertions?.toolCalls?.forbidden).toEqual(['delete', 'pay', 'drop_*']);
  expect(scenario([{ name: 'pay', args: { amount: 3 } }]).issues).toMatchObject([{ severity: 'error' }]);
});
