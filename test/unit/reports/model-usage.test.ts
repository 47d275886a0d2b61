import { describe, expect, it } from 'vitest';
import { usageText } from '../../../src/reports/model-usage.ts';

const usage = { judgeCalls: 1200, judgeCallsCached: 30, promptTokens: 410_000, completionTokens: 36_000 };

describe('usageText', () => {
  it.each([
    [usage, '1,200 calls, 30 from the cache, 410,000 tokens in, 36,000 out'],
    [{ ...usage, judgeCalls: 1, judgeCallsCached: 0, cost: 0.175 }, '1 call, 410,000 tokens in, 36,000 out, cost 0.17'],
    [
      { ...usage, judgeCalls: 0, promptTokens: 0, completionTokens: 0, cost: 0 },
      '0 calls, 30 from the cache, cost 0.00',
    ],
    [
      { ...usage, judgeCalls: 2, judgeCallsCached: 0, cost: 0.00042 },
      '2 calls, 410,000 tokens in, 36,000 out, cost 0.00042',
    ],
  ])('%j', (input, text) => {
    expect(usageText(input)).toBe(text);
  });
});
