import { describe, expect, it } from 'vitest';
import type { AgentStep, ModelStep, Session, Step, Turn } from '../../../../src/core/session.ts';
import { rowDuration, Timeline } from '../../../../src/report-model/transcript/timeline.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

function turn(steps: readonly Step[], parts: Partial<Turn> = {}): Turn {
  return { id: 't', pointer: '/t', input: 'Hello', output: null, steps, ...parts };
}

function model(parts: Partial<ModelStep> = {}): ModelStep {
  return { type: 'model', pointer: '/m', ...parts };
}

function tool(start?: number, end?: number): Step {
  return {
    type: 'tool',
    pointer: '/c',
    name: 'find',
    arguments: {},
    outcome: 'ok',
    requestedBy: 'agent',
    ...(start === undefined ? {} : { startedAt: at(start) }),
    ...(end === undefined ? {} : { endedAt: at(end) }),
  };
}

function agent(...turns: readonly Turn[]): AgentStep {
  return { type: 'agent', pointer: '/a', name: 'helper', turns };
}

function timeline(turns: readonly Turn[], parts: Partial<Session> = {}): Timeline {
  return new Timeline({ id: 's', source: { file: 'a.json', format: 'turnwise', pointer: '' }, turns, ...parts });
}

const usage = (inputTokens: number, outputTokens: number, cost?: number) => ({ inputTokens, outputTokens, cost });

describe('timeline', () => {
  it('lists each turn and its steps in order, with the steps of sub-agents below the call', () => {
    const deep = agent(turn([tool()]), turn([model()]));
    const rows = timeline([turn([model(), deep, tool()]), turn([])]).rows(0, 100);
    expect(
      rows.map(({ turn: index, step, depth, part }) => [index, step, depth, 'type' in part ? part.type : 'turn']),
    ).toEqual([
      [0, null, 0, 'turn'],
      [0, 0, 1, 'model'],
      [0, 1, 1, 'agent'],
      [0, 1, 2, 'tool'],
      [0, 1, 2, 'model'],
      [0, 2, 1, 'tool'],
      [1, null, 0, 'turn'],
    ]);
  });

  it('pages through turns without gaps or repetitions', () => {
    const made = timeline(
      Array.from({ length: 7 }, (_, index) => turn(Array.from({ length: index % 3 }, () => tool()))),
    );
    const all = made.rows(0, 1000);
    expect(all).toHaveLength(made.total);
    for (const size of [1, 2, 5]) {
      const paged = [];
      for (let from = 0; from < made.total; from += size) paged.push(...made.rows(from, size));
      expect(paged.map(({ turn: index, step }) => [index, step])).toEqual(
        all.map(({ turn: index, step }) => [index, step]),
      );
    }
  });

  it('takes the time of a turn and of a sub-agent from what is in them', () => {
    const [whole, , , inner] = timeline([turn([tool(2, 3), tool(2, 5), agent(turn([tool(6, 9)]))])]).rows(0, 10);
    expect(whole && rowDuration(whole)).toBe(7000);
    expect(inner && [rowDuration(inner), inner.start]).toEqual([3000, Date.parse(at(6))]);
  });

  it('gives no duration to a step that ends before it begins', () => {
    const [, row] = timeline([turn([tool(5, 3)])]).rows(0, 2);
    expect(row && rowDuration(row)).toBeNull();
  });

  it('adds tokens and costs up to the turn, and by model', () => {
    const first = model({ model: 'large', usage: usage(100, 10, 0.25) });
    const second = model({ model: 'small', usage: usage(50, 5) });
    const made = timeline([turn([first, agent(turn([second, second]))])]);
    const [whole, , helper] = made.rows(0, 10);
    expect([whole?.tokens, whole?.cost]).toEqual([{ input: 200, output: 20 }, 0.25]);
    expect([helper?.tokens, helper?.cost]).toEqual([{ input: 100, output: 10 }, null]);
    expect(made.summary()).toMatchObject({
      tokens: { input: 200, output: 20 },
      cost: 0.25,
      models: [
        { name: 'small', calls: 2, tokens: { input: 100, output: 10 }, cost: null },
        { name: 'large', calls: 1, cost: 0.25 },
      ],
    });
  });

  it('says of a trace without times that nothing is timed', () => {
    const { timed, durationMs, slowest } = timeline([turn([tool(), model()])]).summary();
    expect({ timed, durationMs, slowest }).toEqual({ timed: { turns: 0, steps: 0 }, durationMs: null, slowest: null });
  });

  it('sums the turns without the time between them, and names the slowest', () => {
    const made = timeline([turn([tool(0, 2)]), turn([tool(1000, 1007)]), turn([tool()])]);
    expect(made.summary()).toMatchObject({
      timed: { turns: 2, steps: 2 },
      durationMs: 9000,
      slowest: { turn: 1, durationMs: 7000 },
    });
  });

  it('shows the cost that a trace gives for the session as a whole', () => {
    expect(timeline([turn([])], { metadata: { cost: 0.5 } }).summary().cost).toBe(0.5);
    expect(timeline([turn([])], { metadata: { cost: -1 } }).summary().cost).toBeNull();
    expect(timeline([turn([model({ usage: usage(1, 1, Number.NaN) })])]).summary().cost).toBeNull();
  });

  it('reads sub-agents that are nested deeper than the call stack allows', () => {
    let inner: Turn = turn([tool(0, 1)]);
    for (let depth = 0; depth < 20_000; depth += 1) inner = turn([agent(inner)]);
    const made = timeline([inner]);
    expect(made.total).toBe(20_002);
    expect(made.summary().durationMs).toBe(1000);
  });
});
