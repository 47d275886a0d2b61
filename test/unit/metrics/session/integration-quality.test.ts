import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { integrationQuality } from '../../../../src/metrics/session/integration-quality.ts';
import { evaluateSession, failedToolCall, sessionWithSteps, toolCall } from '../calls.ts';

const TOOLS = [
  { name: 'f', inputSchema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
];

const quality = (session: Session) => evaluateSession(integrationQuality, { ...session, tools: TOOLS });
const sound = toolCall('f', { id: 'x' });

describe('integration_quality', () => {
  it.each([
    ['sound calls', [sound, sound], 1, {}],
    ['arguments that are no JSON', [sound, toolCall('f', '{"id": ')], 0.5, { argumentsNotJson: 1 }],
    ['a required argument missing', [sound, toolCall('f', {})], 0.5, { invalidArguments: 1 }],
    ['no result', [toolCall('f', { id: 'x' }, { outcome: 'missing' }), sound], 0.5, { missingResults: 1 }],
    [
      'an unrecovered error',
      [sound, failedToolCall('f', 'no', { arguments: { id: 'x' } })],
      0.5,
      { unrecoveredErrors: 1 },
    ],
    ['a recovered error', [failedToolCall('f', 'no', { arguments: { id: 'x' } }), sound], 1, { unrecoveredErrors: 0 }],
    ['a rejected call', [toolCall('f', { id: 'x' }, { outcome: 'rejected' }), sound], 1, {}],
    [
      'two faults of one call',
      [sound, failedToolCall('f', 'no id')],
      0.5,
      { invalidArguments: 1, unrecoveredErrors: 1 },
    ],
  ])('%s', (_, steps, score, metadata) => {
    expect(quality(sessionWithSteps(steps))).toMatchObject({
      status: 'scored',
      score,
      source: 'rules',
      passed: null,
      metadata: { calls: 2, unsound: 2 * (1 - score), ...metadata },
    });
  });

  it('points at each fault', () => {
    const { reason, evidence } = quality(sessionWithSteps([sound], [toolCall('f', {}), sound]));
    expect(reason).toMatch(/^1 of 3 calls is unsound\. `f` was called without `id`/);
    expect(evidence).toMatchObject([{ pointer: '/turns/1/steps/0' }]);
  });

  it('keeps calls of several files apart', () => {
    const session = sessionWithSteps([toolCall('f', {})], [toolCall('f', {})]);
    const turns = session.turns.map((turn, index) => ({
      ...turn,
      file: `${index}.json`,
      steps: turn.steps.map((step) => ({ ...step, pointer: '/call' })),
    }));
    expect(quality({ ...session, turns })).toMatchObject({ score: 0, metadata: { unsound: 2 } });
  });

  it('is not applicable without recorded calls', () => {
    expect(quality(sessionWithSteps([]))).toMatchObject({ status: 'not_applicable', score: null });
    const session = sessionWithSteps([toolCall('f', {})]);
    const turns = session.turns.map((turn) => ({ ...turn, captured: false as const }));
    expect(quality({ ...session, turns })).toMatchObject({ status: 'not_applicable' });
  });
});
