import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberSet } from '../../../../src/rules/grounding/number-set.ts';

describe('NumberSet', () => {
  it('contains the added numbers like a built-in set, except NaN', () => {
    const number = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -50, max: 50 }));
    fc.assert(
      fc.property(fc.array(number, { maxLength: 300 }), fc.array(number), (added, input) => {
        const set = new NumberSet();
        const expected = new Set(added);
        for (const item of added) set.add(item);
        for (const item of [...added, ...input]) expect(set.has(item)).toBe(expected.has(item));
      }),
    );
  });

  it('does not contain NaN', () => {
    const set = new NumberSet();
    for (let times = 0; times < 1000; times += 1) set.add(Number.NaN);
    expect(set.has(Number.NaN)).toBe(false);
    expect(set.has(0)).toBe(false);
    set.add(-0);
    expect(set.has(0)).toBe(true);
  });

  it.each([
    ['whole', 1],
    ['halves', 0.5],
    ['hundredths', 0.01],
    ['powers of two apart', 2 ** 40],
  ])('adds two hundred thousand figures that are %s in a moment', (_, by) => {
    const before = process.threadCpuUsage();
    const set = new NumberSet();
    for (let figure = 0; figure < 200_000; figure += 1) set.add(figure * by);
    let missing = 0;
    for (let figure = 0; figure < 200_000; figure += 1) if (!set.has(figure * by)) missing += 1;
    expect(missing).toBe(0);
    const { user } = process.threadCpuUsage(before);
    expect(user).toBeLessThan(2_000_000);
  });
});
