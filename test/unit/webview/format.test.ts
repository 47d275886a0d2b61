import { describe, expect, it } from 'vitest';
import { formatCost } from '../../../webview/format.ts';

describe('formatCost', () => {
  it.each([
    [0, 2, '0.00'],
    [0.1716, 2, '0.17'],
    [0.1716, 4, '0.1716'],
    [0.01, 2, '0.01'],
    [0.00042, 2, '0.00042'],
    [0.0000123, 4, '0.000012'],
    [1234.5, 2, '1234.50'],
  ])('%d in %d decimals is %s: what little was spent is not nothing', (cost, decimals, text) => {
    expect(formatCost(cost, decimals)).toBe(text);
  });
});
