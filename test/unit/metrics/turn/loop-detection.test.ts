import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { get } from '../../../../src/core/json.ts';
import type { Turn } from '../../../../src/core/session.ts';
import { lexicalEmbedder } from '../../../../src/embed/lexical.ts';
import { loopDetection } from '../../../../src/metrics/turn/loop-detection.ts';
import { tinyEmbedder } from '../../../support/static-models.ts';
import { resultOf, sessionOf, tableEmbedder, turnView } from '../views.ts';

const outputs = (...texts: (string | null)[]): Partial<Turn>[] => texts.map((output) => ({ output }));

async function evaluate(turns: readonly Partial<Turn>[], index: number, embedder = lexicalEmbedder()) {
  return resultOf(await loopDetection.evaluate(turnView(sessionOf(turns), index, { embedder }), {}), loopDetection);
}

const indices = (metadata: unknown) => {
  const comparisons = get(metadata, 'comparisons');
  return Array.isArray(comparisons) ? comparisons.map((comparison) => get(comparison, 'trace_index')) : [];
};

describe('loop_detection', () => {
  it('is cosine x Jaccard against the closest answer in the window', async () => {
    const embedder = tableEmbedder({
      'order ships monday': [1, 0],
      'order ships tuesday': [3, 4],
      'refund denied': [0, 1],
    });
    const turns = outputs('order ships monday', 'refund denied', 'order ships tuesday');
    const result = await evaluate(turns, 2, embedder);
    expect(result.score).toBeCloseTo(0.7, 9);
    expect(result.metadata).toEqual({
      window_size: 3,
      max_hybrid: 0.3,
      comparisons: [
        { trace_index: 0, cosine_similarity: 0.6, jaccard_similarity: 0.5, hybrid_score: 0.3 },
        { trace_index: 1, cosine_similarity: 0.8, jaccard_similarity: 0, hybrid_score: 0 },
      ],
      embedder: 'openai:table',
      threshold: 0.5,
      success: true,
    });
    expect(result.reason).toBe('Closest to the answer of turn 1: 0.3 (cosine 0.6 x word overlap 0.5).');
    expect(result.evidence).toEqual([
      { pointer: '/turns/2', note: 'this answer' },
      { pointer: '/turns/0', note: 'the answer of turn 1' },
    ]);
  });

  it('finds a verbatim repetition with the lexical embedder', async () => {
    const text = 'As I said, your order is on its way.';
    const result = await evaluate(outputs(text, 'Something new about refunds.', text), 2);
    expect(result).toMatchObject({
      status: 'scored',
      score: 0,
      passed: false,
      metadata: { max_hybrid: 1, success: false },
    });
  });

  it('finds an answer in other words with a static model, which the lexical embedder does not', async () => {
    const turns = outputs(
      'The parcel arrives on Monday with the refund, rain or sunny weather.',
      'The package comes on Monday with the refund, rain or sunny weather.',
    );
    const [byWords, byMeaning] = [await evaluate(turns, 1), await evaluate(turns, 1, await tinyEmbedder())];
    expect(byWords).toMatchObject({ status: 'scored', passed: true });
    expect(byMeaning).toMatchObject({ status: 'scored', passed: false });
  });

  it('has no score where the embedder knows no word of an answer that shares words with another', async () => {
    const again = await evaluate(outputs('注文は明日届きます', '注文は明日届きます'), 1, await tinyEmbedder());
    expect(again).toMatchObject({ status: 'needs_embedder', score: null, passed: null });
    expect(again.reason).toMatch(/^static:tiny knows no word of this answer or of an earlier one/);
    const other = await evaluate(outputs('明日', '注文'), 1, await tinyEmbedder());
    expect(other).toMatchObject({ status: 'scored', score: 1 });
  });

  it('points at the latest of several equally close answers', async () => {
    const result = await evaluate(outputs('same words', 'same words', 'same words'), 2);
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/2', '/turns/1']);
  });

  it('never exceeds 1 and never shows negative zero', async () => {
    const embedder = tableEmbedder({ 'same words': [1, 0], 'words same': [-1, 0] });
    const result = await evaluate(outputs('same words', 'words same'), 1, embedder);
    expect(result.score).toBe(1);
    expect(result.metadata.max_hybrid).toBe(-1);
  });

  it.each([
    ['the first turn', outputs('x'), 0, 'needs an earlier turn'],
    ['an empty answer', outputs('x', ' '), 1, 'no answer'],
    ['no answer', outputs('x', null), 1, 'no answer'],
    ['no earlier answer in the window', outputs('x', '', null, ' ', 'y'), 4, 'last three turns'],
  ])('is vacuous for %s', async (_, turns, index, reason) => {
    for (const embedder of [lexicalEmbedder(), null]) {
      const outcome = await loopDetection.evaluate(turnView(sessionOf(turns), index, { embedder }), {});
      const result = resultOf(outcome, loopDetection);
      expect(result).toMatchObject({ status: 'vacuous', score: 1, passed: null });
      expect(result.reason).toContain(reason);
      expect(result.metadata).toEqual({
        window_size: 3,
        max_hybrid: null,
        comparisons: [],
        threshold: 0.5,
        success: null,
      });
    }
  });

  it('compares with three earlier turns and numbers them correctly if one is blank', async () => {
    expect(indices((await evaluate(outputs('aa', 'bb', 'cc', 'dd', 'ee'), 4)).metadata)).toEqual([1, 2, 3]);
    expect(indices((await evaluate(outputs('aa', 'bb', '', 'dd', 'ee'), 4)).metadata)).toEqual([1, 3]);
  });

  it('is not applicable to an answer that was not recorded', async () => {
    expect(await evaluate([{}, { output: null, captured: false }], 1)).toMatchObject({ status: 'not_applicable' });
  });

  it('needs an embedder only if there is something to compare', async () => {
    const outcome = await loopDetection.evaluate(turnView(sessionOf(outputs('x', 'y')), 1), {});
    expect(outcome.status).toBe('needs_embedder');
  });

  it('stays within its scale for any answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 6 }),
        async (texts) => {
          const result = await evaluate(outputs(...texts), texts.length - 1);
          expect(result.score).toBeGreaterThanOrEqual(0);
          expect(result.score).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('embeds at most four texts per turn, however long the session', async () => {
    const requests: number[] = [];
    const embedder = lexicalEmbedder();
    const counting: typeof embedder = {
      ...embedder,
      embed(texts, signal) {
        requests.push(texts.length);
        return embedder.embed(texts, signal);
      },
    };
    await evaluate(outputs(...Array.from({ length: 1000 }, (_, i) => `answer ${i}`)), 999, counting);
    expect(requests).toEqual([4]);
  });
});
