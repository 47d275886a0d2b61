import * as z from 'zod';
import { defineRule, type RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { turnLabel } from '../shared/message-format.ts';
import { looksLikeNote } from '../shared/tool-effect.ts';
import {
  describeRepetition,
  findCallCycles,
  findFrequentCalls,
  findRepetitions,
  isInformative,
  isMeantToRepeat,
  type Repetition,
  repeatsOneCall,
  repetitionEvidence,
} from './repetition.ts';

const options = z.strictObject({
  /** A tool of unknown effect, and a coding agent's look at a file, may be called so often without a word. */
  often: z.int().min(2).default(3),
});

export const repeatedCall = defineRule<z.infer<typeof options>>({
  id: 'repeated-call',
  title: 'Repeated call',
  proves: 'The agent asked a tool for what it had already been told, and nothing had changed in between.',
  severity: 'low',
  label: 'repeated tool call',
  affects: ['step_efficiency'],
  page: {
    how:
      'A call of a tool that only reads, with the arguments and the result of an earlier call in the session, where no call in ' +
      'between may have changed anything. Arguments are equal whatever the order of their keys. What a tool does is told by its ' +
      'annotation (`changesState`, or the hints of MCP), by `stateChangingTools` in the configuration, else by its name.\n\n' +
      'It is an observation (`info`) where the earlier call was in another turn, since a user may have asked to look again. Where ' +
      'it is unknown what a tool does (`bash`), and for the looks of a coding agent at its files, a repetition says little: there ' +
      'the rule speaks from the third such call in one turn with the same result, and as an observation too.',
    silent:
      'Calls that change something, and the first calls after them. Tools that wait, poll or tell the time, and those in which the ' +
      'agent only notes what it thinks (`think`). Results that differ or ' +
      'are missing. Failures, which are `error-repeated-unchanged`, and sequences that come again ' +
      'and again, which are `call-cycle`. Short receipts of tools of unknown effect, such as `done`. In a ToolBench ' +
      'tree, calls on other branches, of which the agent could not know.\n\n' +
      'It cannot see what changed outside of the session, nor that an agent had lost its earlier messages from its context.',
    remedy:
      'Look whether the earlier result was still in the context of the agent, and say in its instructions that what it has looked ' +
      'up need not be looked up again. A tool whose answer changes by itself is better named so; where asking again is ' +
      'wanted, accept the finding.',
  },
  options,
  check(view, { often }) {
    const circling = new Set(findCallCycles(view).flatMap(({ calls }) => calls));
    // A call that changes something may be meant twice, and one whose effect is unknown may have changed something
    // itself: only what plainly reads is repeated in vain.
    const counts = (call: IndexedCall) =>
      call.step.outcome === 'ok' && !isMeantToRepeat(call) && !looksLikeNote(call.step.name) && !circling.has(call);
    const plain = view.coding
      ? []
      : findRepetitions(view, view.calls, (call) => call.effect === 'reads' && counts(call));
    const doubtful = findFrequentCalls(
      view,
      often,
      (call) =>
        (call.effect === 'unknown' || (view.coding && call.effect === 'reads')) && counts(call) && isInformative(call),
    );
    return [
      ...plain.map((repetition) =>
        toFinding(
          view,
          repetition,
          `${describeInterval(repetition)}; nothing had changed in between`,
          // In a later turn a user may have asked to look again.
          isWithinTurn(repetition) ? undefined : 'info',
        ),
      ),
      ...doubtful.map((repetition) => toFinding(view, repetition, 'each time', 'info')),
    ];
  },
});

function toFinding(
  view: RuleView,
  repetition: Repetition,
  same: string,
  severity: RuleFinding['severity'],
): RuleFinding {
  return {
    turn: repetition.turn,
    message: `${describeRepetition(repetition)} and returned the same ${same}.`,
    evidence: repetitionEvidence(view, repetition, 'the same call, with the same result'),
    calls: repetition.repeats.map(({ call }) => call.step.pointer),
    ...(severity && { severity }),
  };
}

function isWithinTurn({ repeats }: Repetition): boolean {
  return repeats.some(({ call, before }) => call.turn === before.turn);
}

function describeInterval(repetition: Repetition): string {
  if (!repeatsOneCall(repetition)) return 'each time';
  const first = repetition.repeats[0].before.turn;
  return first === repetition.turn ? 'as before' : `as in ${turnLabel(first)}`;
}
