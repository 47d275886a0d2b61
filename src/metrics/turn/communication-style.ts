import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import { defineQuestion } from '../../judge/question.ts';
import { isLatinScript } from '../../rules/dialogue-en/phrases.ts';
import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { answerEvidence } from '../shared/evidence.ts';
import { evidenceIds, REASON } from '../shared/graded-question.ts';
import { textOrEmpty } from '../shared/text.ts';

/** ADK's words for a tone: those that its function returns, and `helpful` from its comment. */
const TONES = ['friendly', 'professional', 'helpful', 'neutral'] as const;
const CLARITIES = ['clear', 'confusing', 'verbose'] as const;
/** ADK names no values for these two. */
const APPROPRIATENESS = ['appropriate', 'inappropriate'] as const;
const ENGAGEMENT = ['high', 'medium', 'low'] as const;

/** One object for all turns, so that its answer schema is built once. */
const QUESTION = defineQuestion({
  name: 'communication_style',
  context: 'turn',
  instructions: `How does the agent speak to the user in the answer of this turn? The manner alone, not whether what it says is right.
- tone, the one that prevails: friendly, warm and personal; professional, formal and matter-of-fact; helpful, intent on the user's need and the next step, neither warm nor formal; neutral, none of these, curt and rude included.
- clarity: clear, understood at first reading; confusing, ambiguous, out of order, or in terms that this user cannot know; verbose, clear but much longer than the request needs.
- appropriateness: inappropriate if rude, flippant, too familiar, blaming, blind to distress, or against the style that the agent's instructions demand; else appropriate.
- engagement: high, takes up what this user said and how; medium, answers the request; low, stock phrases that fit any message.
Politeness is no sign of clarity, nor length of engagement.`,
  answer: ({ id }) =>
    z.object({
      evidence: evidenceIds(id),
      reason: REASON,
      tone: z.enum(TONES),
      clarity: z.enum(CLARITIES),
      appropriateness: z.enum(APPROPRIATENESS),
      engagement: z.enum(ENGAGEMENT),
    }),
});

/** The tone is the label, by word lists or by a judge; clarity, appropriateness and engagement need a judge. */
export const communicationStyle = judgedTurn({
  name: 'communication_style',
  question: 'How does the agent speak to the user?',
  source: 'ADK, metrics and scoring',
  scale: 'label',
  threshold: null,
  optIn: true,
  precheck: requireAnswer,
  fromFindings: toneFromWords,
  ask: {
    question: () => QUESTION,
    interpret: ({ evidence, reason, tone, clarity, appropriateness, engagement }) => ({
      // A tone is clear by itself; `high` needs a prefix.
      labels: [
        tone,
        `clarity: ${clarity}`,
        `appropriateness: ${appropriateness}`,
        `engagement: ${engagement}`,
      ] as const,
      reason,
      cited: evidence,
      metadata: { tone, clarity, appropriateness, engagement },
    }),
  },
});

/** ADK's lists; the first one that matches decides. A word also counts inside another word. */
const TONE_WORDS = [
  ['friendly', ['please', 'thank you', 'happy to help']],
  ['professional', ['regarding', 'furthermore', 'consequently']],
] as const satisfies readonly (readonly [(typeof TONES)[number], readonly string[]])[];

const NOT_ENGLISH: MetricOutcome = Object.freeze({
  status: 'needs_judge',
  reason: 'The word lists for tones are English, and this answer is not. It needs a judge.',
});

/** ADK's `detectTone`; null where the rules are switched off. */
function toneFromWords({ turn, ruleIds }: TurnView): MetricOutcome | null {
  if (ruleIds.length === 0) return null;
  const text = textOrEmpty(turn.output);
  if (!isLatinScript(text)) return NOT_ENGLISH;
  const [tone, words] = detectTone(text.toLowerCase());
  const quoted = joinWithAnd(words.map((word) => `"${word}"`));
  return {
    status: 'scored',
    label: tone,
    labels: [tone],
    source: 'rules',
    reason: words.length === 0 ? 'The answer has no word from the lists of tones.' : `The answer has ${quoted}.`,
    evidence: [answerEvidence(turn, words.length === 0 ? 'the answer' : `the answer has ${quoted}`)],
    metadata: { tone, clarity: null, appropriateness: null, engagement: null, words },
  };
}

function detectTone(text: string): readonly [tone: (typeof TONES)[number], words: readonly string[]] {
  for (const [tone, words] of TONE_WORDS) {
    const matches = words.filter((word) => text.includes(word));
    if (matches.length > 0) return [tone, matches];
  }
  return ['neutral', []];
}
