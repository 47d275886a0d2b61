import { describe, expect, it } from 'vitest';
import type { AgentStep, Session, Turn } from '../../../src/core/session.ts';
import { claudeCode } from '../../../src/formats/agents/claude-code.ts';
import { attachSubAgents } from '../../../src/input/sub-agents.ts';
import { fixture } from '../formats/read-fixture.ts';

function turn(id: string, steps: Turn['steps'] = []): Turn {
  return { id, pointer: `/${id}`, input: id, output: null, steps };
}

function agent(id: string, turns: readonly Turn[] = []): AgentStep {
  return { type: 'agent', pointer: '/0', id, name: 'Task', turns };
}

function session(id: string, file: string, turns: readonly Turn[], more: Partial<Session> = {}): Session {
  return { id, source: { file, format: 'claude-code', pointer: '' }, turns, ...more };
}

function log(step: string, turns: readonly Turn[], of = 's'): Session {
  return session(`agent-${step}`, `agent-${step}.jsonl`, turns, { partOf: { session: of, step } });
}

/** The ids of turns with those of the sub-agents in them, and the files that they are from. */
function shape(turns: readonly Turn[]): unknown {
  return turns.map(({ id, file, steps }) => [
    file ? `${id} of ${file}` : id,
    ...steps.flatMap((step) => (step.type === 'agent' ? [shape(step.turns)] : [])),
  ]);
}

describe('logs of sub-agents', () => {
  it('are attached to the steps that started them, in any order of files', () => {
    const main = session('s', 's.jsonl', [turn('t1', [agent('a'), agent('b')]), turn('t2')]);
    const logs = [log('b', [turn('b1'), turn('b2')]), log('a', [turn('a1')])];
    const expected = [['t1', [['a1 of agent-a.jsonl']], [['b1 of agent-b.jsonl'], ['b2 of agent-b.jsonl']]], ['t2']];
    for (const order of [
      [main, ...logs],
      [...logs, main],
    ]) {
      const whole = attachSubAgents(order);
      expect(whole.map(({ id }) => id)).toEqual(['s']);
      expect(shape(whole[0]?.turns ?? [])).toEqual(expected);
    }
  });

  it('are nested, each with its file', () => {
    const main = session('s', 's.jsonl', [turn('t1', [agent('a')])]);
    const whole = attachSubAgents([main, log('a', [turn('a1', [agent('b')])]), log('b', [turn('b1')])]);
    expect(shape(whole[0]?.turns ?? [])).toEqual([['t1', [['a1 of agent-a.jsonl', [['b1 of agent-b.jsonl']]]]]]);
  });

  it('stay sessions of their own when their session does not mention them', () => {
    const main = session('s', 's.jsonl', [turn('t1', [agent('a', [turn('told')])]), turn('t2', [agent('c')])]);
    const whole = attachSubAgents([
      main,
      log('a', [turn('a1')]),
      log('b', [turn('b1')]),
      log('c', [turn('c1')], 'other'),
    ]);
    expect(whole.map(({ id, partOf }) => [id, partOf])).toEqual([
      ['s', undefined],
      ['agent-a', undefined],
      ['agent-b', undefined],
      ['agent-c', undefined],
    ]);
    expect(shape(whole[0]?.turns ?? [])).toEqual([
      ['t1', [['told']]],
      ['t2', []],
    ]);
  });

  it('are used once, even if steps form a cycle', () => {
    const main = session('s', 's.jsonl', [turn('t1', [agent('a')]), turn('t2', [agent('a')])]);
    const whole = attachSubAgents([main, log('a', [turn('a1', [agent('a')])])]);
    expect(shape(whole[0]?.turns ?? [])).toEqual([
      ['t1', [['a1 of agent-a.jsonl', []]]],
      ['t2', []],
    ]);
  });

  it('are attached in the layout of Claude Code', () => {
    const read = (name: string) => claudeCode.read(fixture(name)).sessions;
    const whole = attachSubAgents([...read('agent-e1f.jsonl'), ...read('claude-code-agents.jsonl')]);
    expect(whole).toHaveLength(1);
    const [, second] = whole[0]?.turns ?? [];
    expect(shape(second ? [second] : [])).toEqual([['t2', [['t1 of agent-e1f.jsonl']]]]);
  });

  it('are attached only to a session of the same format', () => {
    const main = session('s', 's.jsonl', [turn('t1', [agent('a')])]);
    const other = { ...log('a', [turn('a1')]), source: { file: 'x', format: 'other', pointer: '' } };
    expect(attachSubAgents([main, other])).toHaveLength(2);
  });
});
