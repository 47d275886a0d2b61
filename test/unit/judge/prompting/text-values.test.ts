import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractDistinctiveValues, extractValues } from '../../../../src/judge/prompting/text-values.ts';

const telling = (text: string) => Array.from(extractDistinctiveValues(text), ({ value }) => value);
const all = (text: string) => Array.from(extractValues(text), ({ value }) => value);

describe('extractDistinctiveValues', () => {
  it.each([
    ['It comes to $1,234.50.', ['1234.5']],
    ['The refund of 37.00 EUR is on its way to the card ending in 8812.', ['37', 'EUR', '8812']],
    ['Order **CL-20917** of mia_li_3668 (mia@shop.test).', ['cl-20917', 'mia_li_3668', 'mia@shop.test']],
    ['Your flight leaves Zürich at 10 with Mia Li.', ['Zürich', 'Mia']],
    ['I have 2 of 15 left. Done!', []],
    ['Card 0042 is not 42.', ['0042']],
  ])('%j: %j', (text, values) => expect(telling(text)).toEqual(values));

  it('finds values that results write differently', () => {
    expect(all('{"total":1234.5,"id":"CL-20917","ids":[1001,1002]}')).toEqual(
      expect.arrayContaining(['1234.5', 'cl-20917', '1001', '1002']),
    );
  });

  it('returns correct offsets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (before, after) => {
        const match = [...extractValues(`${before} CL-20917 ${after}`)].find(({ value }) => value === 'cl-20917');
        expect(match?.offset).toBeLessThanOrEqual(before.length + 1);
      }),
    );
  });

  it('takes linear time for hostile text', () => {
    const hostile = `${'1,111'.repeat(1)}${',111'.repeat(200_000)}x${'a-'.repeat(200_000)}${'.'.repeat(200_000)}`;
    expect(all(hostile).length).toBeLessThan(400_000);
  });
});
