import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preciseIsoTime, preciseIsoTimeAfter, timeOrder } from '../../../../src/formats/spans/time.ts';

describe('preciseIsoTime', () => {
  it.each<[string, unknown, string | undefined]>([
    ['nanoseconds as digits', '1771237534577907123', '2026-02-16T10:25:34.577907123Z'],
    ['nanoseconds as a number, which is not exact', 1771237534577907000, '2026-02-16T10:25:34.577906944Z'],
    ['microseconds', 1771237534577907, '2026-02-16T10:25:34.577907Z'],
    ['milliseconds', 1771237534577, '2026-02-16T10:25:34.577Z'],
    ['seconds', 1771237534, '2026-02-16T10:25:34.000Z'],
    ['seconds with a fraction', 1771237534.25, '2026-02-16T10:25:34.250Z'],
    ['seconds as digits', '1771237534', '2026-02-16T10:25:34.000Z'],
    ['a pair of seconds and nanoseconds', [1770131992, 242000001], '2026-02-03T15:19:52.242000001Z'],
    ['zeros that are part of the milliseconds', '1771237534500000000', '2026-02-16T10:25:34.500Z'],
    ['ISO 8601 as it stands', '2026-02-16T11:25:34.123456+01:00', '2026-02-16T11:25:34.123456+01:00'],
    ['no time', 0, undefined],
    ['a negative number', -5, undefined],
    ['something too large', 1e21, undefined],
    ['a text', 'yesterday', undefined],
    ['a date that is none', '2026-13-45', undefined],
    ['a pair of something else', ['a', 1], undefined],
    ['nothing', null, undefined],
  ])('%s', (_, value, moment) => {
    expect(preciseIsoTime(value)).toBe(moment);
  });

  it('keeps every nanosecond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1_000_000_000_000_000_000n, max: 9_000_000_000_000_000_000n }), (nanos) => {
        const moment = preciseIsoTime(nanos.toString()) ?? '';
        const [, fraction = ''] = /\.(\d+)Z$/.exec(moment) ?? [];
        const back = BigInt(Date.parse(moment)) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(3));
        expect(back).toBe(nanos);
      }),
    );
  });
});

describe('preciseIsoTimeAfter', () => {
  it.each<[string, number | undefined, 3 | 6 | 9, string | undefined]>([
    ['2026-02-16T10:25:34.577907Z', 4163849, 6, '2026-02-16T10:25:38.741756Z'],
    ['2026-02-16T10:25:34.577Z', 1, 9, '2026-02-16T10:25:34.577000001Z'],
    ['2026-02-16T10:25:34.999Z', 1.5, 3, '2026-02-16T10:25:35.000500Z'.replace('500Z', '5Z')],
    ['2026-02-16T10:25:34.577Z', undefined, 6, undefined],
    ['2026-02-16T10:25:34.577Z', -1, 6, undefined],
  ])('adds to %s: %s', (start, duration, decimals, end) => {
    expect(preciseIsoTimeAfter(start, duration, decimals)).toBe(end);
  });
});

it('times are sorted by nanoseconds, in any time zone', () => {
  const moments = ['2026-01-01T10:00:00.0005Z', '2026-01-01T11:00:00.000400+01:00', undefined, '2026-01-01T10:00:00Z'];
  expect(moments.toSorted((a, b) => timeOrder(a) - timeOrder(b))).toEqual([
    '2026-01-01T10:00:00Z',
    '2026-01-01T11:00:00.000400+01:00',
    '2026-01-01T10:00:00.0005Z',
    undefined,
  ]);
});
