import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { findingIds, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('stopped-early');

function ended(cause: NonNullable<Session['ending']>['cause'], reason: string, turns = 2): Session {
  const conversation = session(Array.from({ length: turns }, () => ({ user: 'Go on.', agent: 'I go on.' })));
  return { ...conversation, ending: { cause, reason, pointer: '/termination_reason' } };
}

describe('stopped-early', () => {
  it.each([
    ['agent-error', 'high', 'The run was ended by an error of the agent ("agent_error").'],
    ['limit', 'low', 'The run reached a limit ("agent_error") before the agent or the user ended it.'],
    ['error', 'info', 'The run was ended by an error ("agent_error"), which may not be the agent\'s.'],
    ['unknown', 'info', 'The run ended with the status "agent_error", which may not be a regular end.'],
  ] as const)('reports the cause %s with severity %s', (cause, severity, message) => {
    expect(collectFindings(ended(cause, 'agent_error'), { settings: ALONE })).toMatchObject([
      { turn: 1, severity, message, evidence: [{ pointer: '/termination_reason' }] },
    ]);
  });

  it('is an observation where the agent did nothing, even without a turn', () => {
    const silent = { ...ended('agent-error', 'agent_error'), ...session([{ user: 'Hello?', agent: null }]) };
    for (const nothing of [
      ended('agent-error', 'agent_error', 0),
      { ...silent, ending: ended('agent-error', 'x').ending },
    ]) {
      expect(collectFindings(nothing, { settings: ALONE })).toMatchObject([{ turn: 0, severity: 'info' }]);
    }
  });

  it('does not report a regular or an unknown end', () => {
    expect(findingIds(ended('regular', 'user_stop'), ALONE)).toEqual([]);
    expect(findingIds(session([{ user: 'Go on.', agent: null }]), ALONE)).toEqual([]);
  });
});
