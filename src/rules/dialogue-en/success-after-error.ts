import type { Turn } from '../../core/session.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { errorText, hasSucceeded, type IndexedCall, type RuleView } from '../rule-view.ts';
import { codeSpan, endSentence, quoteText, turnLabel } from '../shared/message-format.ts';
import { looksLikeNote, nameWords } from '../shared/tool-effect.ts';
import { mayHideActions } from '../structure/recovery.ts';
import { describesAction, describesCompletion, findSuccessClaim, lowercaseWords } from './action-claims.ts';
import { admitsTrouble, isLatinScript, looksTransient, reportsOwnAction, saysAlreadyDone } from './phrases.ts';

export const successAfterError: Rule = {
  id: 'success-after-error',
  title: 'Success claimed after an error',
  proves:
    'A call that should change something failed or was rejected, no later call recovered it, and the answer says that it was done.',
  severity: 'high',
  label: 'ignored tool result',
  affects: [],
  page: {
    how: 'Looks for a call that should change something (by annotation, configuration or name) and failed or was rejected by the user (according to the trace, or to its result: `{"success": false}`), with nothing after it that could have done it instead, followed by an answer that says it was done: with the tool’s own verb (`refund_order`: “has been refunded”, “I refunded”, “the refund went through”), or, if the sentence can be about nothing else, with a word such as “processed” or “all set”. An answer in a later turn counts as well if nothing was changed in the whole session, that turn called no tool, and the sentence has the tool’s own verb.',
    silent:
      'Any mention of trouble in the answer (“unfortunately”, “could not”, “pending”) prevents a finding. So do a condition or a question in the sentence, an error that says the change was already made, a success of the same tool in an earlier turn, a success of any other state-changing tool in the same turn, and a timeout after which the agent looked things up. Reads English only, and cannot see what sub-agents or the user did.',
    remedy:
      'Treat it as a wrong statement to a user and correct it. In the agent’s instructions, require that an answer about a change is based on the result of the call, and have the tool return errors that cannot be mistaken for success.',
  },
  check(view) {
    const findings: RuleFinding[] = [];
    const past: PriorSuccesses = { succeeded: new Set(), changed: false, undone: undefined };
    for (const [index, turn] of view.session.turns.entries()) {
      const calls = view.callsByTurn[index] ?? [];
      if (past.undone && turn.input !== null && reportsOwnAction(turn.input)) past.undone = undefined;
      const undone = findUndoneChange(turn, calls, past);
      const claim = undone && successClaim(turn, undone, calls.some(mayHaveChanged) || undone.turn < index);
      if (undone && claim) findings.push(toFinding(view, index, undone, claim));
      remember(past, turn, calls);
    }
    return findings;
  },
};

/** What is known before a turn. */
interface PriorSuccesses {
  /** The tools that succeeded. */
  readonly succeeded: Set<string>;
  /** Whether anything may have been changed. */
  changed: boolean;
  /** The last change that failed for good, if nothing else may have changed since. */
  undone: IndexedCall | undefined;
}

function remember(past: PriorSuccesses, turn: Turn, calls: readonly IndexedCall[]): void {
  for (const call of calls) if (hasSucceeded(call)) past.succeeded.add(call.step.name);
  past.changed ||= mayHideActions(turn) || calls.some(mayHaveChanged);
  // An interrupted call may have completed by the next turn.
  const undone = calls.findLast((call) => failedForGood(call) && !looksTransient(errorText(call.step))) ?? past.undone;
  past.undone = past.changed ? undefined : undone;
}

/** Finds a change that failed in this turn or an earlier one, if no other call can have made it. */
function findUndoneChange(turn: Turn, calls: readonly IndexedCall[], past: PriorSuccesses): IndexedCall | undefined {
  const failed = calls.findLast(failedForGood);
  const undone = failed ?? (calls.length > 0 ? undefined : past.undone);
  if (!undone || mayHideActions(turn)) return undefined;
  if (!failed) return undone;
  if (past.succeeded.has(failed.step.name) || wasCheckedLater(failed, calls)) return undefined;
  const mayBeAnother = calls.some(
    (call) => mayHaveChanged(call) && (call.effect === 'changes' || call.index > failed.index),
  );
  return mayBeAnother ? undefined : failed;
}

/** Any other tool may have made the failed change, except the agent's notes to itself. */
function mayHaveChanged({ step, effect, failed }: IndexedCall): boolean {
  return effect !== 'reads' && !failed && step.outcome !== 'rejected' && !looksLikeNote(step.name);
}

/** A failed look-up says nothing about changes. */
function failedForGood({ step, effect, failed }: IndexedCall): boolean {
  const inVain = step.outcome === 'rejected' || (failed && !saysAlreadyDone(errorText(step)));
  return inVain && effect === 'changes' && !looksLikeNote(step.name);
}

/** An interrupted change may have been made, and the agent may have looked it up. */
function wasCheckedLater({ step, index }: IndexedCall, calls: readonly IndexedCall[]): boolean {
  return looksTransient(errorText(step)) && calls.some((call) => call.index > index && hasSucceeded(call));
}

/**
 * The sentence of the answer that says it was done; with the tool's own verb if the sentence may be about another
 * action.
 */
function successClaim({ output }: Turn, { step }: IndexedCall, mayBeAnother: boolean): string | null {
  if (output === null || !isLatinScript(output) || admitsTrouble(output)) return null;
  const words = nameWords(step.name);
  const ofTheError = new Set(lowercaseWords(errorText(step)));
  // "The order was shipped" after the error "the order was shipped" repeats a state and is not a claim.
  const isClaim = (deed: string) => !ofTheError.has(lowercaseWords(deed).at(-1) ?? '');
  const named = findSuccessClaim(output, (deed) => isClaim(deed) && describesAction(deed, words));
  if (named !== null || mayBeAnother) return named;
  return findSuccessClaim(output, (phrase) => isClaim(phrase) && describesCompletion(phrase));
}

function toFinding(view: RuleView, index: number, { step, turn }: IndexedCall, claim: string): RuleFinding {
  const text = errorText(step);
  const because = text === '' ? '' : ` with ${quoteText(text)}`;
  const when = turn === index ? '' : ` in ${turnLabel(turn)}`;
  const failed = step.outcome === 'rejected' ? `was refused by the user${when}` : `failed${when}${because}`;
  const { outputPointer, pointer } = view.session.turns[index] ?? {};
  return {
    turn: index,
    message: endSentence(
      `${codeSpan(step.name)} ${failed} and nothing made up for it, yet the answer says ${quoteText(claim)}`,
    ),
    evidence: [
      view.evidence(turn, step.pointer, 'the failed call'),
      ...(step.resultPointer === undefined ? [] : [view.evidence(turn, step.resultPointer, 'its result')]),
      view.evidence(index, outputPointer ?? pointer ?? '', 'the answer that reports success'),
    ],
  };
}
