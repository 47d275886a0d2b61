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
  repetitionSeverity,
} from './repetition.ts';

const options = z.strictObject({
  /** For tools of unknown effect, and for coding agents that read files: how many equal calls are reported. */
  often: z.int().min(2).default(3),
});

export const repeatedCall = defineRule<z.infer<typeof options>>({
  id: 'repeated-call',
  title: 'Repeated call',
  proves: 'The agent repeated a look-up although it already had the result, and nothing had changed in between.',
  severity: 'low',
  label: 'repeated tool call',
  affects: ['step_efficiency'],
  page: {
    how:
      'Reports a call of a read-only tool with the arguments and the result of an earlier call in the session, if no call in between may have changed anything. The order of keys in the arguments does not matter. The effect of a tool is known from its annotation (`changesState`, or the hints of MCP), from `stateChangingTools` in the configuration, or else from its name.\n\n' +
      'It is an observation (`info`) if the earlier call was in another turn, since a user may have asked to look again. If the effect of a tool is unknown (`bash`), and when a coding agent reads its files, a single repetition means little: the rule then reports from the third such call in one turn with the same result on, also as an observation.\n\nFrom the 5th equal call on, with the same result, no change and no other user message in between, a finding is one level more severe (`medium`, or `low` instead of an observation), from the 20th on two.',
    silent:
      'Ignores calls that change something and the first calls after them; tools that wait, poll or tell the time; tools in which the agent only notes its thoughts (`think`); results that differ or are missing; failures (see `error-repeated-unchanged`); repeating sequences (see `call-cycle`); short receipts of tools of unknown effect, such as `done`; and, in a ToolBench tree, calls on other branches, which the agent could not know.\n\n' +
      'It cannot see what changed outside the session, nor that an agent had lost earlier messages from its context.',
    remedy:
      "Check whether the earlier result was still in the agent's context, and say in its instructions that it need not look up the same thing twice. Give a tool whose answer changes by itself a name that says so. If the repetition is intended, suppress the finding.",
  },
  options,
  check(view, { often }) {
    const circling = new Set(findCallCycles(view).flatMap(({ calls }) => calls));
    // A change may be repeated on purpose, and a tool of unknown effect may change something: only look-ups are
    // repeated in vain.
    const counts = (call: IndexedCall) =>
      call.step.outcome === 'ok' && !isMeantToRepeat(call) && !looksLikeNote(call.step.name) && !circling.has(call);
    const coding = view.kind === 'coding';
    const plain = coding ? [] : findRepetitions(view, view.calls, (call) => call.effect === 'reads' && counts(call));
    const doubtful = findFrequentCalls(
      view,
      often,
      (call) =>
        (call.effect === 'unknown' || (coding && call.effect === 'reads')) && counts(call) && isInformative(call),
    );
    return [
      ...plain.map((repetition) =>
        toFinding(
          view,
          repetition,
          `${describeInterval(repetition)}; nothing had changed in between`,
          // In a later turn, the user may have asked to look again.
          isWithinTurn(repetition) ? 'low' : 'info',
        ),
      ),
      ...doubtful.map((repetition) => toFinding(view, repetition, 'each time', 'info')),
    ];
  },
});

function toFinding(view: RuleView, repetition: Repetition, same: string, ofFew: 'low' | 'info'): RuleFinding {
  return {
    turn: repetition.turn,
    message: `${describeRepetition(repetition)} and returned the same ${same}.`,
    evidence: repetitionEvidence(view, repetition, 'the same call, with the same result'),
    calls: repetition.repeats.map(({ call }) => call.step.pointer),
    severity: repetitionSeverity(ofFew, repetition.longest),
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
