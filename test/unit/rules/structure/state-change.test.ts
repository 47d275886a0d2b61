import { describe, expect, it } from 'vitest';
import { load } from '../../../../src/input/load.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { sharedData } from '../../../support/shared-data.ts';
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

const ALL = onlyRule('state-change');

describe('state-change', () => {
  it('lists a change with the call and its result, as an observation', () => {
    const changed = session([
      { user: 'Cancel Z7GOZK, please.', steps: [ok('get_reservation'), ok('think')], agent: 'Shall I cancel it?' },
      { user: 'Yes.', steps: [ok('cancel_reservation', { reservation_id: 'Z7GOZK' })], agent: 'It is cancelled.' },
    ]);
    expect(findingMessages(changed, ALL)).toEqual([
      '`cancel_reservation` changed state with `reservation_id` "Z7GOZK".',
    ]);
    expect(evidencePointers(changed, ALL)).toEqual(['/turns/1/steps/0', '/turns/1/steps/0/result']);
    expect(collectFindings(changed, { settings: ALL })).toMatchObject([
      { rule: 'state-change', turn: 1, severity: 'info', label: null, calls: ['/turns/1/steps/0'] },
    ]);
  });

  it('lists each of several changes', () => {
    const steps = [ok('book_reservation'), ok('send_certificate', { amount: 100 }), ok('book_reservation', { id: 2 })];
    expect(findingIds(session([{ user: 'Please book both.', steps, agent: 'Done.' }]), ALL)).toEqual([
      'state-change@0',
      'state-change@0',
      'state-change@0',
    ]);
  });

  it.each([
    ['a look-up', ok('get_order')],
    ['a handover to a person', ok('transfer_to_human_agents', { summary: 'Wants a refund.' })],
    ['a change that failed', failed('book_reservation', {}, 'Error: not enough seats')],
    ['a change that came back with an error as text', ok('refund_order', {}, 'Error: amount exceeds total')],
    ['a change of which no result is known', pending('refund_order')],
    ['a tool of unknown effect', ok('workflow_7')],
  ])('does not list %s', (_, step) => {
    expect(findingIds(session([{ user: 'Please do it.', steps: [step], agent: 'Sorry.' }]), ALL)).toEqual([]);
  });

  it('skips coding agents', () => {
    const steps = [ok('Bash', { command: 'rm -r build' }), ok('write_file', { path: 'a' }), ok('delete_file')];
    expect(findingIds(session([{ user: 'Clean up.', steps, agent: 'Done.' }]), ALL)).toEqual([]);
  });

  const airline = sharedData('tau-bench/gpt-4o-airline.tasks00-12.json');
  it.skipIf(airline === null)(
    'counts the bookings and changes of real sessions (skipped without the data)',
    async () => {
      const { sessions } = await load([airline ?? ''], nodeFileSystem, { signal: new AbortController().signal });
      const names = sessions
        .flatMap((session) => collectFindings(session))
        .filter(({ rule }) => rule === 'state-change')
        .map(({ message }) => /^`(\w+)`/.exec(message)?.[1] ?? '');
      // Counted in the raw file: calls of the tools that write, where the message after it does not begin with "Error".
      const count = (name: string) => names.filter((other) => other === name).length;
      expect(Object.fromEntries([...new Set(names)].map((name) => [name, count(name)]))).toEqual({
        update_reservation_flights: 30,
        book_reservation: 14,
        update_reservation_baggages: 6,
        cancel_reservation: 4,
        update_reservation_passengers: 1,
      });
    },
  );
});
