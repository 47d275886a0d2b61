import type { Turn } from '../core/session.ts';
import { looksLikeEnd, looksLikePleasantry } from './english.ts';
import type { Rule } from './rule.ts';
import { inTurn, quote, sentence } from './wording.ts';

/** Shorter answers are repeated by everyone: `You're welcome!` */
const SHORTEST = 40;

export const nearVerbatimAnswer: Rule = {
  id: 'near-verbatim-answer',
  title: 'Near-verbatim repetition of an answer',
  proves: 'The agent answered a new message with the words of an earlier answer.',
  severity: 'low',
  label: 'repetition',
  moves: [],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    const answers = new Map<string, { readonly index: number; readonly turn: Turn }>();
    return view.session.turns.flatMap((turn, index) => {
      if (turn.output === null) return [];
      const words = normalised(turn.output);
      if (words.length <= SHORTEST) return [];
      const before = answers.get(words);
      answers.set(words, { index, turn });
      if (!before || deserves(turn, before.turn)) return [];
      return {
        turn: index,
        message: sentence(`The answer is that of ${inTurn(before.index)} over again: ${quote(turn.output)}`),
        evidence: [
          view.evidence(index, turn.outputPointer ?? turn.pointer, 'the repeated answer'),
          view.evidence(before.index, before.turn.outputPointer ?? before.turn.pointer, 'the answer that it repeats'),
        ],
      };
    });
  },
};

/** The same question deserves the same answer, and so do pleasantries. */
function deserves({ input, output }: Turn, before: Turn): boolean {
  if (output !== null && looksLikePleasantry(output)) return true;
  if (input === null) return false;
  return looksLikeEnd(input) || (before.input !== null && normalised(input) === normalised(before.input));
}

/** The words and figures of a text: case, punctuation and spacing make no difference. */
function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
