import type { Step, Turn } from '../core/session.ts';
import { isLatin, looksLikeEnd } from './english.ts';
import type { Rule } from './rule.ts';
import { looksFinal } from './tool-effect.ts';
import { quote, sentence } from './wording.ts';

export const noAnswer: Rule = {
  id: 'no-answer',
  title: 'No answer',
  proves: 'The user said something, and the turn ends without a word from the agent.',
  severity: 'medium',
  label: null,
  moves: [],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    const { turns } = view.session;
    // Where nothing of the agent is recorded in any turn, this is a list of questions and no conversation.
    if (!turns.some((turn) => said(turn) || turn.steps.length > 0)) return [];
    return turns.flatMap((turn, index) => {
      const { input } = turn;
      const next = turns[index + 1];
      if (input === null || input.trim() === '' || said(turn) || turn.captured === false) return [];
      if (next ? next.input === null : !isLatin(input) || looksLikeEnd(input)) return [];
      if (turn.steps.some(standsForAnswer)) return [];
      const failed = turn.steps.find((step) => step.type === 'model' && step.error !== undefined);
      return {
        turn: index,
        message: sentence(
          `The turn ends without an answer to ${quote(input)}${failed ? '; the model call had failed' : ''}`,
        ),
        evidence: [
          view.evidence(index, turn.inputPointer ?? turn.pointer, 'the message without an answer'),
          ...(failed ? [view.evidence(index, failed.pointer, 'the model call that failed')] : []),
        ],
      };
    });
  },
};

/** Handing over or submitting, a sub-agent that may have spoken, or a user who goes on to act instead of waiting. */
function standsForAnswer(step: Step): boolean {
  if (step.type !== 'tool') return step.type === 'agent';
  return step.requestedBy === 'user' || looksFinal(step.name);
}

function said(turn: Turn): boolean {
  return turn.output !== null && turn.output.trim() !== '';
}
