import type { MetricOutcome } from '../../core/result.ts';
import { clamp, round } from '../../core/scale.ts';
import { cosine } from '../../embed/embedder.ts';
import { requireRecord, requireRequest, vacuous } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { embedderName, NEEDS_EMBEDDER } from '../shared/embedding.ts';
import { answerEvidence, evidenceAt } from '../shared/evidence.ts';
import { textOrEmpty } from '../shared/text.ts';

/**
 * 1 - the cosine distance between the embeddings of the user's input and the agent's answer. The lexical embedder compares
 * wording, which tells little about coherence: its score has no threshold and is not a signal.
 */
export const coherence = turnMetric({
  name: 'coherence',
  question: 'Does the answer follow from what the user said?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  needs: ['embedder'],

  async evaluate(view): Promise<MetricOutcome> {
    const { turn, embedder } = view;
    const skipped = requireRecord(view) ?? requireRequest(view);
    if (skipped) return skipped;
    const [input, output] = [textOrEmpty(turn.input), textOrEmpty(turn.output)];
    if (input === '' || output === '') return NOTHING_SAID;
    if (!embedder) return NEEDS_EMBEDDER;

    const [asked, answered] = await view.embed([input, output]);
    const similarity = asked && answered ? cosine(asked, answered) : 0;
    const lexical = embedder.provider === 'lexical';
    const score = clamp(similarity, 0, 1);
    const figure = score.toFixed(2);
    return {
      status: 'scored',
      score,
      source: 'embedding',
      reason: lexical
        ? `Word overlap ${figure} between request and answer; the lexical embedder compares wording, not meaning.`
        : `Similarity ${figure} between request and answer.`,
      evidence: [
        answerEvidence(turn, 'the answer'),
        evidenceAt(turn, turn.inputPointer ?? turn.pointer, 'what the user said'),
      ],
      metadata: { coherence_gap: round(1 - similarity), embedder: embedderName(embedder) },
      verdictInMetadata: true,
      ...(lexical ? { threshold: null } : {}),
    };
  },
});

const NOTHING_SAID = vacuous(1, 'embedding', 'Request or answer is empty; coherence is assumed.');
