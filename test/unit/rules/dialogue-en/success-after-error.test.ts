import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { load } from '../../../../src/input/load.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { sharedData } from '../../../support/shared-data.ts';
import {
  evidencePointers,
  failed,
  findingIds,
  findingMessages,
  ok,
  onlyRule,
  pending,
  retrieved,
  session,
} from '../session-builder.ts';

const ALONE = onlyRule('success-after-error');

type Turns = Parameters<typeof session>[0];
type Steps = Turns[number]['steps'] & object;

const refund = failed('refund_order', { order_id: 'A-1001', amount: 425 }, 'amount exceeds order total 42.50');
const CLAIM = 'Your refund was issued.';
const FOUND = ['success-after-error@0'];

function answering(agent: string, steps: Steps = [refund]) {
  return session([{ user: 'Please refund A-1001.', steps, agent }]);
}

function rejected(name: string, args: Record<string, unknown> = {}): Steps[number] {
  return { type: 'tool', name, arguments: args, outcome: 'rejected', requestedBy: 'agent' };
}

describe('success-after-error', () => {
  it('states the failure and the claim, and cites the call, its result and the answer', () => {
    const lied = answering('Good news! Your refund of $425.00 was issued. It takes 5 days.');
    expect(findingIds(lied, ALONE)).toEqual(FOUND);
    expect(findingMessages(lied, ALONE)).toEqual([
      '`refund_order` failed with "amount exceeds order total 42.50" and nothing made up for it, yet the answer says "Your refund of $425.00 was issued."',
    ]);
    expect(evidencePointers(lied, ALONE)).toEqual(['/turns/0/steps/0', '/turns/0/steps/0/result', '/turns/0/output']);
  });

  it.each([
    'Your refund has been processed.',
    'The order has now been successfully refunded.',
    'I have refunded the order.',
    "I've gone ahead and refunded it.",
    'The refund went through successfully.',
    'Your order is refunded!',
    'The amount has been credited to your card.',
    'All done! Enjoy your day.',
    'Your refund was issued on May 3.',
    'I refunded the order for you.',
    'Refunded.',
    'All set, you will see the money in 3 days.',
    "You're all set!",
    'The 42.50 EUR are on their way to your card.',
    'Your refund of 42.50 EUR is on its way.',
    'The refund went through.',
    "I've taken care of it. Anything else?",
  ])('reads %j as a claim', (answer) => {
    expect(findingIds(answering(answer), ALONE)).toEqual(FOUND);
  });

  it.each([
    'Unfortunately the refund has not been issued.',
    'I was unable to refund it, but the request has been forwarded.',
    "The refund couldn't be processed. I have created a ticket.",
    'There is a problem: the amount is above the total. Your order has been found.',
    'Would you like me to try again once it has been shipped?',
    'After the parcel has been returned, we refund you.',
    'Your refund was issued. However, the bank declined it.',
    'Please tell me the amount.',
    'Refunds take 5 days.',
    'Your order is on its way.',
    'I made sure that you get an answer.',
    'The order that went through customs is at the shop.',
    'We take care of it.',
    'ご返金の手続きにつきましては、ただいま確認しております。恐れ入りますが、今しばらくお待ちくださいませ。\nRefund has been issued.',
  ])('does not read %j as a claim', (answer) => {
    expect(findingIds(answering(answer), ALONE)).toEqual([]);
  });

  it.each([
    ['Your order has been delivered on May 3.', 'Your order has been refunded.'],
    ['Your order has been located.', 'Your order has been processed.'],
    ['I have updated the address.', 'I have refunded it.'],
  ])('does not match %j with the failed action, but matches %j', (other, deed) => {
    expect(findingIds(answering(other), ALONE)).toEqual([]);
    expect(findingIds(answering(deed), ALONE)).toEqual(FOUND);
  });

  it("quotes the sentence with the tool's verb", () => {
    const lied = answering('Done! I have refunded 42.50 EUR.');
    expect(findingMessages(lied, ALONE)[0]).toMatch(/yet the answer says "I have refunded 42\.50 EUR\."$/);
  });

  it.each([
    'I deleted the mail for you.',
    'Mail m-1 is deleted.',
    'The mail is now gone.',
    'Deleted.',
    'Deleted it successfully!',
  ])('reads %j as a claim of deleting a mail', (answer) => {
    expect(findingIds(answering(answer, [failed('delete_mail', {}, 'mailbox locked')]), ALONE)).toEqual(FOUND);
  });

  it('does not confuse the object of a tool with its action', () => {
    const of = (tool: string, answer: string) =>
      findingIds(answering(answer, [failed(tool, {}, 'permission denied')]), ALONE);
    expect(of('delete_mail', 'The reply has been sent.')).toEqual([]);
    expect(of('send_mail', 'The reply has been sent.')).toEqual(FOUND);
    expect(of('cancel_order', 'The lamp was ordered on May 3.')).toEqual([]);
    expect(of('create_order', 'The lamp was ordered on May 3.')).toEqual(FOUND);
  });

  it.each<[unknown, string]>([
    [{ status: 'failed', reason: 'provider rejected' }, 'provider rejected'],
    ['{"success": false, "message": "Refund window expired"}', 'Refund window expired'],
    ['Error: no such order', 'Error: no such order'],
  ])('detects the failure in %j, which the trace does not flag', (result, message) => {
    const lied = answering('I have refunded it.', [ok('refund_order', {}, result)]);
    expect(findingMessages(lied, ALONE)).toEqual([
      `\`refund_order\` failed with "${message}" and nothing made up for it, yet the answer says "I have refunded it."`,
    ]);
    expect(findingIds(answering('I have refunded it.', [ok('refund_order')]), ALONE)).toEqual([]);
    expect(findingIds(answering('I have refunded it.', [refund, ok('refund_order', {}, result)]), ALONE)).toEqual(
      FOUND,
    );
  });

  it("recognizes other words for a tool's action", () => {
    const of = (tool: string, answer: string) =>
      findingIds(answering(answer, [failed(tool, {}, 'permission denied')]), ALONE);
    expect(of('Write', "I've created a basic CLAUDE.md file.")).toEqual(FOUND);
    expect(of('modify_order', 'Your order has been changed.')).toEqual(FOUND);
    expect(of('modify_order', 'Your order has been cancelled.')).toEqual([]);
    expect(of('activate_card', 'Your card has been activated.')).toEqual(FOUND);
  });

  it.each<[string, string]>([
    ['the order is refunded already', CLAIM],
    ['order was refunded on May 3', 'Your order was refunded on May 3.'],
    ['order was returned on Monday', 'Your order was returned on Monday.'],
    ['a ticket with this title exists', 'Your refund has been processed.'],
  ])('reads the answer as a description of the state after %j', (error, answer) => {
    expect(findingIds(answering(answer, [failed('refund_order', {}, error)]), ALONE)).toEqual([]);
  });

  it.each<[string, Steps]>([
    ['a later success of the same tool', [refund, ok('refund_order', { order_id: 'A-1001', amount: 42.5 })]],
    ['a success of another tool that changes something', [refund, ok('create_credit', { amount: 42.5 })]],
    ['one before', [ok('create_credit', { amount: 42.5 }), refund]],
    ['a success of a tool of unknown effect', [refund, ok('workflow_7', {})]],
    ['a call that may have been executed', [refund, pending('refund_order')]],
    ['a sub-agent', [refund, { type: 'agent', name: 'cashier', turns: [] }]],
    [
      'a deed of the user',
      [refund, { type: 'tool', name: 'press_button', arguments: {}, outcome: 'ok', requestedBy: 'user' }],
    ],
    ['a failed look-up', [failed('get_order', { order_id: 'A-1001' }, 'not found')]],
    ['a look-up after a timeout', [failed('refund_order', {}, 'Gateway timeout'), ok('get_order')]],
  ])('does not report after %s', (_, steps) => {
    expect(findingIds(answering(CLAIM, steps), ALONE)).toEqual([]);
    expect(findingIds(answering('Your order has been refunded.', steps), ALONE)).toEqual([]);
  });

  it('does not report when content was not recorded', () => {
    const turn = { user: 'Please refund A-1001.', steps: [refund], agent: CLAIM };
    expect(findingIds(session([turn]), ALONE)).toEqual(FOUND);
    expect(findingIds(session([{ ...turn, captured: false }]), ALONE)).toEqual([]);
  });

  it('does not report a tool that succeeded in an earlier turn', () => {
    const before = { user: 'Refund A-1000.', steps: [ok('refund_order')], agent: 'Your refund was issued.' };
    const after = { user: 'And A-1001.', steps: [refund], agent: 'Both orders have been refunded.' };
    expect(findingIds(session([before, after]), ALONE)).toEqual([]);
  });

  it('cites the last of several failures', () => {
    expect(evidencePointers(answering(CLAIM, [refund, ok('get_order'), refund]), ALONE)).toEqual([
      '/turns/0/steps/2',
      '/turns/0/steps/2/result',
      '/turns/0/output',
    ]);
  });

  it.each<[string, Steps]>([
    ['look-ups that succeeded', [ok('get_order'), refund, ok('get_order', { id: 2 })]],
    ['a timeout that nobody looked after', [failed('refund_order', {}, 'Gateway timeout')]],
    ["the agent's notes to itself", [refund, ok('TodoWrite', { todos: [] }), ok('think', { thought: 'done' })]],
    ['what a retriever brought', [retrieved('Refunds are easy.'), refund]],
  ])('still reports after %s', (_, steps) => {
    expect(findingIds(answering(CLAIM, steps), ALONE)).toEqual(FOUND);
  });

  it("requires the tool's own verb after a call of unknown effect", () => {
    const steps = [ok('workflow_7', {}), refund];
    expect(findingIds(answering('Your request has been processed.', steps), ALONE)).toEqual([]);
    expect(findingIds(answering('Your order has been refunded.', steps), ALONE)).toEqual(FOUND);
  });

  it('reports a change that the user rejected', () => {
    const lied = answering('I have deleted the old branch.', [rejected('delete_branch', { name: 'old' })]);
    expect(findingMessages(lied, ALONE)).toEqual([
      '`delete_branch` was refused by the user and nothing made up for it, yet the answer says "I have deleted the old branch."',
    ]);
    expect(findingIds(answering('All right, I leave the branch.', [rejected('delete_branch')]), ALONE)).toEqual([]);
  });

  describe('in a later turn', () => {
    const before = { user: 'Refund A-1001.', steps: [refund], agent: 'Unfortunately that failed.' };
    const later = (turn: Partial<Turns[number]>, first: Turns[number] = before) =>
      session([first, { user: 'Did it work?', agent: 'Yes, your order has been refunded.', ...turn }]);

    it('names the turn of the failed call, and cites the call first', () => {
      expect(findingIds(later({}), ALONE)).toEqual(['success-after-error@1']);
      expect(findingMessages(later({}), ALONE)).toEqual([
        '`refund_order` failed in turn 1 with "amount exceeds order total 42.50" and nothing made up for it, yet the answer says "Yes, your order has been refunded."',
      ]);
      expect(evidencePointers(later({}), ALONE)).toEqual([
        '/turns/0/steps/0',
        '/turns/0/steps/0/result',
        '/turns/1/output',
      ]);
    });

    it.each<[string, Partial<Turns[number]>]>([
      ['words that may be about anything', { agent: 'Your other request has been processed.' }],
      ['a look-up in that turn', { steps: [ok('get_order')] }],
      ['a success in that turn', { steps: [ok('refund_order')] }],
      ['a deed of the user', { user: "I've settled it with the shop. All good?" }],
      ['a sub-agent', { steps: [{ type: 'agent', name: 'cashier', turns: [] }] }],
    ])('does not report %s', (_, turn) => {
      expect(findingIds(later(turn), ALONE)).toEqual([]);
    });

    it('does not read a pleasantry as a claim', () => {
      const moved = { ...before, steps: [failed('update_address', {}, 'no such street')] };
      expect(findingIds(later({ agent: "You're all set!" }, moved), ALONE)).toEqual([]);
      expect(findingIds(later({ agent: 'The address is updated!' }, moved), ALONE)).toEqual(['success-after-error@1']);
    });

    it.each<[string, Steps]>([
      ['something was changed', [ok('create_credit'), refund]],
      ['the call broke off', [failed('refund_order', {}, 'Gateway timeout')]],
    ])('does not report when %s in an earlier turn', (_, steps) => {
      expect(findingIds(later({}, { ...before, steps }), ALONE)).toEqual([]);
    });
  });

  it('is unaffected by harmless turns', () => {
    const answers = fc.constantFrom(CLAIM, 'I could not do it.', 'Your order has been refunded.', 'Hello!');
    const calls = fc.array(fc.constantFrom(refund, ok('get_order'), rejected('refund_order')), { maxLength: 3 });
    const harmless = { user: 'Where are you?', steps: [ok('get_shop')], agent: 'In Paris.' };
    fc.assert(
      fc.property(calls, answers, (steps, agent) => {
        const turn = { user: 'Refund it.', steps, agent };
        const alone = findingIds(session([turn]), ALONE);
        expect(findingIds(session([turn, harmless]), ALONE)).toEqual(alone);
        expect(findingIds(session([harmless, turn]), ALONE)).toEqual(alone.map(() => 'success-after-error@1'));
      }),
    );
  });

  const REFUSED = sharedData('claude-code/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl');

  it.skipIf(REFUSED === null)('reports the file that was never written (skips without the public data)', async () => {
    const { sessions } = await load([REFUSED ?? ''], nodeFileSystem, { signal: new AbortController().signal });
    expect(sessions.flatMap((session) => findingMessages(session, ALONE))).toEqual([
      '`Write` failed with "Claude requested permissions to write to /path/to/Demo/CLAUDE.md, but you haven\'t granted it yet." and nothing made up for it, yet the answer says "I\'ve created a basic CLAUDE.md file for this empty repository."',
    ]);
    expect(sessions.flatMap((session) => evidencePointers(session, ALONE))).toEqual([
      '/24/message/content/0',
      '/25/message/content/0/content',
      '/28/message/content/0/text',
    ]);
  });

  const LABELLED = ['tau-bench', 'tau2-bench', 'agentrx-tau-retail'].flatMap((folder) => sharedData(folder) ?? []);

  it.skipIf(LABELLED.length === 0)('reports nothing in the labelled runs (skips without the public data)', async () => {
    const { sessions } = await load(LABELLED, nodeFileSystem, { signal: new AbortController().signal });
    expect(sessions.length).toBeGreaterThan(100);
    expect(sessions.flatMap((session) => findingIds(session, ALONE))).toEqual([]);
  });
});
