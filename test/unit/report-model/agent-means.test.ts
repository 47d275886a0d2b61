import { describe, expect, it } from 'vitest';
import type { SessionReport } from '../../../src/core/report.ts';
import { compareAgents } from '../../../src/report-model/agent-means.ts';
import * as build from '../reports/report.ts';

function session(
  agent: string | null,
  id: string,
  satisfaction: number | null,
  status: SessionReport['outcome']['status'] = 'unknown',
): SessionReport {
  return build.session(`${agent}-${id}`, [], {
    task: { id, trial: null, dataset: null, agent },
    outcome: { status, source: status === 'unknown' ? null : 'recorded', reason: 'reward', disagrees: [] },
    metrics: satisfaction === null ? {} : { user_satisfaction_proxy: build.scored(satisfaction) },
  });
}

const compare = (...sessions: SessionReport[]) => compareAgents(sessions, ['user_satisfaction_proxy']);

describe('agents that did the same tasks', () => {
  it('have their means over tasks side by side, with the distance to the person', () => {
    const [first, ...more] = compare(
      session('bot', 'a', 0.5),
      session('bot', 'a', 0.7),
      session('bot', 'b', 0.4),
      session('human-1', 'a', 0.9),
      session('human-1', 'b', 0.8),
    );
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      metric: 'user_satisfaction_proxy',
      tasks: 2,
      agents: [
        { agent: 'human-1', isHuman: true, fromHuman: null },
        { agent: 'bot', isHuman: false },
      ],
    });
    const [human, bot] = first?.agents ?? [];
    expect(human?.mean).toBeCloseTo(0.85, 9);
    expect(bot?.mean).toBeCloseTo(0.5, 9);
    expect(bot?.fromHuman?.difference).toBeCloseTo(-0.35, 9);
    const [low = 0, high = 0] = bot?.fromHuman?.interval ?? [];
    expect(low).toBeLessThan(-0.35);
    expect(high).toBeGreaterThan(-0.35);
  });

  it('are compared by their outcomes, without those that are unknown', () => {
    const compared = compare(
      session('a', '1', null, 'succeeded'),
      session('b', '1', null, 'failed'),
      session('a', '2', null, 'succeeded'),
      session('b', '2', null),
    );
    expect(compared).toMatchObject([
      {
        metric: null,
        tasks: 1,
        agents: [
          { agent: 'a', mean: 1 },
          { agent: 'b', mean: 0 },
        ],
      },
    ]);
  });

  it('are compared with nobody if no agent, or several, are people', () => {
    const none = compare(session('a', '1', 0.5), session('humanoid', '1', 0.6));
    expect(none[0]?.agents).toMatchObject([
      { agent: 'humanoid', isHuman: false, fromHuman: null },
      { fromHuman: null },
    ]);
    const two = compare(session('bot', '1', 0.5), session('human a', '1', 0.6), session('Human_b', '1', 0.7));
    expect(two[0]?.agents).toMatchObject([{ isHuman: true }, { isHuman: true }, { agent: 'bot', fromHuman: null }]);
  });

  it('have no interval where every task differs by the same', () => {
    const [first] = compare(
      session('bot', '1', 0.5),
      session('human', '1', 1),
      session('bot', '2', 0.5),
      session('human', '2', 1),
    );
    expect(first?.agents[1]?.fromHuman).toEqual({ difference: -0.5, interval: null });
  });
});

it.each<[string, SessionReport[]]>([
  ['one agent', [session('bot', '1', 0.5), session('bot', '2', 0.5)]],
  ['other tasks', [session('bot', '1', 0.5), session('human', '2', 0.5)]],
  ['no names of agents', [session(null, '1', 0.5), session(null, '1', 0.6)]],
  ['no scores and outcomes', [session('bot', '1', null), session('human', '1', null)]],
])('compares nothing of %s', (_, sessions) => {
  expect(compare(...sessions)).toEqual([]);
});
