import { asText } from '../core/json.ts';
import { availableTools, type Session } from '../core/session.ts';
import { agreement, ends, onlyAsks } from './confirmation.ts';
import { type Claim, claimsIn, type Kind, kindsOf, mayClaim, wordsIn } from './deeds.ts';
import { admitsTrouble, isLatin } from './english.ts';
import { oncePer } from './once.ts';
import { mayHideDeeds } from './recovery.ts';
import type { Found, Rule } from './rule.ts';
import { looksLikeNote, wordsOf } from './tool-effect.ts';
import type { Call, RuleView } from './view.ts';
import { code, list, quote } from './wording.ts';

export const claimWithoutCall: Rule = {
  id: 'claim-without-call',
  title: 'Claimed, not done',
  proves: 'The answer says that something was done, and no call of the session so far could have done it.',
  severity: 'medium',
  label: 'false information',
  moves: [],
  page: {
    how: 'Looks for a sentence in which the agent says that it did something (“I have refunded 30 EUR”, “I’ve created a ticket”), or that what its user had just asked for or agreed to has been done (“your order has been cancelled”), where no call of the session up to there could have done it: none of a tool with such a verb in its name, succeeded or not, and none of a tool of which the name does not tell what it does. Where something else was changed before, only what the agent says of itself counts, in a turn that changes nothing, and only deeds that do not come with others, as a refund does with a cancellation.',
    silent:
      'Sessions of coding agents, and from the first sub-agent, call of the user, or turn that was not recorded. Sessions without any call, unless their catalogue has a tool for it. Promises (“I will refund it”), conditions, questions, quotations, signed letters, what was “already” done, and deeds that may have been done in the answer itself, such as a list that was created. What has been done according to a result or to the user is not looked at. It reads English only. A platform that acts on the words of an answer, such as handing over to a person, leaves no call: accept the finding there, or switch the rule off.',
    remedy:
      'Treat it as a wrong statement to a user: tell them. In the agent’s instructions, require a successful call before the agent says that something was done, and give it no task for which it has no tool without telling it what to say instead.',
  },
  check(view) {
    if (view.coding) return [];
    const found: Found[] = [];
    const deedsOf = oncePer((name: string) => kindsOf(wordsOf(name)));
    const past: Past = { tried: new Set(), changedBy: new Set(), hasSeen: sightOf(view) };
    for (const [index, turn] of view.session.turns.entries()) {
      const calls = (view.callsByTurn[index] ?? []).filter(doesAnything);
      // From here on, anything may have been done.
      if (mayHideDeeds(turn) || calls.some((call) => mayDoAnything(call, deedsOf(call.step.name)))) break;
      for (const { step } of calls) for (const kind of deedsOf(step.name)) past.tried.add(kind);
      const claim = claimOf(view, index, past, calls.some(changes));
      if (claim) {
        found.push(reported(view, index, claim));
        // Said once more, it is no other falsehood.
        past.tried.add(claim.kind);
      }
      for (const { step } of calls.filter(changes)) past.changedBy.add(wordsOf(step.name)[0]?.slice(0, 5) ?? '');
    }
    return found;
  },
};

/** What is known up to a turn. */
interface Past {
  /** What a call has done or failed to do, and what was claimed before. */
  readonly tried: Set<Kind>;
  /** How the names of tools begin that were to change something in the turns before. */
  readonly changedBy: Set<string>;
  /** Whether the agent or its user had read such a word up to a turn. */
  readonly hasSeen: (word: string, turn: number) => boolean;
}

function changes({ effect }: Call): boolean {
  return effect === 'changes';
}

function doesAnything({ step, effect }: Call): boolean {
  return effect !== 'reads' && !looksLikeNote(step.name);
}

/** A tool of which nothing tells what it does may have done what the answer says. */
function mayDoAnything({ effect }: Call, deeds: readonly Kind[]): boolean {
  return deeds.length === 0 || (effect === 'unknown' && !deeds.some(({ verbs }) => verbs.has('transfer')));
}

function claimOf(view: RuleView, index: number, past: Past, changesNow: boolean): Claim | undefined {
  const { output } = view.session.turns[index] ?? {};
  if (output === undefined || output === null || !mayClaim(output) || !isLatin(output)) return undefined;
  return claimsIn(output).find(
    (claim) =>
      !past.tried.has(claim.kind) &&
      !admitsTrouble(claim.sentence) &&
      showsCalls(view, index, claim.kind) &&
      (past.changedBy.size > 0 || changesNow
        ? !changesNow && claim.own && isNothingThatFollows(claim, past)
        : claim.own || isNews(view, index, claim, past)),
  );
}

