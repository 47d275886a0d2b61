import { describe, expect, it } from 'vitest';
import { lexicalEmbedder } from '../../../../src/embed/lexical.ts';
import { coherence } from '../../../../src/metrics/turn/coherence.ts';
import { tinyEmbedder } from '../../../support/static-models.ts';
import { resultOf, sessionOf, tableEmbedder, turnView } from '../views.ts';

const vectors = { asked: [1, 0], close: [3, 4], same: [2, 0], opposite: [-1, 0], nothing: [0, 0] };

async function evaluate(turn: Parameters<typeof sessionOf>[0][number], embedder = tableEmbedder(vectors)) {
  return resultOf(await coherence.evaluate(turnView(sessionOf([turn]), 0, { embedder }), {}), coherence);
}

describe('coherence', () => {
  it.each([
    ['same', 1, 0, true],
    ['close', 0.6, 0.4, true],
    ['opposite', 0, 2, false],
  ])('of %s is computed from the vectors', async (output, score, gap, success) => {
    const result = await evaluate({ input: 'asked', output });
    expect(result.status).toBe('scored');
    expect(result.score).toBeCloseTo(score, 9);
    expect(result.metadata).toEqual({ coherence_gap: gap, embedder: 'openai:table', threshold: 0.5, success });
    expect(result.passed).toBe(success);
  });

  it.each([
    ['', 'x'],
    ['x', ''],
    ['x', null],
    [' ', '\n'],
  ])('is vacuous for %j and %j, even without an embedder', async (input, output) => {
    for (const embedder of [tableEmbedder(vectors), null]) {
      const outcome = await coherence.evaluate(turnView(sessionOf([{ input, output }]), 0, { embedder }), {});
      const result = resultOf(outcome, coherence);
      expect(result).toMatchObject({ status: 'vacuous', score: 1, passed: null });
      expect(result.metadata).toEqual({ threshold: 0.5, success: null });
    }
  });

  it('is not applicable if the agent spoke first or content was not recorded', async () => {
    expect(await evaluate({ input: null })).toMatchObject({ status: 'not_applicable' });
    expect(await evaluate({ output: null, captured: false })).toMatchObject({ status: 'not_applicable' });
  });

  it('needs an embedder', async () => {
    const outcome = await coherence.evaluate(turnView(sessionOf([{}]), 0), {});
    expect(outcome.status).toBe('needs_embedder');
  });

  it('needs an embedding model when the embedder is lexical, with the word overlap in the metadata', async () => {
    const result = await evaluate({ input: 'my order', output: 'my order' }, lexicalEmbedder());
    expect(result).toMatchObject({ status: 'needs_embedder', score: null, passed: null });
    expect(result.reason).toMatch(/^Word overlap is no measure of coherence/);
    expect(result.metadata).toEqual({ word_overlap: 1, embedder: 'lexical' });
  });

  it('has no score where the embedder knows no word of a text', async () => {
    const embedder = await tinyEmbedder();
    expect(
      await evaluate({ input: 'Where is my order?', output: 'Your parcel ships on Monday.' }, embedder),
    ).toMatchObject({
      status: 'scored',
      metadata: { embedder: 'static:tiny' },
    });
    for (const [input, output] of [
      ['Where is my order?', '注文は明日届きます'],
      ['注文はどこですか', 'Your parcel ships on Monday.'],
    ]) {
      const result = await evaluate({ input, output }, embedder);
      expect(result).toMatchObject({ status: 'needs_embedder', score: null, passed: null });
      expect(result.reason).toBe(
        'static:tiny knows no word of the request or of the answer, so they cannot be compared. Choose an embedder for their language.',
      );
    }
  });

  it('points at the answer, then at the request, in their own files', async () => {
    const result = await evaluate({
      input: 'asked',
      output: 'same',
      inputPointer: '/i',
      outputPointer: '/o',
      file: 'b.json',
    });
    expect(result.evidence).toEqual([
      { pointer: '/o', note: 'the answer', file: 'b.json' },
      { pointer: '/i', note: 'what the user said', file: 'b.json' },
    ]);
  });

  it('passes embedder errors to the engine', async () => {
    const embedder = { ...tableEmbedder({}), embed: () => Promise.reject(new Error('The embedder is down.')) };
    await expect(evaluate({}, embedder)).rejects.toThrow('The embedder is down.');
  });
});
