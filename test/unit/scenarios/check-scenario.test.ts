import { expect, test } from 'vitest';
import { checkScenario } from '../../../src/scenarios/check-scenario.ts';

const scenario = (forbidden: unknown[]) =>
  checkScenario({ name: 'a', turns: [{ userMessage: 'b' }], assertions: { toolCalls: { expected: [], forbidden } } });

test('reads forbidden calls by name and by arguments', () => {
  const forbidden = [{ name: 'delete' }, { name: 'pay', args: { amount: 3 }, argMatchMode: 'exact' }, 'drop_*'];
  const { scenario: read, issues } = scenario(forbidden);
  expect(issues).toEqual([]);
  expect(read?.assertions?.toolCalls?.forbidden).toEqual(forbidden);
  expect(scenario([{ tool: 'pay' }]).issues).toMatchObject([{ severity: 'error' }]);
});

test('refuses a final state that nothing tells', () => {
  const written = { name: 'a', turns: [{ userMessage: 'b' }], finalState: { open: 0 } };
  expect(checkScenario({ ...written, hasState: true }).issues).toEqual([]);
  const { scenario: read, issues } = checkScenario(written);
  expect(read).toBeNull();
  expect(issues).toMatchObject([{ path: ['finalState'], severity: 'error' }]);
});
