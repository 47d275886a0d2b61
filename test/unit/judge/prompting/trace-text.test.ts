import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fairLimit, MAX_NOTE_LENGTH, selectSpans } from '../../../../src/judge/prompting/shorten.ts';
import { createTextRenderer, escapeInvisible, type FindSecrets } from '../../../../src/judge/prompting/trace-text.ts';

const whole = createTextRenderer(null);

/** A secret is `key-` and what stands behind it up to a quotation mark, a space or the end. */
const keys: FindSecrets = (text) =>
  Array.from(text.matchAll(/key-[^\s"]*/g), ({ 0: found, index }) => ({
    kind: 'key',
    start: index,
    end: index + found.length,
  }));

describe('rendered text of a trace', () => {
  it('is unchanged if there is room', () => {
    expect(whole('Grüße aus 東京 🙂\n\tzweite Zeile', 40)).toBe('Grüße aus 東京 🙂\n\tzweite Zeile');
  });

  it('is shortened in the middle, with the number of omitted characters', () => {
    const text = `${'a'.repeat(500)}${'b'.repeat(500)}`;
    const [, head, count, tail] = /^(a+) \(… (\d+) characters left out …\) (b+)$/.exec(whole(text, 200)) ?? [];
    expect((head?.length ?? 0) + (tail?.length ?? 0) + Number(count)).toBe(1000);
    expect(head?.length).toBeGreaterThan(tail?.length ?? 0);
  });

  it('is shown around relevant offsets', () => {
    const text = `${'-'.repeat(5000)}total 1234.5 EUR${'-'.repeat(5000)}`;
    expect(whole(text, 1000)).not.toContain('1234.5');
    expect(whole(text, 1000, [5006])).toContain('total 1234.5 EUR');
  });

  it('has no gap that is shorter than its note', () => {
    const text = '-'.repeat(9000);
    const places = fc.array(fc.nat(8999), { maxLength: 20 }).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(fc.integer({ min: 2 * MAX_NOTE_LENGTH, max: 6000 }), places, (limit, at) => {
        const spans = selectSpans(text, limit, at);
        const gaps = spans.slice(1).map(({ start }, index) => start - (spans[index]?.end ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThan(MAX_NOTE_LENGTH);
        const visible = spans.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(visible + gaps.length * MAX_NOTE_LENGTH).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('shows a short gap if there is room', () => {
    const text = '-'.repeat(20_000);
    // The first two overlap: what the third does not need is left for the gap before it.
    expect(selectSpans(text, 3000, [8000, 8010, 8330])).toHaveLength(3);
    expect(selectSpans(text, 3000, [8000, 8330])).toHaveLength(4);
  });

  it('never exceeds its limit, splits no surrogate pair, and contains no invisible character', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.repeat(400)),
      fc.constantFrom('\u202e'.repeat(3000), '🙂'.repeat(3000), '\u{e0041}'.repeat(900), 'key-1 '.repeat(900)),
    );
    const places = fc.array(fc.nat(9000), { maxLength: 20 }).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 3000 }), places, (text, limit, at) => {
        const inside = at.filter((place) => place < text.length);
        for (const show of [whole, createTextRenderer(keys)]) {
          const visible = show(text, limit, inside);
          expect(visible.length).toBeLessThanOrEqual(limit);
          expect(visible.isWellFormed()).toBe(true);
          expect(visible).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a\u202eb\u0000c', 'a\\u{202e}b\\u{0}c'],
    ['hidden \u{e0041}\u{e0042}', 'hidden \\u{e0041}\\u{e0042}'],
    ['half \ud83d', 'half \ufffd'],
    ['two\r\nlines', 'two\nlines'],
    ['👩‍👩‍👧 می‌خواهم', '👩‍👩‍👧 می‌خواهم'],
  ])('%j reads %j', (text, visible) => expect(escapeInvisible(text)).toBe(visible));
});

describe('a secret in a prompt', () => {
  const show = createTextRenderer(keys);

  it('is redacted, and JSON around it stays valid', () => {
    const text = show(JSON.stringify({ id: 'A-1', token: 'key-12345', inner: JSON.stringify({ t: 'key-6' }) }), 500);
    expect(JSON.parse(text)).toEqual({ id: 'A-1', token: '(redacted: key)', inner: '{"t":"(redacted: key)"}' });
  });

  it('is redacted even if only a part of it would be shown', () => {
    const secret = `key-${'s'.repeat(1500)}`;
    const rest = '-'.repeat(3000);
    for (const text of [secret + rest, rest + secret, `${rest} ${secret} ${rest}`, secret]) {
      expect(show(text, 300)).not.toContain('ss');
      expect(show(text, 1000, [3500, 3800])).not.toContain('ss');
    }
  });
});

describe('fairLimit', () => {
  it('leaves short texts complete, and shares the rest among long ones', () => {
    expect(fairLimit([10, 500, 20, 500], 230)).toBe(100);
    expect(fairLimit([10, 20], 30)).toBe(Number.POSITIVE_INFINITY);
    expect(fairLimit([], 0)).toBe(Number.POSITIVE_INFINITY);
    expect(fairLimit([5, 5], -3)).toBe(0);
  });

  it('uses the budget completely, and never exceeds it', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000)), fc.nat(20_000), (lengths, budget) => {
        const limit = fairLimit(lengths, budget);
        const used = lengths.reduce((sum, length) => sum + Math.min(length, limit), 0);
        expect(used).toBeLessThanOrEqual(budget);
        if (Number.isFinite(limit)) expect(used + lengths.length).toBeGreaterThan(budget);
      }),
    );
  });
});
