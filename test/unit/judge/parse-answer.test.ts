import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractObject, extractTruncatedObject } from '../../../src/judge/parse-answer.ts';

const VALUE = { q: { reason: 'He said "{" \\ and left', score: 3 } };
const JSON_TEXT = JSON.stringify(VALUE, null, 2);

describe('extractObject', () => {
  it.each([
    ['is all of it', JSON_TEXT],
    ['stands in a fence', `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ['stands in a fence of its own kind', `<answer>${JSON_TEXT}</answer>`],
    ['stands behind words', `Here is my answer:\n\n${JSON_TEXT}`],
    ['stands before words', `${JSON_TEXT}\n\nI hope that {this} helps.`],
    ['stands behind thoughts', `<think>Perhaps {"score": 2}, or { nothing. {"q": 1} at first.</think>${JSON_TEXT}`],
    ['stands behind braces that do not close', `{ { { "${JSON_TEXT}`],
  ])('%s', (_, text) => {
    expect(extractObject(text, ['q'])).toEqual(VALUE);
  });

  it('finds an object without the key', () => {
    expect(extractObject('So: {"score": 2}.', ['q'])).toEqual({ score: 2 });
  });

  it.each(['', 'no', '[1]', '{', '{"a": }'])('is not in %j', (text) => {
    expect(extractObject(text, ['q'])).toBeNull();
  });

  it('takes bounded time', () => {
    expect(extractObject('{'.repeat(300_000), ['q'])).toBeNull();
  });
});

describe('extractTruncatedObject', () => {
  const whole = { a: { text: 'one, "two" {' }, b: [1, 2, { c: 3 }], d: 'last' };

  it('returns the complete properties, wherever the text ends', () => {
    const text = JSON.stringify(whole);
    fc.assert(
      fc.property(fc.nat(text.length), (length) => {
        const kept = extractTruncatedObject(text.slice(0, length)) ?? {};
        expect(whole).toMatchObject(kept);
        const complete = Object.keys(kept).length;
        const ends = [text.indexOf(',"b"'), text.indexOf(',"d"')];
        expect(complete).toBe(ends.filter((end) => end < length).length);
      }),
    );
  });

  it('finds an object after a fence', () => {
    expect(extractTruncatedObject('```json\n{"a": 1, "b": {"c"')).toEqual({ a: 1 });
  });

  it.each(['', 'no', '{"a": 1', '{x, "b"'])('has nothing complete in %j', (text) => {
    expect(extractTruncatedObject(text)).toBeNull();
  });
});
