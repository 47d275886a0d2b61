import type { ToolStep } from '../../core/session.ts';
import { readingOf, saysNotWorking } from '../dialogue-en/check-phrases.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { errorText, type RuleView } from '../rule-view.ts';
import { isEscalation } from '../shared/escalation.ts';
import { reportsFailure } from '../shared/failed-result.ts';
import { codeSpan, endSentence, quoteText } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { looksLikeNote, type ToolEffect, toolEffect } from '../shared/tool-effect.ts';

export const failureAtEnd: Rule = {
  id: 'failure-at-end',
  title: 'Failure at the end',
  proves: 'The last call of the session failed, or its result says that something still does not work.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Looks at the last call of the session, of the agent or of the user. It is reported if a check says in a short text that something does not work ("Your app cannot send messages."): as a finding of severity medium if something was changed before, which then did not solve the problem, else as an observation (`info`). It is also an observation if the call failed, according to the trace or to its result.',
    silent:
      'Calls that hand the conversation over, notes of the agent, calls that were never executed or that the user rejected, and look-ups by the user that return longer texts do not count as the last call. Does not report if the trace may hide what came later: a sub-agent, or content that was not recorded.\n\n' +
      'Checks are recognized in English only; failed calls in any language.',
    remedy:
      'Read what the check tested and what the agent tried last. Often one cause of several was fixed; have the instructions require the agent to repeat the check after each change, and to go on until it succeeds or no remedy is left.',
  },
  check(view) {
    const last = lastCall(view);
    return last ? (reportCheck(view, last) ?? reportFailedCall(view, last) ?? []) : [];
  },
};

interface PlacedCall {
  readonly turn: number;
  readonly step: ToolStep;
  readonly effect: ToolEffect;
}

/** The last call that tells how the session ended; null if there is none, or the trace may hide later ones. */
function lastCall(view: RuleView): PlacedCall | null {
  for (const call of callsFromEnd(view)) {
    if (call === null) return null;
    if (tellsEnd(call)) return call;
  }
  return null;
}

/** Calls of the agent and the user, the last one first; null where the trace may hide calls. */
function* callsFromEnd({ session, callsByTurn }: RuleView): Generator<PlacedCall | null> {
  for (let turn = session.turns.length - 1; turn >= 0; turn -= 1) {
    const { captured, steps = [] } = session.turns[turn] ?? {};
    if (captured === false) yield null;
    const effects = new Map(callsByTurn[turn]?.map(({ step, effect }) => [step, effect]));
    for (const step of steps.toReversed()) {
      if (step.type === 'agent') yield null;
      if (step.type === 'tool') yield { turn, step, effect: effects.get(step) ?? toolEffect(step.name, undefined) };
    }
  }
}

function tellsEnd({ step, effect }: PlacedCall): boolean {
  if (step.outcome === 'missing' || step.outcome === 'rejected') return false;
  if (looksLikeNote(step.name) || isEscalation(step)) return false;
  // A user's look-up proves nothing about the agent's calls, unless its result can be read.
  return step.requestedBy === 'agent' || effect !== 'reads' || readingOf(step.result) !== null;
}

function reportCheck(view: RuleView, { turn, step, effect }: PlacedCall): RuleFinding[] | null {
  const reading = step.outcome === 'ok' && effect !== 'changes' ? readingOf(step.result) : null;
  if (reading === null || !saysNotWorking(reading)) return null;
  const change = lastChange(view, step);
  const returned = `${codeSpan(step.name)} returned ${quoteText(reading)}`;
  return [
    {
      turn,
      severity: change ? 'medium' : 'info',
      message: change
        ? endSentence(`After the last change, ${codeSpan(change.step.name)}, the last call ${returned}`)
        : endSentence(`The last call ${returned}`),
      evidence: [
        view.evidence(turn, step.resultPointer ?? step.pointer, 'the result of the last call'),
        ...(change ? [view.evidence(change.turn, change.step.pointer, 'the last change')] : []),
      ],
      calls: [step.pointer],
    },
  ];
}

function reportFailedCall(view: RuleView, { turn, step, effect }: PlacedCall): RuleFinding[] | null {
  if (step.outcome !== 'error' && !reportsFailure(step.result, effect)) return null;
  const error = errorText(step);
  return [
    {
      turn,
      message: endSentence(
        `The last call, ${codeSpan(step.name)}, failed${error === '' ? '' : ` with ${quoteText(error)}`}`,
      ),
      evidence: [
        view.evidence(turn, step.pointer, 'the last call'),
        ...(step.resultPointer === undefined ? [] : [view.evidence(turn, step.resultPointer, 'its result')]),
      ],
      calls: [step.pointer],
    },
  ];
}

/** The last successful change before a call, by the agent or the user. */
function lastChange(view: RuleView, before: ToolStep): PlacedCall | null {
  let isBefore = false;
  for (const call of callsFromEnd(view)) {
    if (call === null) continue;
    if (isBefore && hasChanged(call)) return call;
    if (call.step === before) isBefore = true;
  }
  return null;
}

function hasChanged({ step, effect }: PlacedCall): boolean {
  return effect === 'changes' && step.outcome === 'ok' && !reportsFailure(step.result, effect);
}
