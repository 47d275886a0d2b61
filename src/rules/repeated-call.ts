import { isOfOneCall, repeatedCalls, repetitions, whatWasRepeated } from './repetition.ts';
import type { Rule } from './rule.ts';
import { looksPolled } from './tool-effect.ts';
import { inTurn } from './wording.ts';

export const repeatedCall: Rule = {
  id: 'repeated-call',
  title: 'Repeated call',
  proves: 'The agent asked a tool for what it had already been told, and nothing had changed in between.',
  severity: 'low',
  label: 'repeated tool call',
  moves: ['step_efficiency'],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    // A call that changes something may be meant twice, and one whose effect is unknown may have changed something
    // itself: only what plainly reads is repeated in vain.
    const found = repetitions(
      view.calls,
      ({ step, effect }) => step.outcome === 'ok' && effect === 'reads' && !looksPolled(step.name),
    );
    return found.map((repetition) => {
      const { turn, repeats } = repetition;
      const first = repeats[0].before.turn;
      const same = !isOfOneCall(repetition) ? 'each time' : first === turn ? 'as before' : `as in ${inTurn(first)}`;
      return {
        turn,
        message: `${whatWasRepeated(repetition)} and returned the same ${same}; nothing had changed in between.`,
        evidence: repeatedCalls(view, repetition, 'the same call, with the same result'),
      };
    });
  },
};