/** Whether the trace would show a call, had there been one. */
function showsCalls({ session, calls }: RuleView, index: number, kind: Kind): boolean {
  return calls.length > 0 || toolsFor(session, index, kind).length > 0;
}

function toolsFor(session: Session, index: number, kind: Kind): string[] {
  const turn = session.turns[index];
  const tools = (turn && availableTools(session, turn)) ?? [];
  return tools.filter(({ name }) => kindsOf(wordsOf(name)).includes(kind)).map(({ name }) => name);
}

/** Deeds that others bring about: to cancel a booking refunds it, and sends a letter of confirmation. */
const MAY_FOLLOW = ['refunded', 'paid', 'updated', 'sent'];

function isNothingThatFollows({ sentence, kind }: Claim, { changedBy }: Past): boolean {
  const said = wordsIn(sentence);
  return (
    !MAY_FOLLOW.some((word) => kind.participles.has(word)) && !said.some((word) => changedBy.has(word.slice(0, 5)))
  );
}

/** What is looked up, and may well have been done before: asked for, it is told. */
const ASKS_HOW_IT_STANDS =
  /\b(?:status|track\w*|where|whether|check|look|see|know|tell me|update on|what|when|did|has|was|confirm)\b/i;

/** "Has been cancelled" is how things stand, unless it was asked for just now and nobody had spoken of it as done. */
function isNews({ session }: RuleView, index: number, { kind, word }: Claim, { hasSeen }: Past): boolean {
  const input = session.turns[index]?.input ?? '';
  const before = session.turns[index - 1]?.output ?? null;
  const names = (text: string) => wordsIn(text).some((one) => kind.verbs.has(one));
  const isOffered = before !== null && names(ends(before)) && agreement(input, before) !== null;
  const isAskedFor = names(input) && !onlyAsks(input) && !ASKS_HOW_IT_STANDS.test(input);
  return (isAskedFor || isOffered) && !hasSeen(word, index);
}

/** What is left of `cancelled`, `CANCELED` and `cancellation`. */
function stemOf(word: string): string {
  return word.slice(0, Math.max(4, word.length - 3));
}

/** Looks through results for stems and through what users said for the word; each text once for a word. */
function sightOf({ session, callsByTurn }: RuleView): Past['hasSeen'] {
  const looked = new Map<string, { turn: number; seen: boolean }>();
  const textsOf = (turn: number) =>
    (callsByTurn[turn] ?? []).map(({ step }) => `${resultText(step.result)} ${step.error ?? ''}`.toLowerCase());
  return (word, upTo) => {
    const state = looked.get(word) ?? { turn: 0, seen: false };
    looked.set(word, state);
    for (; state.turn <= upTo && !state.seen; state.turn += 1) {
      const input = session.turns[state.turn]?.input?.toLowerCase() ?? '';
      state.seen = input.includes(word) || textsOf(state.turn).some((text) => text.includes(stemOf(word)));
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

/** Tools that the message names: enough to see what was there. */
const SHOWN = 3;

function reported(view: RuleView, index: number, { sentence, kind }: Claim): Found {
  const { outputPointer, pointer = '' } = view.session.turns[index] ?? {};
  const ofKind = toolsFor(view.session, index, kind);
  const called = new Set(view.callsByTurn.slice(0, index + 1).flatMap((calls) => calls.map(({ step }) => step.name)));
  return {
    turn: index,
    message: `The answer says ${quote(sentence)}, and ${whatWasCalled(ofKind, [...called])}.`,
    evidence: [view.evidence(index, outputPointer ?? pointer, 'the answer that says that it was done')],
  };
}

function whatWasCalled(ofKind: readonly string[], called: readonly string[]): string {
  const named = (names: readonly string[]) => list(names.slice(0, SHOWN).map(code));
  if (ofKind.length > 0) return `${named(ofKind)} ${ofKind.length === 1 ? 'was' : 'were'} never called`;
  if (called.length === 0) return 'no tool was called';
  if (called.length > SHOWN) return 'no tool that could have done it was called';
  return `nothing was called but ${named(called)}`;
}
