import type { MetricOutcome } from '../../core/result.ts';
import { clamp, round } from '../../core/scale.ts';
import type { Turn } from '../../core/session.ts';
import { cosine } from '../../embed/embedder.ts';
import { requireRecord } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { cannotCompare, embedderName, NEEDS_EMBEDDER } from '../shared/embedding.ts';
import { answerEvidence } from '../shared/evidence.ts';
import { jaccard, textOrEmpty } from '../shared/text.ts';

/** The number of earlier turns to compare with. */
const WINDOW = 3;

/** 1 - the highest of cosine x Jaccard between this answer and the answers of the last three turns. */
export const loopDetection = turnMetric({
  name: 'loop_detection',
  question: 'Does the agent say something new, instead of repeating a recent answer?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  needs: ['embedder', 'earlier turns'],

  async evaluate(view): Promise<MetricOutcome> {
    const { session, turn, index, embedder } = view;
    const skipped = requireRecord(view);
    if (skipped) return skipped;
    if (index === 0) return FIRST_TURN;
    const output = textOrEmpty(turn.output);
    if (output === '') return NO_ANSWER;
    const earlier = earlierAnswers(session.turns, index);
    if (earlier.length === 0) return NO_EARLIER_ANSWER;
    if (!embedder) return NEEDS_EMBEDDER;

    const [vector, ...vectors] = await view.embed([output, ...earlier.map((other) => other.output)]);
    const words = view.words(output);
    const comparisons = earlier.map((other, i) => {
      const otherVector = vectors[i];
      const known = vector && otherVector ? cosine(vector, otherVector) : null;
      const similarity = known ?? 0;
      const overlap = jaccard(words, view.words(other.output));
      return { ...other, similarity, overlap, hybrid: similarity * overlap, isKnown: known !== null || overlap === 0 };
    });
    if (comparisons.some(({ isKnown }) => !isKnown)) return cannotCompare(embedder, 'this answer or of an earlier one');
    const closest = comparisons.reduce((best, other) => (other.hybrid >= best.hybrid ? other : best));
    const number = closest.index + 1;
    return {
      status: 'scored',
      score: clamp(1 - closest.hybrid, 0, 1),
      source: 'embedding',
      reason:
        `Closest to the answer of turn ${number}: ${round(closest.hybrid, 2)} ` +
        `(cosine ${round(closest.similarity, 2)} x word overlap ${round(closest.overlap, 2)}).`,
      evidence: [answerEvidence(turn, 'this answer'), answerEvidence(closest.turn, `the answer of turn ${number}`)],
      metadata: {
        window_size: WINDOW,
        max_hybrid: round(closest.hybrid),
        comparisons: comparisons.map((other) => ({
          trace_index: other.index,
          cosine_similarity: round(other.similarity),
          jaccard_similarity: round(other.overlap),
          hybrid_score: round(other.hybrid),
        })),
        embedder: embedderName(embedder),
      },
      verdictInMetadata: true,
    };
  },
});

interface EarlierAnswer {
  readonly turn: Turn;
  /** Zero-based, in the session. */
  readonly index: number;
  readonly output: string;
}

/** The non-empty answers of the last turns before one. */
function earlierAnswers(turns: readonly Turn[], index: number): EarlierAnswer[] {
  const from = Math.max(0, index - WINDOW);
  return turns.slice(from, index).flatMap((turn, offset) => {
    const output = textOrEmpty(turn.output);
    return output === '' ? [] : [{ turn, index: from + offset, output }];
  });
}

function nothingToCompare(reason: string): MetricOutcome {
  const metadata = { window_size: WINDOW, max_hybrid: null, comparisons: [] };
  return Object.freeze({ status: 'vacuous', score: 1, source: 'embedding', reason, metadata, verdictInMetadata: true });
}

const FIRST_TURN = nothingToCompare('A repetition needs an earlier turn, and this is the first.');
const NO_ANSWER = nothingToCompare('The turn has no answer that could repeat an earlier one.');
const NO_EARLIER_ANSWER = nothingToCompare('The last three turns have no answer to compare with.');
