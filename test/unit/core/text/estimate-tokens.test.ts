import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/core/text/estimate-tokens.ts';

describe('estimateTokens', () => {
  it.each([
    ['English', 'The quick brown fox jumps over the lazy dog near the old river bank. '.repeat(10), 130, 190],
    ['JSON', '{"order_id": "#W1234567", "items": [12, 7], "total": 103.5}'.repeat(10), 190, 310],
    ['Chinese', '我想取消我的订单因为我不再需要它了'.repeat(10), 100, 200],
    ['Russian', 'Я хочу отменить свой заказ, потому что он мне больше не нужен. '.repeat(10), 150, 280],
    ['a rule of dashes', '-'.repeat(1000), 20, 125],
    ['indentation', ' '.repeat(1000), 1, 60],
  ])('of %s is near what tokenizers count', (_, text, least, most) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(least);
    expect(estimateTokens(text)).toBeLessThanOrEqual(most);
  });

  it('returns 0 for no text, and grows with the text', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a')).toBe(1);
    const text = 'Words and more words. ';
    expect(estimateTokens(text.repeat(200)) / estimateTokens(text.repeat(100))).toBeCloseTo(2, 1);
  });
});
