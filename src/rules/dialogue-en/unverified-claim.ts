import { asText } from '../../core/json.ts';
import { availableTools, type Session } from '../../core/session.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, quoteText } from '../shared/message-format.ts';
import { changeVerb, looksLikeSearch, nameWords, toolEffect } from '../shared/tool-effect.ts';
import { wordSet } from '../shared/tool-words.ts';
import { type ClaimedState, claimedStates } from './claimed-states.ts';

export const unverifiedClaim: Rule = {
  id: 'unverified-claim',
  title: 'Claim of the user not looked up',
  proves:
    'The user said what state something is in, and the agent refunded, cancelled or compensated for it without a call of the tool that looks it up.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: ['dialogue'],
  page: {
    how:
      'Looks for statements of users about the state of a thing: “my flight was delayed”, “the package has been lost”. It reports the first later change that refunds, cancels, exchanges or compensates something, or that names the thing, if by then\n\n' +
      '- no result had mentioned that state, and\n- no tool had been called that reads such a thing, although there is one: its name has the word (`get_flight_status`), and it is in the catalogue or called later in the session.\n\n' +
      'The first 20 different statements of a session are checked.',
    silent:
      'Ignores questions, conditions and states that no tool can look up. Searches, such as `search_flights`, do not count as a look-up of one thing. It does not know whether the user was right, nor whether the agent may believe users. Without a catalogue, a tool that is never called is unknown. Skips users who do not write English, sub-agents, and content that was not recorded.',
    remedy:
      'Have the agent look up what it can before it acts on it, or have the tool that makes the change check the state itself.',
  },
  check(view) {
    const { session, changes } = view;
    if (changes.length === 0 || !view.hasReadableUsers) return [];
    const claims = distinctClaims(session);
    if (claims.length === 0) return [];
    const lookUps = lookUpsByWord(view);
    return claims.flatMap(({ turn, claim }) => {
      const tools = new Set(claim.thing.flatMap((word) => [...(lookUps.get(word) ?? [])]));
      if (tools.size === 0) return [];
      const change = changes.find((call) => call.turn >= turn && concerns(call, claim));
      return change && !isLookedUp(view, change, claim, tools) ? toFinding(view, turn, claim, change, [...tools]) : [];
    });
  },
};

/** How many claims of a session are checked. */
const MAX_CLAIMS = 20;

interface ClaimInTurn {
  readonly turn: number;
  readonly claim: ClaimedState;
}

/** The first claims of a session, without those that repeat another. */
function distinctClaims({ turns }: Session): ClaimInTurn[] {
  const claims = new Map<string, ClaimInTurn>();
  for (const [turn, { input }] of turns.entries()) {
    for (const claim of input === null ? [] : claimedStates(input)) {
      const key = `${claim.thing.join(' ')} ${claim.stem}`;
      if (!claims.has(key)) claims.set(key, { turn, claim });
    }
    if (claims.size >= MAX_CLAIMS) break;
  }
  return [...claims.values()].slice(0, MAX_CLAIMS);
}

function toFinding(
  view: RuleView,
  turn: number,
  { text }: ClaimedState,
  change: IndexedCall,
  [tool = '']: readonly string[],
): RuleFinding {
  const { inputPointer, pointer = '' } = view.session.turns[turn] ?? {};
  return {
    turn: change.turn,
    message: `The user said ${quoteText(text)}, and ${codeSpan(change.step.name)} was called without a look-up by ${codeSpan(tool)}.`,
    evidence: [
      view.evidence(change.turn, change.step.pointer, 'the call that changed state'),
      view.evidence(turn, inputPointer ?? pointer, 'what the user said'),
    ],
    calls: [change.step.pointer],
  };
}

/** The tools that read one thing, by the words of their names: `flight` for `get_flight_status`. */
function lookUpsByWord({ session, calls }: RuleView): ReadonlyMap<string, ReadonlySet<string>> {
  const byWord = new Map<string, Set<string>>();
  const add = (name: string) => {
    for (const word of nameWords(name)) byWord.set(word, (byWord.get(word) ?? new Set()).add(name));
  };
  const catalogues = new Set(session.turns.map((turn) => availableTools(session, turn) ?? []));
  const catalogue = new Set([...catalogues].flat());
  for (const tool of catalogue)
    if (toolEffect(tool.name, tool) === 'reads' && !looksLikeSearch(tool.name)) add(tool.name);
  for (const { step, effect } of calls) if (effect === 'reads' && !looksLikeSearch(step.name)) add(step.name);
  return byWord;
}

const COMPENSATION_VERBS = wordSet('refund return cancel exchange void terminate redeem');
const COMPENSATIONS = wordSet(
  'certificate voucher credit compensation compensate goodwill reimbursement reimburse replacement',
);

/** Whether a change is made for the thing, as far as its tool tells. */
function concerns({ step }: IndexedCall, { thing }: ClaimedState): boolean {
  const words = nameWords(step.name);
  return (
    COMPENSATION_VERBS.has(changeVerb(step.name) ?? '') ||
    words.some((word) => COMPENSATIONS.has(word) || thing.includes(word))
  );
}

/** Whether a look-up, or anything that mentions the state, came before the change. */
function isLookedUp(
  { calls }: RuleView,
  change: IndexedCall,
  { stem }: ClaimedState,
  tools: ReadonlySet<string>,
): boolean {
  return calls.slice(0, change.index).some(({ step }) => tools.has(step.name) || mentions(step.result, stem));
}

function mentions(result: unknown, stem: string): boolean {
  try {
    return asText(result).toLowerCase().includes(stem);
  } catch {
    return true;
  }
}
