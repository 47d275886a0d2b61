import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripJsonComments } from '../../../src/core/json-comments.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../support/time-growth.ts';

describe('stripJsonComments', () => {
  it.each([
    ['{ // one\n "a": 1 /* two\r\n three */, }', '{       \n "a": 1       \r\n           }'],
    ['["// no", "/* no */", "\\"// no", ",]", ]', '["// no", "/* no */", "\\"// no", ",]"  ]'],
    ['[1,\n// last\n]', '[1 \n       \n]'],
    ['/* not closed', '/* not closed'],
    ['/*/ [] /**/', '/*/ [] /**/'.replace(/.*/, (all) => ' '.repeat(all.length))],
    ['"not closed // ,]', '"not closed // ,]'],
    ['{"a": "\\', '{"a": "\\'],
  ])('%j', (text, plain) => {
    expect(stripJsonComments(text)).toBe(plain);
  });

  it('leaves JSON without comments as it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat({ max: 2 }), (text, indent) => {
        const json = JSON.stringify(JSON.parse(text), null, indent);
        expect(stripJsonComments(json)).toBe(json);
      }),
    );
  });

  it.each(['"\\', '/*', '",', '//', ', '])('takes linear time for %j again and again', (piece) => {
    expect(timeGrowth(stripJsonComments, piece)).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});
