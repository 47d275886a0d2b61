import { expect, it } from 'vitest';
import type { Step, TokenUsage } from '../../../../src/core/session.ts';
import { sessionFacts } from '../../../../src/metrics/shared/session-facts.ts';

const model = (usage?: Partial<TokenUsage>): Step => ({
  type: 'model',
  pointer: '',
  ...(usage && { usage: { inputTokens: 1, outputTokens: 1, ...usage } }),
});

function factsOf(...steps: readonly Step[]) {
  const source = { file: 'a.json', format: 'native', pointer: '' };
  return sessionFacts({ id: 's', source, turns: [{ id: 't', pointer: '', input: null, output: null, steps }] });
}

it.each([
  ['is the sum of all model calls', [model({ cost: 0.25 }), model(), model({ cost: 0.5 })], 0.75],
  ['includes the calls of sub-agents', [{ type: 'agent', pointer: '', name: 'a', turns: [] }, model({ cost: 0 })], 0],
  ['is absent where no call reports it', [model(), model({})], undefined],
  ['is absent where it is no cost', [model({ cost: -1 }), model({ cost: Number.NaN })], undefined],
] as const)('the cost of a session %s', (_title, steps, cost) => {
  expect(factsOf(...(steps as readonly Step[])).cost).toBe(cost);
});
