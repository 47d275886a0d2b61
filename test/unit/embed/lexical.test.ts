import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine } from '../../../src/embed/embedder.ts';
import { LEXICAL_TEXT_LIMIT, lexicalEmbedder, lexicalVector } from '../../../src/embed/lexical.ts';

const similarity = (a: string, b: string) => cosine(lexicalVector(a), lexicalVector(b)) ?? 0;

describe('the lexical embedder', () => {
  it('names itself', () => {
    expect(lexicalEmbedder()).toMatchObject({ provider: 'lexical', model: null });
  });

  it('returns one vector per text, in order, all of one length', async () => {
    const vectors = await lexicalEmbedder().embed(['one', '', 'two'], new AbortController().signal);
    expect(vectors.map((vector) => vector.length)).toEqual([512, 512, 512]);
    expect(vectors[2]).toEqual(lexicalVector('two'));
  });

  it('rejects once it is cancelled', async () => {
    await expect(lexicalEmbedder().embed(['one'], AbortSignal.abort())).rejects.toThrow();
  });

  it.each(['', '   \n\t', '!!! ... ---', '«—»'])('has no vector for %j', (text) => {
    expect(lexicalVector(text).every((value) => value === 0)).toBe(true);
  });

  it.each([
    ['a letter', 'a'],
    ['a word', 'Zürich'],
    ['text without spaces', '注文はどこですか'],
    ['a symbol', '👍'],
    ['a lone surrogate', '\ud800'],
    ['a word beyond the limit', 'x'.repeat(100_000)],
  ])('has a vector of length 1 for %s', (_, text) => {
    const vector = lexicalVector(text);
    expect(cosine(vector, vector)).toBe(1);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it.each([
    ['case and spaces', 'Your order  is\nlate', 'your ORDER is late'],
    ['punctuation', 'Hello, world!', 'hello world'],
    ['composition of characters', 'Caf\u00e9', 'Cafe\u0301'],
    ['width', 'ＡＢＣ', 'abc'],
  ])('sees through %s', (_, a, b) => {
    expect(similarity(a, b)).toBeCloseTo(1, 6);
  });

  it('puts texts that share words closer than texts that do not', () => {
    const text = 'Your order 4711 ships on Monday from our warehouse.';
    const near = similarity(text, 'The order 4711 ships on Tuesday from the warehouse.');
    const far = similarity(text, 'Photosynthesis turns light into sugar.');
    expect(near).toBeGreaterThan(0.5);
    expect(far).toBeLessThan(0.2);
    expect(similarity('cancellation', 'cancelling')).toBeGreaterThan(similarity('cancellation', 'photosynthesis'));
  });

  it('says nothing about a text without a vector', () => {
    expect(cosine(lexicalVector('?'), lexicalVector('order'))).toBeNull();
  });

  it('separates long texts without a common character', () => {
    const text = (from: number) =>
      Array.from({ length: 9000 }, (_, i) => (i % 4 === 3 ? ' ' : String.fromCharCode(from + i))).join('');
    expect(Math.abs(similarity(text(0x4e00), text(0x7600)))).toBeLessThan(0.2);
  });

  it('reads no further than its limit', () => {
    const text = 'word '.repeat(LEXICAL_TEXT_LIMIT / 5);
    const padded = text.padEnd(LEXICAL_TEXT_LIMIT, ' ');
    expect(lexicalVector(`${padded}something else entirely`)).toEqual(lexicalVector(padded));
  });

  it('stays within [-1, 1] and is symmetric, whatever the texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const value = similarity(a, b);
        expect(Math.abs(value)).toBeLessThanOrEqual(1 + 1e-9);
        expect(similarity(b, a)).toBe(value);
      }),
    );
  });
});
