import { admitsTrouble, isLatin, statesSuccess } from './english.ts';
import type { Rule } from './rule.ts';
import { errorText } from './view.ts';
import { code, quote, sentence } from './wording.ts';

export const successAfterError: Rule = {
  id: 'success-after-error',
  title: 'Success claimed after an error',
  proves:
    'A call that was to change something failed, nothing like it succeeded in that turn, and the answer reports success.',
  severity: 'high',
  label: 'ignored tool result',
  moves: [],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    return view.session.turns.flatMap((turn, index) => {
      const { output } = turn;
      const calls = view.callsByTurn[index] ?? [];
      // A failed look-up says nothing of what was done, and another tool may have done it.
      const failed = calls.findLast(({ step, effect }) => step.outcome === 'error' && effect === 'changes');
      if (!failed || output === null || !isLatin(output) || admitsTrouble(output)) return [];
      if (
        calls.some(
          ({ step, effect }) => step.outcome === 'ok' && (step.name === failed.step.name || effect !== 'reads'),
        )
      )
        return [];
      const claim = statesSuccess(output);
      if (claim === null) return [];
      const { step } = failed;
      const said = errorText(step);
      return {
        turn: index,
        message: sentence(
          `${code(step.name)} failed${said === '' ? '' : ` with ${quote(said)}`} and nothing made up for it, yet the answer says ${quote(claim)}`,
        ),
        evidence: [
          view.evidence(index, step.pointer, 'the call that failed'),
          ...(step.resultPointer === undefined
            ? []
            : [view.evidence(index, step.resultPointer, 'what it came back with')]),
          view.evidence(index, turn.outputPointer ?? turn.pointer, 'the answer that reports success'),
        ],
      };
    });
  },
};
