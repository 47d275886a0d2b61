import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPoints, toSvgPath } from '../../../webview/chart-lines.ts';
import { firstLines, hiddenLabel } from '../../../webview/fold-text.ts';
import { toBuckets, worstValues } from '../../../webview/strip-buckets.ts';
import { failingTurn, sampleReport, turn } from '../../webview/recording.ts';

describe('toBuckets', () => {
  const { strip } = sampleReport(
    Array.from({ length: 103 }, (_, index) => (index % 10 === 3 ? failingTurn(index) : turn(index))),
  ).header;

  it('puts every turn into one group, with at most the given number of groups', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (most) => {
        const buckets = toBuckets(strip, 0, 103, most);
        expect(buckets.length).toBeLessThanOrEqual(most);
        let next = 0;
        for (const { first, last, worst } of buckets) {
          expect([first, last >= first, worst >= first && worst <= last]).toEqual([next, true, true]);
          next = last + 1;
        }
        expect(next).toBe(103);
      }),
    );
  });

  it('gives each group its worst turn and counts all problems', () => {
    const [first, second] = toBuckets(strip, 0, 103, 10);
    expect(first).toMatchObject({
      first: 0,
      last: 10,
      worst: 3,
      problems: 1,
      severity: 'high',
    });
    expect(second).toMatchObject({ first: 11, last: 21, worst: 13, problems: 1 });
    expect(toBuckets(strip, 0, 103, 1)).toMatchObject([{ problems: 10, coverage: 'rules' }]);
  });
});

describe('chart lines', () => {
  it('show the worst value of turns that share a point', () => {
    expect(worstValues([1, 0.2, null, 0.8, null, null], 3, false)).toEqual([0.2, 0.8, null]);
    expect(worstValues([1, 0.2, null, 0.8], 2, true)).toEqual([1, 0.8]);
    expect(worstValues([0.5, 0.6], 10, false)).toEqual([0.5, 0.6]);
  });

  it('are interrupted by missing values', () => {
    const points = toPoints([0, 1, null, 1], (value) => 10 - value * 10, 0, 30);
    expect(toSvgPath(points)).toBe('M0.0 10.0L10.0 0.0M30.0 0.0h0.01');
    expect(toSvgPath(toPoints([0.5], (value) => value, 0, 30))).toBe('M15.0 0.5h0.01');
  });
});

describe('firstLines', () => {
  it('gives the beginning of a text, and a label for the hidden rest', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');
    const text = firstLines(lines, 12);
    expect(text.split('\n')).toHaveLength(12);
    expect(hiddenLabel(lines, text.length)).toBe('28 more lines');
    const long = 'word '.repeat(1000);
    expect(firstLines(long, 12)).toHaveLength(960);
    expect(hiddenLabel(long, 960)).toBe('4,040 more characters');
    expect(firstLines('short', 12)).toBe('short');
  });
});
