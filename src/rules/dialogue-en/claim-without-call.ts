import { memoize } from '../../core/cache/memoize.ts';
import { asText } from '../../core/json.ts';
import { availableTools, type Session } from '../../core/session.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, quoteText } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { looksLikeNote, nameWords } from '../shared/tool-effect.ts';
import { mayHideActions } from '../structure/recovery.ts';
import { type ActionClaim, actionKindsOf, findActionClaims, lowercaseWords, mayClaimAction } from './action-claims.ts';
import type { ActionKind } from './action-phrases.ts';
import { admitsTrouble, isLatinScript } from './phrases.ts';
import { classifyAgreement, headAndTail, isOnlyQuestion } from './user-consent.ts';

export const claimWithoutCall: Rule = {
  id: 'claim-without-call',
  title: 'Claimed action without a call',
  proves: 'The answer says that something was done, and no call in the session so far could have done it.',
  severity: 'medium',
  label: 'false information',
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Looks for a sentence in which the agent says that it did something (“I have refunded 30 EUR”, “I’ve created a ticket”), or that what the user just asked for or agreed to has been done (“your order has been cancelled”), when no call up to that point could have done it: no call to a tool with such a verb in its name, successful or not, and no call to a tool whose name does not tell what it does. If something else was changed earlier, only first-person claims count, only in a turn that changes nothing, and only actions that are not side effects of others (a cancellation often includes a refund).',
    silent:
      'Skips everything from the first sub-agent, user-made call or unrecorded turn on. Skips sessions without any call, unless the catalogue has a tool for the action. Ignores promises (“I will refund it”), conditions, questions, quotations, signed letters, what was “already” done, and actions that the answer itself may have performed, such as creating a list. Ignores actions that a result or the user reported as done. Reads English only. A platform that acts on the words of an answer, such as a handover to a person, leaves no call: suppress the finding there, or turn the rule off.',
    remedy:
      'Treat it as a wrong statement to a user and correct it. In the agent’s instructions, require a successful call before the agent says that something was done, and tell the agent what to say about tasks it has no tool for.',
  },
  check(view) {
    const findings: RuleFinding[] = [];
    const kindsOf = memoize((name: string) => actionKindsOf(nameWords(name)));
    const past: PriorActions = { attempted: new Set(), changedBy: new Set(), hasSeen: createWordSearch(view) };
    for (const [index, turn] of view.session.turns.entries()) {
      const calls = (view.callsByTurn[index] ?? []).filter(mayAct);
      // From here on, anything may have been done.
      if (mayHideActions(turn) || calls.some((call) => mayDoAnyAction(call, kindsOf(call.step.name)))) break;
      for (const { step } of calls) for (const kind of kindsOf(step.name)) past.attempted.add(kind);
      const claim = unsupportedClaim(view, index, past, calls.some(isChange));
      if (claim) {
        findings.push(toFinding(view, index, claim));
        // Repeating a claim is not another false statement.
        past.attempted.add(claim.kind);
      }
      for (const { step } of calls.filter(isChange)) past.changedBy.add(nameWords(step.name)[0]?.slice(0, 5) ?? '');
    }
    return findings;
  },
};

/** What is known before a turn. */
interface PriorActions {
  /** Actions that a call attempted, and actions claimed earlier. */
  readonly attempted: Set<ActionKind>;
  /** The first letters of the state-changing tools called in earlier turns. */
  readonly changedBy: Set<string>;
  /** Whether a word appears in a user message or a result up to a turn. */
  readonly hasSeen: (word: string, turn: number) => boolean;
}

function isChange({ effect }: IndexedCall): boolean {
  return effect === 'changes';
}

function mayAct({ step, effect }: IndexedCall): boolean {
  return effect !== 'reads' && !looksLikeNote(step.name);
}

/** A tool of unknown purpose may have done what the answer says. */
function mayDoAnyAction({ effect }: IndexedCall, kinds: readonly ActionKind[]): boolean {
  return kinds.length === 0 || (effect === 'unknown' && !kinds.some(({ verbs }) => verbs.has('transfer')));
}

function unsupportedClaim(
  view: RuleView,
  index: number,
  past: PriorActions,
  changesNow: boolean,
): ActionClaim | undefined {
  const { output } = view.session.turns[index] ?? {};
  if (output === undefined || output === null || !mayClaimAction(output) || !isLatinScript(output)) return undefined;
  return findActionClaims(output).find(
    (claim) =>
      !past.attempted.has(claim.kind) &&
      !admitsTrouble(claim.sentence) &&
      showsCalls(view, index, claim.kind) &&
      (past.changedBy.size > 0 || changesNow
        ? !changesNow && claim.isFirstPerson && isIndependentAction(claim, past)
        : claim.isFirstPerson || isNewAction(view, index, claim, past)),
  );
}

