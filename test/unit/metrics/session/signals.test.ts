import { describe, expect, it } from 'vitest';
import { lexicalEmbedder } from '../../../../src/embed/lexical.ts';
import {
  collectSignals,
  DEFAULT_WEIGHTS,
  describeCounts,
  turnKeys,
  weightsOptions,
  worstTurnEvidence,
} from '../../../../src/metrics/session/signals.ts';
import { coherence } from '../../../../src/metrics/turn/coherence.ts';
import { resultOf, scored, sessionOf, sessionView, turnOf, turnView, unscored } from '../views.ts';

describe('weights', () => {
  it('have the defaults of the source', () => {
    expect(DEFAULT_WEIGHTS).toEqual({ confidence: 1, loop_detection: 1, tool_correctness: 0.8, coherence: 1 });
  });

  it('are overridden one by one', () => {
    expect(weightsOptions.parse({ weights: { coherence: 0 } }).weights).toEqual({ ...DEFAULT_WEIGHTS, coherence: 0 });
  });

  it.each([{ confidence: -0.1 }, { confidence: 10.1 }, { confidence: '1' }, { confidence: Number.NaN }, { other: 1 }])(
    'refuse %j',
    (weights) => {
      expect(weightsOptions.safeParse({ weights }).success).toBe(false);
    },
  );

  it('accept the ends of the range', () => {
    expect(weightsOptions.safeParse({ weights: { confidence: 10, coherence: 0 } }).success).toBe(true);
  });
});

describe('collectSignals', () => {
  const session = sessionOf([{}, {}]);

  it('collects scored and vacuous scores and counts the others as missing', () => {
    const results = {
      confidence: [scored(0.5, 'imported'), unscored('error')],
      loop_detection: [scored(1, 'embedding', 'vacuous'), scored(0.2, 'embedding')],
      tool_correctness: [unscored('needs_judge'), undefined],
    };
    const { turns, counts } = collectSignals(sessionView(session, { results }));
    expect(turns).toEqual([{ confidence: 0.5, loop_detection: 1 }, { loop_detection: 0.2 }]);
    expect(counts).toEqual({ scored: 2, vacuous: 1, missing: 5 });
    expect(describeCounts(counts)).toBe(' Signals: 2 scored, 1 vacuous, 5 missing.');
  });

  it('does not use word overlap as coherence', async () => {
    const overlap = await coherence.evaluate(turnView(session, 0, { embedder: lexicalEmbedder() }), {});
    const results = { coherence: [resultOf(overlap, coherence), scored(0.9, 'imported')] };
    const { turns, counts } = collectSignals(sessionView(session, { results }));
    expect(overlap.metadata).toMatchObject({ embedder: 'lexical' });
    expect(turns).toEqual([{}, { coherence: 0.9 }]);
    expect(counts).toEqual({ scored: 1, vacuous: 0, missing: 7 });
  });
});

it('reports nothing missing if every signal is scored', () => {
  expect(describeCounts({ scored: 8, vacuous: 0, missing: 0 })).toBe('');
});

it('keeps turns with the same id apart', () => {
  const turns = ['a', 'b', 'a', '__proto__'].map((id, index) => turnOf(index, { id }));
  expect(turnKeys(turns)).toEqual(['a', 'b', 'a#2', '__proto__']);
});

it('names the worst five turns, and none without risk', () => {
  const turns = Array.from({ length: 10 }, (_, index) => turnOf(index));
  const figures = turns.map((_, turn) => ({ turn, figure: turn / 10, note: `n${turn}` }));
  expect(worstTurnEvidence(turns, figures).map(({ note }) => note)).toEqual(['n9', 'n8', 'n7', 'n6', 'n5']);
  expect(worstTurnEvidence(turns, figures.slice(0, 1))).toEqual([]);
});
