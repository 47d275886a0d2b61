import { describe, expect, it } from 'vitest';
import type { ToolStep } from '../../../../src/core/session.ts';
import { findUsedResult } from '../../../../src/metrics/shared/result-use.ts';
import { toolCall } from '../calls.ts';
import { turnOf } from '../views.ts';

const used = (result: unknown, output: string | null, input = 'How is it?', more: Partial<ToolStep> = {}) =>
  findUsedResult(turnOf(0, { input, output, steps: [toolCall('look', { id: 'A-17' }, { result, ...more })] }))?.value ??
  null;

describe('usedResult', () => {
  it.each([
    ['a number', { total: 1234.5 }, 'It comes to $1,234.50.', '1234.5'],
    ['a number in a text', 'Sunny, 22°C', 'Expect 22 degrees.', '22'],
    ['an identifier', { ref: 'ZX-9981' }, 'Booked as zx-9981.', 'zx-9981'],
    ['a date', { due: '2024-05-01' }, 'Due 2024-05-01.', '2024-05-01'],
    ['a name', { city: 'Paris' }, 'You fly to Paris.', 'Paris'],
    ['a phrase', ['blue whale'], 'A blue whale!', 'blue whale'],
    ['JSON inside a text', '{"seats":[{"row":"14C"}]}', 'Your seat is 14C.', '14c'],
    ['a digit that is the whole result', 7, 'The sum is 7.', '7'],
  ])('finds %s', (_, result, output, expected) => {
    expect(used(result, output)).toBe(expected);
  });

  it.each([
    ['no answer', { total: 1234 }, null],
    ['other figures', { total: 1234 }, 'It comes to 1235.'],
    ['a part of a word', { city: 'Paris' }, 'Parisians like it.'],
    ['a lone digit among others', { a: 7, b: 8 }, 'I took 7 steps.'],
    ['words that everybody uses', { status: 'shipped' }, 'It was shipped.'],
    ['true and null', { ok: true, error: null }, 'true, null'],
    ['nothing', undefined, 'Nothing.'],
  ])('finds no use of %s', (_, result, output) => {
    expect(used(result, output)).toBe(null);
  });

  it('does not count values that the agent was given', () => {
    expect(used({ total: 50 }, 'It is 50.', 'Is it 50?')).toBe(null);
    expect(used({ id: 'A-17' }, 'Order A-17 is late.')).toBe(null);
    expect(used({ city: 'Paris' }, 'To Paris.', 'Fly me to Paris')).toBe(null);
  });

  it('does not count results of failed calls', () => {
    expect(used({ code: 5031 }, 'Code 5031.', 'Hm', { outcome: 'error' })).toBe(null);
  });

  it('handles deep and large values', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(used(deep, 'x')).toBe(null);
    expect(used({ __proto__: null, list: Array.from({ length: 50_000 }, (_, i) => `Name ${i}`) }, 'x')).toBe(null);
  });
});
