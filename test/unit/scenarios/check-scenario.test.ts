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

test('has a first message of a simulated user, and none beside a script', () => {
  const simulated = { name: 'a', profile: 'Ada', goal: 'A refund', firstMessage: 'Hello' };
  expect(checkScenario(simulated)).toMatchObject({ scenario: { firstMessage: 'Hello' }, issues: [] });
  for (const wrong of [
    { ...simulated, firstMessage: ' ' },
    { name: 'a', turns: [{ userMessage: 'b' }], firstMessage: 'Hello' },
  ]) {
    expect(checkScenario(wrong)).toMatchObject({ scenario: null, issues: [{ path: ['firstMessage'] }] });
  }
});

test('expands presets of metrics, and reads percentages', () => {
  const turns = [{ userMessage: 'b' }];
  const { scenario: listed } = checkScenario({
    name: 'a',
    turns,
    metrics: ['support'],
    thresholds: { relevance: '80%' },
  });
  expect(listed).toMatchObject({
    metrics: ['resolution_rate', 'user_satisfaction_proxy'],
    thresholds: { relevance: 0.8 },
  });
});
