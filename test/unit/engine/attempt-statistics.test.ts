import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Session } from '../../../src/core/session.ts';
import { evaluateSessions } from '../../../src/engine/evaluate.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import { toolCall } from '../metrics/calls.ts';
import { configuration, session, turn } from './support.ts';

/** An attempt whose turns make so many calls each. */
function attempt(id: string, ...calls: readonly number[]): Session {
  const turns = calls.map((count, index) =>
    turn(`t${index}`, { steps: Array.from({ length: count }, () => toolCall('look', {}, { pointer: `/${index}` })) }),
  );
  return session(id, turns, { task: { id: 'order', dataset: 'd' } });
}

async function statistics(sessions: readonly Session[], metrics: ConfigurationInput['metrics'] = ['tool_call_count']) {
  const { scenarios, gates } = await evaluateSessions({
    sessions,
    configuration: configuration({ metrics, gates: { failOn: 'never' } }),
    judges: NO_JUDGES,
    embedder: null,
    locate: () => new Map(),
    version: '0',
    signal: new AbortController().signal,
  });
  expect(gates).toEqual([]);
  return scenarios.map((scenario) => scenario.statistics);
}

describe('a task', () => {
  it('has statistics of each selected metric over its attempts, a score per session', async () => {
    expect(await statistics([attempt('a', 1, 3), attempt('b', 4)])).toEqual([
      {
        tool_call_count: {
          n: 2,
          scores: [2, 4],
          mean: 3,
          standardDeviation: 1,
          spreadOfSingleRuns: [3 - 1.96, 3 + 1.96],
          meanInterval: [expect.closeTo(3 - 12.7062, 3), expect.closeTo(3 + 12.7062, 3)],
        },
      },
    ]);
  });

  it('has no statistics of a single attempt, of unscored or vacuous results, of labels and of implied metrics', async () => {
    const other = { ...attempt('c', 1), task: { id: 'refund', dataset: 'd' } };
    expect(await statistics([attempt('a', 1), other])).toEqual([undefined, undefined]);
    const twice = [attempt('a', 1), attempt('b', 1)];
    expect(await statistics(twice, ['helpfulness', 'error_recovery_rate', 'communication_style'])).toEqual([undefined]);
    const scored = twice.map((session) => ({
      ...session,
      turns: session.turns.map((t) => ({ ...t, scores: { confidence: 0.5 } })),
    }));
    const [result] = await statistics(scored, ['agent_reliability']);
    expect(Object.keys(result ?? {})).toEqual(['agent_reliability']);
  });
});
