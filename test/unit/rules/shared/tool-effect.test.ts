import { describe, expect, it } from 'vitest';
import type { Session, ToolStep } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { createRuleView } from '../../../../src/rules/rule-view.ts';
import { changeVerb, toolEffect, toolNameMatcher } from '../../../../src/rules/shared/tool-effect.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../../support/time-growth.ts';
import { failed, ok, session as sessionOf } from '../session-builder.ts';

describe('toolEffect', () => {
  it.each([
    'cancel_reservation',
    'book_reservation',
    'update_reservation_flights',
    'send_certificate',
    'return_delivered_order_items',
    'exchange_delivered_order_items',
    'update_task_status',
    'resend-confirmation-email',
    'mcp__shop__refundOrder',
    'helm_repo_add',
    'k8s_apply_manifest',
    'place_order',
    'issue_refund',
    'transfer_money',
    'transfer_to_savings_account',
    'remove_from_cart',
    'add_to_cart',
    'submit_application',
    'suspend_line',
    'wire_money',
    'buy_stock',
    'execute_trade',
    'void_payment',
    'mark_as_paid',
    'rebook_flight',
    'checkout',
    'order_pizza',
    'escalate_case',
    'make_payment',
  ])('knows that %s changes', (name) => {
    expect(toolEffect(name, undefined)).toBe('changes');
  });

  it.each([
    'get_order',
    'can_send_mms',
    'is_order_cancelled',
    'run_speed_test',
    'calculate',
    'think',
    'search_direct_flight',
    'list_all_product_types',
    'get_exchange_rate',
    'get_return_policy',
    'book_search',
    'access_cart_information',
    'get_post',
  ])('knows that %s reads', (name) => {
    expect(toolEffect(name, undefined)).toBe('reads');
  });

  it.each([
    ['hands the conversation over', 'transfer_to_human_agents'],
    ['hands over to an agent that is named', 'transfer_to_billing'],
    ['hands a call over', 'transfer_call'],
    ['ends the work', 'submit'],
    ['ends the work with its answer', 'submit_final_answer'],
    ['adds numbers', 'add'],
    ['clicks through pages', 'browser_close'],
    ['is a note of the agent to itself', 'TodoWrite'],
    ['says on what, after a preposition', 'ohlc_for_investors_exchange_iex_trading'],
    ['is told of a thing', 'place_details'],
    ['reads and changes', 'check_and_book'],
    ['is told of an order', 'order_status'],
    ['follows an order', 'track_order'],
    ['is named after a thing', 'order'],
    ['hands the case to a person', 'escalate_to_human'],
    ['may read as well as write', 'run_sql'],
    ['opens, be it a page or an account', 'open'],
    ['says neither', 'workflow_7'],
  ])('is unknown for what %s: %s', (_, name) => {
    expect(toolEffect(name, undefined)).toBe('unknown');
  });

  it('follows the annotation, whatever the name', () => {
    expect(toolEffect('get_order', { name: 'get_order', changesState: true })).toBe('changes');
    expect(toolEffect('delete_all', { name: 'delete_all', changesState: false })).toBe('reads');
  });
});

describe('changeVerb', () => {
  it.each([
    ['cancel_pending_order', 'cancel'],
    ['issue_refund', 'refund'],
    ['create_refund', 'refund'],
    ['process_partial_refund', 'refund'],
    ['submit_cancellation', 'cancel'],
    ['send_money', 'transfer'],
    ['make_payment', 'pay'],
    // What is made or sent is a thing.
    ['issue_certificate', 'issue'],
    ['create_return_label', 'create'],
    ['send_refund_confirmation', 'send'],
    ['get_order', null],
  ])('of %s is %s', (name, verb) => {
    expect(changeVerb(name)).toBe(verb);
  });
});

describe('a call that changed state', () => {
  const changesOf = (result: unknown) =>
    createRuleView(sessionOf([{ user: 'Cancel it.', steps: [ok('cancel_order', {}, result)], agent: 'Done.' }]))
      .changes;

  it.each([
    [{ done: true }],
    ['Certificate 7 added'],
    ['{"error": "", "id": 7}'],
    [{ status: 'cancelled', error: null }],
    [''],
  ])('may return %j', (result) => {
    expect(changesOf(result)).toHaveLength(1);
  });

  it.each([
    ['Error: order not found'],
    ['{"error": "not found"}'],
    [{ success: false }],
    ['{"ok": false}'],
    [{ status: 'failed' }],
  ])('does not return %j', (result) => {
    expect(changesOf(result)).toEqual([]);
  });

  it('did not fail, and has a source for its effect', () => {
    const tools = [{ name: 'sync', changesState: true }, { name: 'cancel_order' }, { name: 'get_next' }];
    const steps = [ok('sync'), ok('cancel_order'), ok('get_next'), failed('cancel_order', {}, 'no')];
    const { calls, changes } = createRuleView(
      sessionOf([{ user: 'Go.', steps, agent: 'Done.' }], tools),
      toolNameMatcher(['get_*']),
    );
    expect(calls.map((call) => [changes.includes(call), call.changeSource])).toEqual([
      [true, 'annotation'],
      [true, 'name'],
      [true, 'configuration'],
      [false, 'name'],
    ]);
  });
});

describe('state-changing tools in the configuration', () => {
  it.each([
    ['delete_*', 'delete_user', true],
    ['delete_*', 'undelete_user', false],
    ['*_order', 'refund_order', true],
    ['a.b', 'axb', false],
    ['get(order)', 'get(order)', true],
    ['sync', 'sync', true],
    ['sync', 'sync_all', false],
    ['*a*b*', 'xaxbx', true],
    ['*a*b*', 'xbxax', false],
    ['a*a', 'a', false],
    ['**', '', true],
  ])('%s is %s: %s', (pattern, name, matches) => {
    expect(toolNameMatcher([pattern])(name)).toBe(matches);
  });

  it.each(['**********b', '*a*a*a*a*a*b'])('are found in linear time: %s', (pattern) => {
    expect(timeGrowth(toolNameMatcher([pattern]), 'a')).toBeLessThan(MAX_LINEAR_GROWTH);
  });

  it('change state, whatever their names say, so that calling them twice is not a repeated call', () => {
    const call = (at: number): ToolStep => ({
      type: 'tool',
      pointer: `/steps/${at}`,
      name: 'get_next_ticket',
      arguments: {},
      result: { id: 7 },
      outcome: 'ok',
      requestedBy: 'agent',
    });
    const session: Session = {
      id: 's',
      source: { file: 's.json', format: 'turnwise', pointer: '' },
      turns: [{ id: 't', pointer: '/turns/0', input: 'Work on.', output: 'Done.', steps: [call(0), call(1)] }],
    };
    const rulesOf = (patterns: string[]) =>
      collectFindings(session, { settings: { 'state-change': 'off' }, changesState: toolNameMatcher(patterns) }).map(
        ({ rule }) => rule,
      );
    expect(rulesOf([])).toEqual(['repeated-call']);
    expect(rulesOf(['get_next_*'])).toEqual([]);
  });
});
