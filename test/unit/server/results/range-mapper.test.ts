import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TextDelta, toTextDelta } from '../../../../src/protocol/text-delta.ts';
import { mapRange, RangeMapper } from '../../../../src/server/results/range-mapper.ts';

/** Texts of few kinds of characters, so that edits meet line breaks often. */
const TEXT = fc
  .array(fc.constantFrom('a', 'b', '"', '\n', '\r\n', '😀'), { maxLength: 30 })
  .map((parts) => parts.join(''));

function positionAt(text: string, offset: number): { line: number; character: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n/);
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

/** Never inside a line break. */
function sound(text: string, offset: number): number {
  const at = Math.min(offset, text.length);
  return text[at] === '\n' && text[at - 1] === '\r' ? at - 1 : at;
}

const range = (text: string, from: number, to: number) => ({
  start: positionAt(text, from),
  end: positionAt(text, to),
});

function replaced(text: string, from: number, to: number, by: string): { text: string; edit: TextDelta } {
  return { text: text.slice(0, from) + by + text.slice(to), edit: toTextDelta(range(text, from, to), by) };
}

describe('a range in an edited text', () => {
  it('moves with its text, wherever else the text changes', () => {
    const change = fc.record({ at: fc.nat(60), length: fc.nat(10), by: TEXT });
    fc.assert(
      fc.property(TEXT, fc.array(change, { maxLength: 5 }), (result, changes) => {
        // Letters that no edit has in them, so that they can be found again.
        let text = `before${result}[HERE]behind${result}`;
        const shift = new RangeMapper();
        const place = range(text, text.indexOf('[HERE]'), text.indexOf('[HERE]') + 6);
        for (const { at, length, by } of changes) {
          const here = text.indexOf('[HERE]');
          const from = sound(text, at);
          const to = sound(text, Math.min(from + length, from <= here ? here : text.length));
          if (from > here && from < here + 6) continue;
          const next = replaced(text, from, Math.max(from, to), by);
          // A break that an edit makes of two halves is one that no editor gives.
          if (/\r$/.test(text.slice(0, from)) || /^\n/.test(by) || /\r$/.test(by)) continue;
          text = next.text;
          shift.add([next.edit]);
        }
        const here = text.indexOf('[HERE]');
        expect(shift.map(place)).toEqual(range(text, here, here + 6));
      }),
    );
  });

  const line = (start: number, end: number) => ({
    start: { line: 0, character: start },
    end: { line: 0, character: end },
  });
  const put = (start: number, end: number, text: string) => toTextDelta(line(start, end), text);

  it.each<[what: string, edit: TextDelta, comes: ReturnType<typeof line>]>([
    ['grows with what is put into it', put(5, 5, 'xyz'), line(4, 11)],
    ['shrinks with what is taken out of it', put(5, 7, ''), line(4, 6)],
    ['is pushed on by what is put before it', put(4, 4, 'xy'), line(6, 10)],
    ['stays where something is put behind it', put(8, 8, 'xy'), line(4, 8)],
    ['keeps its rest when its beginning goes', put(2, 6, ''), line(2, 4)],
    ['keeps its rest when its end goes', put(6, 12, ''), line(4, 6)],
    ['is empty, and where it was, when all of it goes', put(2, 12, ''), line(2, 2)],
    ['is what stands there now when all of it is replaced', put(4, 8, 'new value'), line(4, 13)],
    ['stays within what replaces more than it', put(2, 12, 'abc'), line(4, 5)],
  ])('%s', (_, edit, comes) => {
    expect(mapRange(line(4, 8), edit)).toEqual(comes);
  });

  it('stays on its line when the whole text is replaced, as far as that exists', () => {
    const at = (line: number, from: number, to: number) => ({
      start: { line, character: from },
      end: { line, character: to },
    });
    const all = { start: { line: 0, character: 0 }, end: { line: 9, character: 1 } };
    const [begins, proves] = [at(0, 0, 0), at(7, 4, 9)];
    const longer = toTextDelta(all, 'a line\n'.repeat(20));
    expect([begins, proves].map((place) => mapRange(place, longer))).toEqual([begins, proves]);
    const shorter = toTextDelta(all, 'a line\n'.repeat(3));
    expect([begins, proves].map((place) => mapRange(place, shorter))).toEqual([begins, at(3, 0, 0)]);
  });

  it('is restored when the text is', () => {
    const shift = new RangeMapper();
    const place = line(4, 8);
    shift.add([put(0, 0, 'new ')]);
    expect(shift.map(place)).toEqual(line(8, 12));
    shift.reset();
    expect(shift.map(place)).toBe(place);
    shift.add([put(0, 0, 'x')]);
    expect(shift.map(place)).toEqual(line(5, 9));
  });
});
