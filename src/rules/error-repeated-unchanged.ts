import { looksTransient } from './english.ts';
import { repeatedCalls, repetitions, whatWasRepeated } from './repetition.ts';
import type { Rule } from './rule.ts';
import { errorText } from './view.ts';
import { quote } from './wording.ts';

export const errorRepeatedUnchanged: Rule = {
  id: 'error-repeated-unchanged',
  title: 'Failed call repeated unchanged',
  proves: 'A call failed, and the agent made it again with nothing changed, only for it to fail in the same way.',
  severity: 'medium',
  label: 'repeated tool call',
  moves: ['step_efficiency', 'confidence'],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    // Within a turn, since a user may ask to try again; and a timeout or a rate limit is a reason to.
    const found = view.callsByTurn.flatMap((calls) =>
      repetitions(calls, ({ step }) => step.outcome === 'error' && !looksTransient(errorText(step))),
    );
    return found.map((repetition) => {
      const { step } = repetition.repeats[0].before;
      const said = errorText(step);
      return {
        turn: repetition.turn,
        message: `${whatWasRepeated(repetition)} although it had failed${said === '' ? '' : ` with ${quote(said)}`}, and failed in the same way.`,
        evidence: [
          ...repeatedCalls(view, repetition, 'the same call, failing again'),
          ...(step.resultPointer === undefined
            ? []
            : [view.evidence(repetition.turn, step.resultPointer, 'what it had come back with')]),
        ],
      };
    });
  },
};
