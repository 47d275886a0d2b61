import { lazy } from '../../core/cache/memoize.ts';
import type { Turn } from '../../core/session.ts';
import { asksToRetry, isLatinScript, looksTransient, reportsOwnAction } from '../dialogue-en/phrases.ts';
import type { Rule } from '../rule.ts';
import { errorText, type IndexedCall, type RuleView } from '../rule-view.ts';
import { quoteText, turnLabel } from '../shared/message-format.ts';
import { mayHideActions } from './recovery.ts';
import { describeRepetition, findRepetitions, repetitionEvidence, repetitionSeverity } from './repetition.ts';

export const errorRepeatedUnchanged: Rule = {
  id: 'error-repeated-unchanged',
  title: 'Failed call repeated unchanged',
  proves: 'A call failed, the agent repeated it without any change, and it failed again in the same way.',
  severity: 'medium',
  label: 'repeated tool call',
  affects: ['step_efficiency', 'confidence'],
  page: {
    how: 'Looks for a call with the same tool, arguments and error as an earlier call (flagged in the trace, or reported by the result: `{"success": false}`), in the same turn or a later one, if no call in between may have changed anything. From the 5th equal call on, without another user message in between, its severity is `high`.',
    silent:
      'Ignores retries after a timeout, a rate limit or a lost connection, retries that the user asks for, retries after the user reports an action of their own, and retries with a sub-agent or a user-made call in between. Across turns, it skips coding agents, since a person may edit files between turns without a trace, and users who do not write in Latin script.',
    remedy:
      "Return an error message that says what has to be different. In the agent's instructions, require it to change the call, ask the user or stop after an error that is not transient.",
  },
  check(view) {
    const failed = new Set(view.calls.flatMap((call) => (call.failed ? call.key : [])));
    const knewNothingNew = createNoNewsTest(view);
    const repetitions = findRepetitions(
      view,
      view.calls.filter(({ key }) => failed.has(key)),
      // A timeout or a rate limit is a reason to retry.
      (call, before) => call.failed && !looksTransient(errorText(call.step)) && knewNothingNew(call, before),
    );
    return repetitions.map((repetition) => {
      const { turn, repeats } = repetition;
      const { before } = repeats[0];
      const error = errorText(before.step);
      const how = error === '' ? '' : ` with ${quoteText(error)}`;
      const when = before.turn === turn ? '' : ` in ${turnLabel(before.turn)}`;
      const { resultPointer } = before.step;
      return {
        turn,
        message: `${describeRepetition(repetition)} although it had failed${when}${how}, and failed in the same way.`,
        evidence: [
          ...repetitionEvidence(view, repetition, 'the same call, failing again'),
          ...(resultPointer === undefined ? [] : [view.evidence(before.turn, resultPointer, 'its earlier result')]),
        ],
        calls: repeats.map(({ call }) => call.step.pointer),
        severity: repetitionSeverity('medium', repetition.longest),
      };
    });
  },
};

/**
 * Whether nothing happened between two calls, apart from the agent's own work, that could make the second one succeed.
 */
function createNoNewsTest({ session, kind }: RuleView): (call: IndexedCall, before: IndexedCall) => boolean {
  // A person may edit files between the turns of a coding agent without a trace.
  const lastNews = lastTurnLookup(session.turns, (turn) => kind === 'coding' || bringsNews(turn));
  const lastHidden = lastTurnLookup(session.turns, (turn) => mayHideActions(turn));
  return (call, before) => lastNews(call.turn) <= before.turn && lastHidden(call.turn) < before.turn;
}

function bringsNews({ input }: Turn): boolean {
  return input !== null && (!isLatinScript(input) || asksToRetry(input) || reportsOwnAction(input));
}

/** The last turn up to a given one that passes a test; -1 if there is none. Tests are run on first use. */
function lastTurnLookup(turns: readonly Turn[], passes: (turn: Turn) => boolean): (upTo: number) => number {
  const lastByTurn = lazy(() => {
    let last = -1;
    return turns.map((turn, index) => {
      if (passes(turn)) last = index;
      return last;
    });
  });
  return (upTo) => lastByTurn()[upTo] ?? -1;
}
