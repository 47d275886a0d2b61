import { describe, expect, it } from 'vitest';
import { collectFindings, type RuleSettings } from '../../../../src/rules/index.ts';
import { evidencePointers, failed, findingIds, findingMessages, ok, onlyRule, session } from '../session-builder.ts';

type Steps = readonly ReturnType<typeof ok>[];

function turns(...all: readonly Steps[]) {
  return session(all.map((steps, index) => ({ user: `Message ${index}.`, steps, agent: 'Let me see.' })));
}

function withOptions(rule: string, options: Readonly<Record<string, number>>): RuleSettings {
  return { ...onlyRule(rule), [rule]: options };
}

const refund = ok('refund_order', { order_id: 'A-1001' });
const lost = failed('get_order', { order_id: 'A-1001' }, 'no such order');
const look = ok('get_user', { user_id: 'mia_1' });
const handover = ok('transfer_to_human_agents', {}, 'Transfer successful');

describe('late-handover', () => {
  const ALONE = onlyRule('late-handover');

  it('observes a handover after failed calls and changes, and cites the last of each', () => {
    const late = turns([lost, refund], [lost, handover]);
    expect(collectFindings(late, { settings: ALONE })).toMatchObject([
      {
        turn: 1,
        severity: 'info',
        message: '`transfer_to_human_agents` handed the conversation over after 2 failed calls and 1 change.',
      },
    ]);
    expect(evidencePointers(late, ALONE)).toEqual(['/turns/1/steps/1', '/turns/1/steps/0', '/turns/0/steps/1']);
  });

  it('names only what happened before the handover', () => {
    expect(findingMessages(turns([refund, handover, lost]), ALONE)).toEqual([
      '`transfer_to_human_agents` handed the conversation over after 1 change.',
    ]);
  });

  it.each<[string, Steps]>([
    ['a handover after look-ups only', [look, handover]],
    ['a handover that failed', [refund, failed('transfer_to_human_agents', {}, 'no agent is free')]],
    ['work without a handover', [lost, refund]],
  ])('does not report %s', (_, steps) => {
    expect(findingIds(turns(steps), ALONE)).toEqual([]);
  });
});

describe('many-failed-calls', () => {
  const ALONE = onlyRule('many-failed-calls');

  it('observes three failed calls of the session, at the last one', () => {
    const many = turns([lost, lost], [look, lost]);
    expect(collectFindings(many, { settings: ALONE })).toMatchObject([
      { turn: 1, severity: 'info', message: '3 of 4 calls failed, of `get_order`.' },
    ]);
    expect(evidencePointers(many, ALONE)).toEqual([
      '/turns/1/steps/1/result',
      '/turns/0/steps/1/result',
      '/turns/0/steps/0/result',
    ]);
    expect(findingIds(turns([lost, lost], [look]), ALONE)).toEqual([]);
  });

  it('has the number of calls as an option', () => {
    expect(findingIds(turns([lost, lost]), withOptions('many-failed-calls', { calls: 2 }))).toEqual([
      'many-failed-calls@0',
    ]);
  });

  it('says nothing about coding sessions', () => {
    expect(findingIds({ ...turns([lost, lost, lost]), coding: true }, ALONE)).toEqual([]);
  });
});

describe('long-session', () => {
  const ALONE = onlyRule('long-session');
  const manyTurns = (count: number) => turns(...Array.from({ length: count }, (): Steps => []));
  const manyCalls = (count: number) => turns(Array.from({ length: count }, () => look));

  it('observes the tenth message of the user, and how many there were', () => {
    expect(findingMessages(manyTurns(12), ALONE)).toEqual(['The user sent 12 messages.']);
    expect(evidencePointers(manyTurns(12), ALONE)).toEqual(['/turns/9/input']);
    expect(findingIds(manyTurns(9), ALONE)).toEqual([]);
  });

  it('observes the twentieth call, and how many there were', () => {
    expect(findingMessages(manyCalls(21), ALONE)).toEqual(['The agent made 21 tool calls.']);
    expect(evidencePointers(manyCalls(21), ALONE)).toEqual(['/turns/0/steps/19']);
    expect(findingIds(manyCalls(19), ALONE)).toEqual([]);
  });

  it('counts a message once that a harness repeats', () => {
    const repeated = manyTurns(12);
    const same = { ...repeated, turns: repeated.turns.map((turn) => ({ ...turn, input: 'Book a flight.' })) };
    expect(findingIds(same, ALONE)).toEqual([]);
  });

  it('has both numbers as options', () => {
    expect(findingIds(manyTurns(3), withOptions('long-session', { messages: 3 }))).toEqual(['long-session@2']);
    expect(findingIds(manyCalls(3), withOptions('long-session', { calls: 3 }))).toEqual(['long-session@0']);
  });

  it('says nothing about coding sessions', () => {
    expect(findingIds({ ...manyTurns(12), coding: true }, ALONE)).toEqual([]);
  });
});