/** Whether the trace would show a call if there had been one. */
function showsCalls({ session, calls }: RuleView, index: number, kind: ActionKind): boolean {
  return calls.length > 0 || toolsFor(session, index, kind).length > 0;
}

function toolsFor(session: Session, index: number, kind: ActionKind): string[] {
  const turn = session.turns[index];
  const tools = (turn && availableTools(session, turn)) ?? [];
  return tools.filter(({ name }) => actionKindsOf(nameWords(name)).includes(kind)).map(({ name }) => name);
}

/** Actions that others cause: cancelling a booking refunds it and sends a confirmation. */
const SIDE_EFFECTS = ['refunded', 'paid', 'updated', 'sent'];

function isIndependentAction({ sentence, kind }: ActionClaim, { changedBy }: PriorActions): boolean {
  const words = lowercaseWords(sentence);
  return (
    !SIDE_EFFECTS.some((word) => kind.participles.has(word)) && !words.some((word) => changedBy.has(word.slice(0, 5)))
  );
}

/** Questions about a status. It may have changed earlier, and the answer reports it. */
const STATUS_QUESTION =
  /\b(?:status|track\w*|where|whether|check|look|see|know|tell me|update on|what|when|did|has|was|confirm)\b/i;

/**
 * "Has been cancelled" describes a state, unless the user just asked for the action and no text had reported it as
 * done.
 */
function isNewAction(
  { session }: RuleView,
  index: number,
  { kind, word }: ActionClaim,
  { hasSeen }: PriorActions,
): boolean {
  const input = session.turns[index]?.input ?? '';
  const before = session.turns[index - 1]?.output ?? null;
  const names = (text: string) => lowercaseWords(text).some((word) => kind.verbs.has(word));
  const isOffered = before !== null && names(headAndTail(before)) && classifyAgreement(input, before) !== null;
  const isAskedFor = names(input) && !isOnlyQuestion(input) && !STATUS_QUESTION.test(input);
  return (isAskedFor || isOffered) && !hasSeen(word, index);
}

/** The common part of `cancelled`, `CANCELED` and `cancellation`. */
function participleStem(word: string): string {
  return word.slice(0, Math.max(4, word.length - 3));
}

/** Searches results for the stem and user messages for the word. Each text is searched once per word. */
function createWordSearch({ session, callsByTurn }: RuleView): PriorActions['hasSeen'] {
  const states = new Map<string, { turn: number; seen: boolean }>();
  const textsOf = (turn: number) =>
    (callsByTurn[turn] ?? []).map(({ step }) => `${resultText(step.result)} ${step.error ?? ''}`.toLowerCase());
  return (word, upTo) => {
    const state = states.get(word) ?? { turn: 0, seen: false };
    states.set(word, state);
    for (; state.turn <= upTo && !state.seen; state.turn += 1) {
      const input = session.turns[state.turn]?.input?.toLowerCase() ?? '';
      state.seen = input.includes(word) || textsOf(state.turn).some((text) => text.includes(participleStem(word)));
    }
    return state.seen;
  };
}

function resultText(result: unknown): string {
  try {
    return asText(result);
  } catch {
    return '';
  }
}

/** How many tools the message lists. */
const MAX_LISTED = 3;

function toFinding(view: RuleView, index: number, { sentence, kind }: ActionClaim): RuleFinding {
  const { outputPointer, pointer = '' } = view.session.turns[index] ?? {};
  const matchingTools = toolsFor(view.session, index, kind);
  const called = new Set(view.callsByTurn.slice(0, index + 1).flatMap((calls) => calls.map(({ step }) => step.name)));
  return {
    turn: index,
    message: `The answer says ${quoteText(sentence)}, and ${describeCalls(matchingTools, [...called])}.`,
    evidence: [view.evidence(index, outputPointer ?? pointer, 'the answer that says it was done')],
  };
}

function describeCalls(matchingTools: readonly string[], called: readonly string[]): string {
  const joinNames = (names: readonly string[]) => joinWithAnd(names.slice(0, MAX_LISTED).map(codeSpan));
  if (matchingTools.length > 0)
    return `${joinNames(matchingTools)} ${matchingTools.length === 1 ? 'was' : 'were'} never called`;
  if (called.length === 0) return 'no tool was called';
  if (called.length > MAX_LISTED) return 'no tool that could have done it was called';
  return `nothing was called but ${joinNames(called)}`;
}
