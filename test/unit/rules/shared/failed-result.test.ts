import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureMessage, reportsFailure } from '../../../../src/rules/shared/failed-result.ts';

/** As a tool may return it: as it is, as text, wrapped, and as parts of content. */
function shapesOf(result: unknown): unknown[] {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return [result, text, { result }, { output: text }, [{ type: 'text', text }], { content: [{ type: 'text', text }] }];
}

describe('a failed result', () => {
  it.each<[unknown, string]>([
    [{ success: false, message: 'Refund window expired' }, 'Refund window expired'],
    [{ ok: false, reason: 'no stock' }, 'no stock'],
    [{ error: 'User not found' }, 'User not found'],
    [{ error: { code: 7, message: 'denied' } }, 'denied'],
    [{ isError: true, detail: 'gone' }, 'gone'],
    [{ error: 'boom', status: 'whatever' }, 'boom'],
    ['Error: payment provider rejected the refund', 'Error: payment provider rejected the refund'],
    ['ValueError: no such order', 'ValueError: no such order'],
    ['Tool execution failed: no such order', 'Tool execution failed: no such order'],
    ['Error executing tool refund: no', 'Error executing tool refund: no'],
  ])('recognizes %j as a failure, in any wrapper and for any tool', (result, message) => {
    for (const shape of shapesOf(result)) {
      expect(reportsFailure(shape, 'changes')).toBe(true);
      expect(reportsFailure(shape, 'reads')).toBe(true);
      expect(failureMessage(shape)).toBe(message);
    }
  });

  it.each<unknown>([
    { status: 'failed', reason: 'provider rejected' },
    { status: 'error' },
    'Failed to refund the order',
    'Invalid amount',
  ])('recognizes %j as a failure for state-changing tools, but not for look-ups', (result) => {
    for (const shape of shapesOf(result)) {
      expect(reportsFailure(shape, 'changes')).toBe(true);
      expect(reportsFailure(shape, 'reads')).toBe(false);
      expect(reportsFailure(shape, 'unknown')).toBe(false);
    }
  });

  it.each<unknown>([
    { success: true },
    { ok: true, error: null },
    { error: '' },
    { error: false },
    { error: {} },
    { error: 'None', value: 3 },
    { success: true, error: 'one address was skipped' },
    { status: 'success', error: 'a warning' },
    { orders: [{ status: 'failed' }] },
    { payment: { success: false } },
    'Errors are listed on page 3.',
    'Two refunds failed, see above.',
    '{"error": "", "response": "cut o',
    `Error: ${'x'.repeat(5000)}`,
    null,
    7,
    [],
  ])('does not recognize %j as a failure', (result) => {
    for (const shape of shapesOf(result)) expect(reportsFailure(shape, 'changes')).toBe(false);
  });

  it.each([
    "{'success': False, 'message': 'no'}",
    "{'error': 'not found'}",
    '{"error": "not found", "response": "cut o',
  ])('reads %j, which is not JSON', (result) => {
    expect(reportsFailure(result, 'reads')).toBe(true);
    expect(failureMessage(result)).toBe(result);
  });

  it('never throws, and accepts anything without a word of failure as a success', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (result) => {
        const text = JSON.stringify(result);
        const messages = reportsFailure(result, 'changes');
        if (!/error|fail|false|denied|forbidden|invalid|exception|traceback|unauthori/i.test(text))
          expect(messages).toBe(false);
        expect(typeof failureMessage(result)).toBe('string');
      }),
    );
  });
});
