import { memoize } from '../../core/cache/memoize.ts';
import { availableTools, type Turn } from '../../core/session.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { quoteText } from '../shared/message-format.ts';
import { looksLikeNote, nameWords } from '../shared/tool-effect.ts';
import { type ActionPromise, actionKindsOf, findActionPromises } from './action-claims.ts';
import type { ActionKind } from './action-phrases.ts';
import { CONFIRMATION_REQUEST } from './consent-phrases.ts';
import { classifyAgreement, declines, headAndTail } from './user-consent.ts';

export const promisedWithoutCall: Rule = {
  id: 'promised-without-call',
  title: 'Promised action never called',
  proves: 'The agent said that it was about to do something, and no call of the session could have done it.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: ['dialogue'],
  page: {
    how:
      'Looks for answers in which the agent announces what it does next, without a condition or a question, and which end the turn:\n\n' +
      '- a handover: “I will transfer you to a human agent”, “you are being transferred”. It is reported if no call in the session, successful or not, transfers or escalates anything.\n- another action that the user had just agreed to: “I will now book the new flight”. It is reported if no call of that turn or later could have done it, successful or not.\n\n' +
      'Each kind of action is reported once.',
    silent:
      'Skips sub-agents, users who do not write English, and sessions with calls of sub-agents or content that was not recorded. Skips sessions without any call, unless the catalogue has a tool for the action. Does not report if the user declined in the next message, or if a tool was called later whose name does not tell what it does. A platform that acts on the words of an answer leaves no call: turn the rule off there.',
    remedy:
      'Tell the agent to act first and to report afterwards, and to end a turn only with what is done or with a question. If it has no tool for the action, tell it what to say instead.',
  },
  check(view) {
    const { session } = view;
    if (session.turns.some(mayHideCalls) || !view.hasReadableUsers) return [];
    const lastCalls = new LastCalls(view);
    const reported = new Set<ActionKind>();
    return session.turns.flatMap(({ output }, turn): RuleFinding[] => {
      if (output === null) return [];
      const promise = findActionPromises(output).find(
        (candidate) =>
          !reported.has(candidate.kind) &&
          isFirm(view, turn, candidate) &&
          showsCalls(view, turn, candidate.kind) &&
          !lastCalls.mayDo(candidate, turn),
      );
      if (!promise) return [];
      reported.add(promise.kind);
      return [toFinding(view, turn, promise)];
    });
  },
};

function toFinding(view: RuleView, turn: number, { sentence, isHandover }: ActionPromise): RuleFinding {
  const { outputPointer, pointer = '' } = view.session.turns[turn] ?? {};
  const missing = isHandover ? 'no call of the session hands it over' : 'no call from then on could have done it';
  return {
    turn,
    message: `The answer says ${quoteText(sentence)}, and ${missing}.`,
    evidence: [view.evidence(turn, outputPointer ?? pointer, 'the answer that promises it')],
  };
}

/** Unlike for claims, calls of the user do not matter: they do not do what the agent promised. */
function mayHideCalls({ captured, steps }: Turn): boolean {
  return captured === false || steps.some((step) => step.type === 'agent');
}

/** Whether the answer waits for nothing, and the user does not stop it. */
function isFirm({ session }: RuleView, turn: number, { isHandover }: ActionPromise): boolean {
  const { input = null, output = null } = session.turns[turn] ?? {};
  const answer = headAndTail(output ?? '');
  if (/\?/.test(answer) || CONFIRMATION_REQUEST.test(answer)) return false;
  const next = session.turns[turn + 1]?.input ?? null;
  if (next !== null && declines(next)) return false;
  return isHandover || classifyAgreement(input ?? '', session.turns[turn - 1]?.output ?? null) !== null;
}

/** Whether the trace would show a call if there had been one. */
function showsCalls({ session, calls }: RuleView, index: number, kind: ActionKind): boolean {
  if (calls.length > 0) return true;
  const turn = session.turns[index];
  const tools = (turn && availableTools(session, turn)) ?? [];
  return tools.some(({ name }) => actionKindsOf(nameWords(name)).includes(kind));
}

/** Actions that others cause, or that tools with other names do. */
const SIDE_EFFECTS = ['refunded', 'paid', 'updated', 'sent', 'submitted', 'deleted', 'exchanged'];

/** The last turn in which each kind of action was attempted. */
class LastCalls {
  readonly #byKind = new Map<ActionKind, number>();
  #anyAction = -1;
  #unknown = -1;

  constructor({ calls }: RuleView) {
    const kindsOf = memoize((name: string) => actionKindsOf(nameWords(name)));
    for (const call of calls.filter(mayAct)) {
      const kinds = kindsOf(call.step.name);
      for (const kind of kinds) this.#byKind.set(kind, call.turn);
      if (kinds.length === 0) this.#unknown = call.turn;
      this.#anyAction = call.turn;
    }
  }

  /** Whether a call may have done what was promised in a turn. A handover may have been called before it is announced. */
  mayDo({ kind, isHandover }: ActionPromise, turn: number): boolean {
    if (isHandover) return this.#byKind.has(kind) || this.#unknown >= 0;
    if (SIDE_EFFECTS.some((participle) => kind.participles.has(participle))) return this.#anyAction >= turn;
    return (this.#byKind.get(kind) ?? -1) >= turn || this.#unknown >= turn;
  }
}

function mayAct({ step, effect }: IndexedCall): boolean {
  return effect !== 'reads' && !looksLikeNote(step.name);
}
