import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import {
  evidencePointers,
  failed,
  findingIds,
  findingMessages,
  ok,
  onlyRule,
  pending,
  session,
} from '../session-builder.ts';

const ALONE = onlyRule('failure-at-end');

type Step = ReturnType<typeof ok>;

function byUser(step: Step): Step {
  return step.type === 'tool' ? { ...step, requestedBy: 'user' } : step;
}

function turns(...all: readonly (readonly Step[])[]) {
  return session(all.map((steps) => ({ user: 'Go on.', steps, agent: 'Let me see.' })));
}

const toggle = ok('toggle_roaming', {}, 'Roaming is now ON.');
const broken = ok('can_send_mms', {}, 'Your app cannot send MMS messages.');
const works = ok('can_send_mms', {}, 'Your app can send MMS messages.');
const refund = failed('refund_order', { order_id: 'A-1001' }, 'order is locked');
const handover = ok('transfer_to_human_agents', {}, 'Transfer successful');

describe('failure-at-end', () => {
  it.each([
    ['the agent', toggle, broken],
    ['the user', byUser(toggle), byUser(broken)],
  ])('reports a check by %s that still fails after a change', (_, change, check) => {
    const unsolved = turns([change], [check], [handover]);
    expect(collectFindings(unsolved, { settings: ALONE })).toMatchObject([
      {
        turn: 1,
        severity: 'medium',
        message:
          'After the last change, `toggle_roaming`, the last call `can_send_mms` returned "Your app cannot send MMS messages."',
      },
    ]);
    expect(evidencePointers(unsolved, ALONE)).toEqual(['/turns/1/steps/0/result', '/turns/0/steps/0']);
  });

  it('only observes a check that fails where nothing was changed', () => {
    expect(collectFindings(turns([works, broken]), { settings: ALONE })).toMatchObject([
      { severity: 'info', message: 'The last call `can_send_mms` returned "Your app cannot send MMS messages."' },
    ]);
    const notChanged = failed('toggle_roaming', {}, 'no such setting');
    expect(collectFindings(turns([notChanged, broken]), { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
  });

  it('observes a failed last call, with what failed', () => {
    const lost = turns([toggle, refund]);
    expect(findingMessages(lost, ALONE)).toEqual(['The last call, `refund_order`, failed with "order is locked".']);
    expect(collectFindings(lost, { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
    expect(evidencePointers(lost, ALONE)).toEqual(['/turns/0/steps/1', '/turns/0/steps/1/result']);
  });

  it.each<[string, Step]>([
    ['a handover', handover],
    ['a note', ok('think', { thought: 'Hm.' })],
    ['a call that was never executed', pending('get_order')],
    [
      'a look-up by the user with a long result',
      byUser(ok('check_for_stop', {}, 'Stop only if all is done. '.repeat(20))),
    ],
  ])('looks behind %s', (_, after) => {
    expect(findingIds(turns([refund], [after]), ALONE)).toEqual(['failure-at-end@0']);
  });

  it.each<[string, readonly Step[]]>([
    ['a check succeeded', [broken, works]],
    ['a later call succeeded', [refund, ok('get_order', {}, { status: 'open' })]],
    ['the user did something', [refund, byUser(ok('reboot_device', {}, 'Restarting.'))]],
    ['a change reports something similar', [ok('update_note', {}, 'Saved: "cannot come on Monday"')]],
    ['data says something similar', [toggle, ok('get_mail', {}, `I cannot come. ${'Best wishes. '.repeat(30)}`)]],
    ['a sub-agent worked later', [refund, { type: 'agent', name: 'helper', turns: [] }]],
  ])('does not report where %s', (_, steps) => {
    expect(findingIds(turns(steps), ALONE)).toEqual([]);
  });

  it('does not report before a gap in the recording, nor in coding sessions', () => {
    const lost = turns([refund]);
    const [turn] = lost.turns;
    expect(findingIds(lost, ALONE)).toEqual(['failure-at-end@0']);
    expect(findingIds({ ...lost, turns: turn ? [turn, { ...turn, steps: [], captured: false }] : [] }, ALONE)).toEqual(
      [],
    );
    expect(findingIds({ ...lost, coding: true }, ALONE)).toEqual([]);
  });
});
