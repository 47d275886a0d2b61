import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
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

const ALONE = onlyRule('unrecovered-error');

const refund = failed('refund_order', { order_id: 'A-1001', amount: 425 }, 'amount exceeds order total 42.50');
const look = failed('get_user_by_email', { email: 'mia@example.com' }, 'Error: user not found');

type Turns = Parameters<typeof session>[0];
type Spec = Partial<Turns[number]>;
type Steps = Turns[number]['steps'] & object;

function turns(...all: readonly Steps[]): Session {
  return session(all.map((steps) => ({ user: 'Go on.', steps, agent: 'Let me see.' })));
}

describe('unrecovered-error', () => {
  it('quotes the error, and cites the call and its result', () => {
    const lost = turns([ok('get_order'), refund]);
    expect(findingMessages(lost, ALONE)).toEqual([
      '`refund_order` failed with "amount exceeds order total 42.50" and no later call made up for it.',
    ]);
    expect(evidencePointers(lost, ALONE)).toEqual(['/turns/0/steps/1', '/turns/0/steps/1/result']);
  });

  it('cites every failed call, the last one first, and is a problem from the third failure on', () => {
    const again = failed('refund_order', { order_id: 'A-1001', amount: 43 }, 'order is locked');
    const lost = turns([refund, again]);
    expect(findingMessages(lost, ALONE)).toEqual([
      '`refund_order` failed 2 times, the last time with "order is locked" and no later call made up for it.',
    ]);
    expect(evidencePointers(lost, ALONE)[0]).toBe('/turns/0/steps/1');
    expect(collectFindings(lost, { settings: ALONE })).toMatchObject([
      { severity: 'info', label: null, calls: ['/turns/0/steps/0', '/turns/0/steps/1'] },
    ]);
    const third = turns([refund, again, refund]);
    expect(collectFindings(third, { settings: ALONE })).toMatchObject([{ severity: 'medium' }]);
  });

  it('recognizes failures in results, and does not accept them as a recovery', () => {
    const unflagged = ok('refund_order', { order_id: 'A-1001' }, { success: false, message: 'window expired' });
    expect(findingMessages(turns([unflagged]), ALONE)).toEqual([
      '`refund_order` failed with "window expired" and no later call made up for it.',
    ]);
    expect(findingIds(turns([refund, unflagged]), ALONE)).toEqual(['unrecovered-error@0']);
    expect(findingIds(turns([refund, ok('refund_order', { order_id: 'A-1001' })]), ALONE)).toEqual([]);
  });

  it('reports once for each tool, at its last failure', () => {
    expect(findingIds(turns([refund, look], [refund]), ALONE)).toEqual(['unrecovered-error@0', 'unrecovered-error@1']);
  });

  it('reports failures in several files apart', () => {
    const steps = [refund];
    const files = session([
      { user: 'Refund it.', steps, agent: null, file: 'a.json' },
      { user: 'Again.', steps, agent: null, file: 'b.json' },
    ]);
    expect(findingIds(files, ALONE)).toEqual(['unrecovered-error@0', 'unrecovered-error@1']);
  });

  it('only observes unchanged retries, look-ups that fail again, and coding sessions', () => {
    const other = failed('get_user_by_email', { email: 'mia@example.org' }, 'Error: user not found');
    const less = failed('refund_order', { order_id: 'A-1001', amount: 43 }, 'order is locked');
    expect(collectFindings(turns([refund, refund, refund]), { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
    expect(collectFindings(turns([look, other, look]), { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
    const coding = { ...turns([refund, less, refund]), coding: true };
    expect(collectFindings(coding, { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
  });

  it('only observes retries with nothing but what the user had named', () => {
    const order = (id: string) => [failed('register_order', { customer: id, product: 'P-10' }, 'unknown customer')];
    const first = order('C-2024');
    const corrected = (input: string) =>
      session([
        { user: 'I am C-2024 or C-2023.', steps: [...first, ...order('C-2023')], agent: 'There is no such customer.' },
        { user: input, steps: order('C-2022'), agent: 'Nor is there this one.' },
      ]);
    expect(collectFindings(corrected('Sorry, C-2022.'), { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
    expect(collectFindings(corrected('Try again.'), { settings: ALONE })).toMatchObject([{ severity: 'medium' }]);
    const named = session([
      { user: 'C-2024, C-2023, C-2022?', steps: [...first, ...order('C-2023'), ...order('C-2022')], agent: null },
    ]);
    expect(collectFindings(named, { settings: ALONE })).toMatchObject([{ severity: 'info' }]);
  });

  it('reports a failed change whatever the user looks up later, but no failed look-up', () => {
    const check = { ...ok('check_status'), requestedBy: 'user' } as const;
    expect(findingIds(turns([refund], [check]), ALONE)).toEqual(['unrecovered-error@0']);
    expect(findingIds(turns([look], [check]), ALONE)).toEqual([]);
  });

  it.each<[string, Steps, Steps]>([
    ['the same tool', [refund], [ok('refund_order', { order_id: 'A-1001', amount: 42.5 })]],
    ['a tool of the same words', [failed('update_address', {}, 'no')], [ok('addressUpdate')]],
    [
      'another look-up of such a thing',
      [look],
      [ok('find_user_id_by_name_zip', { name: 'Mia', zip: '60601' }, 'mia_1')],
    ],
    [
      'a tool that was called for the same thing',
      [failed('cancel_order', { order_id: 'A-1001' }, 'Tool "cancel_order" not found.')],
      [ok('refund_order', { order_id: 'A-1001', amount: 42.5 })],
    ],
    [
      'a file written instead of edited',
      [failed('Edit', { file_path: 'src/a.ts', old_string: 'x = 1', new_string: 'x = 2' }, 'old_string not found')],
      [ok('Write', { file_path: 'src/a.ts', content: 'x = 2' })],
    ],
  ])('accepts %s as a recovery, in the same or a later turn', (_, before, after) => {
    expect(findingIds(turns(before), ALONE)).toEqual(['unrecovered-error@0']);
    expect(findingIds(turns([...before, ...after]), ALONE)).toEqual([]);
    expect(findingIds(turns(before, [], after), ALONE)).toEqual([]);
    expect(findingIds(turns([...after, ...before]), ALONE)).toEqual(['unrecovered-error@0']);
  });

  it.each<[string, Steps[number]]>([
    ['a look-up of the thing that was to be changed', ok('get_order', { order_id: 'A-1001' })],
    ['a change of something else', ok('update_user', { user_id: 'mia_1' })],
    ['a call that has the amount in common', ok('create_voucher', { amount: 425 })],
    ['the same call without a result', pending('refund_order', { order_id: 'A-1001', amount: 42.5 })],
    [
      'a call that the user rejected',
      { type: 'tool', name: 'refund_order', arguments: {}, outcome: 'rejected', requestedBy: 'agent' },
    ],
  ])('does not accept %s as a recovery', (_, after) => {
    expect(findingIds(turns([refund, after]), ALONE)).toEqual(['unrecovered-error@0']);
  });

  it('does not treat a date as an id', () => {
    const booked = failed('book_table', { date: '2026-03-03' }, 'full');
    expect(findingIds(turns([booked, ok('send_invoice', { date: '2026-03-03' })]), ALONE)).toEqual([
      'unrecovered-error@0',
    ]);
  });

  it.each<[string, Spec]>([
    ['a sub-agent', { steps: [{ type: 'agent', name: 'helper', turns: [] }] }],
    [
      'a call of the user',
      { steps: [{ type: 'tool', name: 'reset', arguments: {}, outcome: 'ok', requestedBy: 'user' }] },
    ],
    ['a gap in the recording', { captured: false }],
  ])('does not report when %s may hide the recovery', (_, hiding) => {
    const before = { user: 'Refund it.', steps: [refund], agent: 'Let me see.' };
    const after = { user: 'And now?', agent: 'Let me see.' };
    expect(findingIds(session([before, after]), ALONE)).toEqual(['unrecovered-error@0']);
    expect(findingIds(session([before, { ...after, ...hiding }]), ALONE)).toEqual([]);
    expect(findingIds(session([{ ...before, ...hiding, steps: [refund, ...(hiding.steps ?? [])] }]), ALONE)).toEqual(
      [],
    );
    expect(findingIds(session([{ ...after, ...hiding }, before]), ALONE)).toEqual(['unrecovered-error@1']);
  });

  const call = fc.record({
    name: fc.constantFrom('get_order', 'search_flights', 'cancel_order', 'bash'),
    args: fc.constantFrom({}, { order_id: 'A-1' }, { order_id: 'A-1', amount: 3 }, { order_id: 'A-2' }),
    works: fc.boolean(),
  });
  const calls = fc.array(call, { maxLength: 8 });
  const made = (all: readonly { name: string; args: object; works: boolean }[]) =>
    all.map(({ name, args, works }) => (works ? ok(name, { ...args }) : failed(name, { ...args }, 'no')));

  it('reports no more when a success follows, and the same when a harmless turn does', () => {
    fc.assert(
      fc.property(calls, call, (before, last) => {
        const alone = findingIds(turns(made(before)), ALONE);
        expect(findingIds(turns(made(before), []), ALONE)).toEqual(alone);
        const more = findingIds(turns(made(before), made([{ ...last, works: true }])), ALONE);
        expect(more.length).toBeLessThanOrEqual(alone.length);
      }),
    );
  });

  it('does not depend on the name of a namespace', () => {
    fc.assert(
      fc.property(calls, (all) => {
        const renamed = all.map((item) => ({ ...item, name: `mcp__shop__${item.name}` }));
        expect(findingIds(turns(made(renamed)), ALONE)).toEqual(findingIds(turns(made(all)), ALONE));
      }),
    );
  });

  it('takes linear time for 20,000 calls about one id', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [
      failed(`cancel_${at}`, { order_id: 'A-1001', part: `part-${at}` }, 'no'),
      ok(`refund_${at}`, { order_id: 'A-1001' }),
    ]).flat();
    const long = turns(many);
    const begun = performance.now();
    expect(findingIds(long, ALONE)).toHaveLength(10_000);
    expect(performance.now() - begun).toBeLessThan(3000);
  });
});
