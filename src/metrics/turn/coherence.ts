import type { MetricOutcome } from '../../core/result.ts';
import { clamp, round } from '../../core/scale.ts';
import { cosine } from '../../embed/embedder.ts';
import { requireRecord, requireRequest, vacuous } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { cannotCompare, embedderName } from '../shared/embedding.ts';
import { answerEvidence, evidenceAt } from '../shared/evidence.ts';
import { textOrEmpty } from '../shared/text.ts';

/**
 * 1 - the cosine distance between the embeddings of the user's input and the agent's answer. The lexical embedder compares
 * wording, which tells nothing about coherence: the metadata has its figure, and the metric needs an embedding model.
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
    if (!embedder) return { status: 'needs_embedder', reason: NEEDS_MODEL };

    const [question, answer] = await view.embed([input, output]);
    const similarity = question && answer ? cosine(question, answer) : null;
    if (embedder.provider === 'lexical') {
      const metadata = { word_overlap: round(clamp(similarity ?? 0, 0, 1)), embedder: embedderName(embedder) };
      return { status: 'needs_embedder', reason: NEEDS_MODEL, metadata };
    }
    if (similarity === null) return cannotCompare(embedder, 'the request or of the answer');
    const score = clamp(similarity, 0, 1);
    return {
      status: 'scored',
      score,
      source: 'embedding',
      reason: `Similarity ${score.toFixed(2)} between request and answer.`,
      evidence: [
        answerEvidence(turn, 'the answer'),
        evidenceAt(turn, turn.inputPointer ?? turn.pointer, 'what the user said'),
      ],
      metadata: { coherence_gap: round(1 - similarity), embedder: embedderName(embedder) },
      verdictInMetadata: true,
    };
  },
});

/** Word overlap does not separate failed sessions from others (docs/metrics/coherence.md). */
const NEEDS_MODEL =
  'Word overlap is no measure of coherence; choose an embedding model, in a folder (static) or on a server (openai, ollama).';

const NOTHING_SAID = vacuous(1, 'embedding', 'Request or answer is empty; coherence is assumed.');
