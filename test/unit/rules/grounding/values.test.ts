import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObservedValues } from '../../../../src/rules/grounding/observed-values.ts';
import {
  isObserved,
  looksLikeId,
  parseValues,
  type StatedValue,
} from '../../../../src/rules/grounding/stated-values.ts';
import { scanValues } from '../../../../src/rules/grounding/value-scanner.ts';

/** `money 42.5`, `day 2026-3-3`, `time 900`, `id HAT170`: what a text states. */
function stated(text: string): string[] {
  return parseValues(text).map(worded);
}

function worded(value: StatedValue): string {
  switch (value.kind) {
    case 'figure':
      return `${value.unit} ${value.amount}`;
    case 'day':
      return `day ${value.year}-${value.month}-${value.day}`;
    case 'time':
      return `time ${value.minutes}${value.sure ? '' : '?'}`;
    case 'id':
      return `id ${value.text}`;
  }
}

describe('values in a text', () => {
  it.each([
    ['a total of $42.50', ['money 42.5']],
    ['4250 cents', ['money 42.5']],
    ['USD 42.50', ['money 42.5']],
    ['42,50 €', ['money 42.5']],
    ['1.234,56 €', ['money 1234.56']],
    ['$1,286', ['money 1286']],
    ['$1.5 million', ['money 1500000']],
    ['1.2k', ['count 1200']],
    ['5m', ['id 5m']],
    ['15%', ['percent 15']],
    ['May 15, 2024', ['day 2024-5-15']],
    ['3rd of March 2026', ['day 2026-3-3']],
    ['2026-03-03', ['day 2026-3-3']],
    ['May 20-22', ['day 0-5-20', 'day 0-5-22']],
    ['option 1 may be cheaper', ['count 1']],
    ['3 pm', ['time 900']],
    ['15:00', ['time 900']],
    ['3:30', ['time 210?']],
    ['2024-05-15T15:00:00Z', ['day 2024-5-15', 'time 900']],
    ['HAT170', ['id HAT170']],
    ['mia.li3818@example.com', ['id mia.li3818@example.com']],
    ['gift_card_8020792', ['id gift_card_8020792']],
    ['{"message":"as follows:\\n1) yes"}', ['count 1']],
    ['{"time":"2:00 PM\\u20134:00 PM"}', ['time 840', 'time 960']],
    ['{"name":"caf\\u00e9 24"}', ['count 24']],
    ['June\n    10th', ['day 0-6-10']],
  ])('parses %j as %j', (text, values) => {
    expect(stated(text)).toEqual(values);
  });

  it.each([
    ['$42.50', 'the price is 42.5'],
    ['$42.50', '{"amount_in_cents": 4250}'],
    ['$14.06', '{"amount": 14.060000000000002}'],
    ['$500', 'five hundred dollars'],
    ['15%', '{"rate": 0.15}'],
    ['March 3', '2026-03-03'],
    ['2026-03-03', '03/03'],
    ['March 3, 2026', '{"created": 1772530000}'],
    ['3 pm', 'departs at 15:00:00'],
    ['12:00', 'by noon'],
    ['3:30', 'at 3:30 PM'],
    ['May 12, 2024', '05/12/2024'],
    ['5.12.2024', 'May 12, 2024'],
    ['HAT170', 'flight hat170'],
    ['ORD-1234', 'order ord_1234'],
    ['7803', 'credit_card_2927803'],
    ['17642', 'card 20260017642'],
    ['17642', 'card 99999999999999990017642'],
  ])('finds %j in %j', (value, text) => {
    const seen = new ObservedValues();
    seen.readWords(text);
    expect(parseValues(value).map((value) => isObserved(value, seen))).toEqual([true]);
  });

  it.each([
    ['$42.50', '$45.20'],
    ['$4250', '42.50'],
    ['March 3', '2026-03-04'],
    ['March 3, 2025', '2026-03-03'],
    ['3 pm', '03:00'],
    ['HAT170', 'HAT171'],
    ['07642', 'card 20260017642'],
  ])('does not find %j in %j', (value, text) => {
    const seen = new ObservedValues();
    seen.readWords(text);
    expect(parseValues(value).map((value) => isObserved(value, seen))).toEqual([false]);
  });

  it.each(['HAT170', 'W1234567', '9HBUV8', 'gift_card_8020792', 'BK-48213', 'ETK-HATHAT-001'])(
    'recognizes %s as an identifier',
    (text) => expect(looksLikeId(text)).toBe(true),
  );

  it.each(['24-hour', '500mg', '1080p', 'Q4', 'step_1', 'COVID', 'v1.2.3', 'MP3'])(
    'does not recognize %s as an identifier',
    (text) => expect(looksLikeId(text)).toBe(false),
  );

  it('finds every observed amount again, however many there are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 99_999_999 })), (cents) => {
        const seen = new ObservedValues();
        seen.read(JSON.stringify(cents.map((cent) => cent / 100)));
        for (const cent of cents) expect(seen.hasFigure(cent / 100, 'money')).toBe(true);
      }),
    );
  });

  it('scans any text in order, each position once', () => {
    const texts = fc.string({
      unit: fc.constantFrom(...'0123456789ab T:/-.,@_$€%kM \n"\\', 'May ', 'pm', 'cents', '=', '…'),
      maxLength: 200,
    });
    fc.assert(
      fc.property(texts, (text) => {
        let tokens = 0;
        const within = (at: number, end: number) => {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(at);
          expect(end).toBeLessThanOrEqual(text.length);
          tokens += 1;
        };
        scanValues(text, {
          figure: (_amount, _unit, at, end) => within(at, end),
          day: (_year, _month, _day, at, end) => within(at, end),
          time: (_minutes, _sure, _zoned, at, end) => within(at, end),
          id: within,
        });
        expect(tokens).toBeLessThanOrEqual(4 * text.length);
      }),
    );
  });
});
