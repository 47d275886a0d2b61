import type { ModelStep, Step, Turn } from '../../core/session.ts';
import { endsConversation, isLatinScript } from '../dialogue-en/phrases.ts';
import { promisesToReturn } from '../dialogue-en/user-requests.ts';
import type { Rule } from '../rule.ts';
import { stopCause } from '../shared/finish-reason.ts';
import { endSentence, quoteText } from '../shared/message-format.ts';
import { looksLikeFinalStep } from '../shared/tool-effect.ts';

/** An announcement of what comes next, in the last sentence. */
const ANNOUNCEMENT =
  /\b(?:let me (?!know)|i(?:['’]ll| will|['’]m going to| am going to) (?:now |just |quickly |first |also |then )?(?:check|look|verify|find|search|get|fetch|retrieve|see|try|run|read|review|confirm|pull|process|go|take|start|begin|update|create|cancel|book|proceed)\b|one moment|hold on|bear with me)(?:[^.!?\n]|\.(?!\s)){0,200}[.!?…]*\s*$/i;

/** How much of the end of a text is searched for its last sentence. */
const MAX_TAIL_LENGTH = 400;

export const noAnswer: Rule = {
  id: 'no-answer',
  title: 'No answer',
  proves: 'The user sent a message, and the turn ends without an answer from the agent.',
  severity: 'medium',
  label: null,
  affects: [],
  page: {
    how: 'Reports a turn with a user message and no text from the agent, or a turn whose last agent message is empty and whose earlier text only announces what comes next ("Let me check that.").',
    silent:
      "Ignores turns whose content was not recorded, lists of questions without any agent, thanks and goodbyes at the end, a user who leaves to gather something, a trace that ends with an open call, the last turn of a run that was stopped (see `stopped-early`), and turns that end with a call that hands over, submits or finishes. Nothing is missing if a program sends the same message again after tool results (only the last turn counts), if the user goes on to act, or if the agent's text follows in a turn of its own. Without an empty message, an announcement counts as the answer.",
    remedy:
      'Check how the turn ended: a failed model call, a limit that was reached, a loop of calls that was stopped, or a trace that was cut off. A conversation that was stopped from outside is not a fault of the agent.',
  },
  check(view) {
    const { turns, ending } = view.session;
    const wasStopped = ending !== undefined && ending.cause !== 'regular';
    // Without any output of the agent, this is a list of questions and not a conversation.
    if (!turns.some((turn) => hasText(turn.output) || turn.steps.length > 0)) return [];
    return turns.flatMap((turn, index) => {
      const { input, output } = turn;
      const next = turns[index + 1];
      if (input === null || !hasText(input) || turn.captured === false) return [];
      const last = turn.steps.findLast((step) => step.type === 'model');
      const announced = hasText(output) ? output : null;
      if (
        announced !== null &&
        !(last && endsEmpty(turn, last) && ANNOUNCEMENT.test(announced.slice(-MAX_TAIL_LENGTH)))
      )
        return [];
      if (next ? next.input === null || isSentAgain(turn, next) : wasStopped || mayEndUnanswered(turn, input))
        return [];
      if (turn.steps.some(replacesAnswer)) return [];
      const cause = findCause(turn, last);
      return {
        turn: index,
        message: endSentence(
          announced === null
            ? `The turn ends without an answer to ${quoteText(input)}${cause ? `; ${cause.why}` : ''}`
            : `The agent's last message is empty${cause ? ` (${cause.why})` : ''}: after ${quoteText(announced)}, no answer to ${quoteText(input)} came`,
        ),
        evidence: [
          view.evidence(index, turn.inputPointer ?? turn.pointer, 'the message without an answer'),
          ...(announced === null || !last
            ? []
            : [
                view.evidence(index, turn.outputPointer ?? turn.pointer, 'the last text, which announces more'),
                ...(cause ? [] : [view.evidence(index, last.pointer, 'the empty message')]),
              ]),
          ...(cause ? [view.evidence(index, cause.step.pointer, cause.note)] : []),
        ],
      };
    });
  },
};

/** Whether a trace may end with this message: nothing needs an answer, or the agent was still working. */
function mayEndUnanswered({ steps }: Turn, input: string): boolean {
  if (!isLatinScript(input) || endsConversation(input)) return true;
  const spoke = steps.findLastIndex((step) => step.type === 'model' && hasText(step.text));
  const isWaiting = steps.slice(spoke + 1).some((step) => step.type === 'tool' && step.outcome === 'missing');
  return isWaiting || (steps.length === 0 && promisesToReturn(input));
}

/** Some programs send the user's message again after each tool result: the agent is still at work. */
function isSentAgain({ input, steps }: Turn, next: Turn): boolean {
  return input !== null && input.trim() === next.input?.trim() && steps.some(({ type }) => type === 'tool');
}

/** A handover or submission, a sub-agent that may have answered, or a user who acts instead of waiting. */
function replacesAnswer(step: Step): boolean {
  if (step.type !== 'tool') return step.type === 'agent';
  return step.requestedBy === 'user' || looksLikeFinalStep(step.name);
}

/** Whether the last message of the model is empty although others of the turn are not. */
function endsEmpty({ steps }: Turn, last: ModelStep): boolean {
  return steps.at(-1) === last && !hasText(last.text);
}

interface NoAnswerCause {
  readonly step: ModelStep;
  readonly why: string;
  readonly note: string;
}

/** Finds the reason for the missing answer in the trace. */
function findCause({ steps }: Turn, last: ModelStep | undefined): NoAnswerCause | null {
  const failedStep = steps.find((step) => step.type === 'model' && step.error !== undefined);
  if (failedStep?.type === 'model') {
    return { step: failedStep, why: 'the model call had failed', note: 'the model call that failed' };
  }
  if (!last) return null;
  switch (stopCause(last)) {
    case 'limit':
      return { step: last, why: 'the model had reached its limit', note: 'the message that ended at the limit' };
    case 'filter':
      return { step: last, why: 'a filter withheld it', note: 'the message that was withheld' };
    case null:
      return null;
  }
}

function hasText(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.trim() !== '';
}
