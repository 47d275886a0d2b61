import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from '../../../../src/metrics/shared/porter-stemmer.ts';

/** Stems of NLTK 3.10's PorterStemmer in its default mode. */
const STEMS = `
  caresses caress, ponies poni, ties tie, dies die, flies fli, caress caress, cats cat, gas ga, this thi, yes ye,
  feed feed, agreed agre, plastered plaster, bled bled, motoring motor, sing sing, conflated conflat, troubled troubl,
  sized size, hopping hop, tanned tan, falling fall, hissing hiss, fizzed fizz, failing fail, filing file, using use,
  tied tie, spied spi, died die, cried cri, dried dri,
  happy happi, sky sky, enjoy enjoy, say say, by by, my my, buys buy, happily happili, daily daili,
  relational relat, conditional condit, rational ration, valenci valenc, hesitanci hesit, digitizer digit,
  conformabli conform, radically radic, differently differ, vilely vile, analogously analog, vietnamization vietnam,
  predication predic, operator oper, feudalism feudal, decisiveness decis, hopefulness hope, callousness callous,
  formality formal, sensitivity sensit, sensibility sensibl, hopefully hope, geology geolog, analogy analog, really realli,
  triplicate triplic, formative form, formalize formal, electricity electr, electrical electr, hopeful hope, goodness good,
  revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust,
  defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt,
  communism commun, activate activ, angularity angular, homologous homolog, effective effect, bowdlerize bowdler,
  probate probat, rate rate, cease ceas, controll control, roll roll,
  skies sky, dying die, lying lie, tying tie, news news, innings inning, inning inning, outings outing, outing outing,
  cannings canning, canning canning, howe howe, proceed proceed, exceed exceed, succeed succeed,
  a a, is is, as as, be be, running run, jumps jump, lazy lazi, 1st 1st, abc123ing abc123, yyyy yyyi
`;

describe('stem', () => {
  it.each(
    STEMS.trim()
      .split(/,\s*/)
      .map((entry) => entry.split(/\s+/)),
  )('%s -> %s', (word, expected) => {
    expect(stem(word ?? '')).toBe(expected);
  });

  it('never makes a word longer or empty', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,30}$/), (word) => {
        expect(stem(word).length).toBeLessThanOrEqual(word.length);
        expect(stem(word).length).toBeGreaterThan(0);
      }),
    );
  });

  it('handles words of any length', () => {
    expect(stem(`${'y'.repeat(100_000)}ing`).length).toBeGreaterThan(0);
  });
});
