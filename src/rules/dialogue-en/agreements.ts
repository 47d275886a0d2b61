import { memoize } from '../../core/cache/memoize.ts';
import type { Turn } from '../../core/session.ts';
import type { RuleView } from '../rule-view.ts';
import { classifyAgreement, declines, headAndTail } from './user-consent.ts';

/** How many later messages an agreement still covers, if the agent asks for missing details. */
const MAX_MESSAGES_SINCE_AGREEMENT = 4;

/** What a user agreed to. */
export interface Agreement {
  /** The turn of the agreement. */
  readonly turn: number;
  /** The agent's texts before and after the agreement, without its last answer. */
  readonly byAgent: readonly string[];
  /** The agreement, and the user's messages since. */
  readonly byUser: readonly string[];
  /** What was proposed and said in an agreement shortly before, which no change has used up. */
  readonly earlier: readonly string[];
}

/** Creates a look-up of the agreement that covers the changes of a turn; null if there is none. */
export function createAgreementLookup({ session, changes }: RuleView): (turn: number) => Agreement | null {
  const { turns } = session;
  const changing = new Set(changes.map(({ turn }) => turn));
  const agreedTo = memoize((turn: number) => classifyAgreement(inputOf(turn), turns[turn - 1]?.output ?? null));
  return memoize((turn: number) => {
    const since = lastBefore(turn);
    if (since === null) return null;
    const covered = turns.slice(since, turn + 1);
    return {
      turn: since,
      byAgent: [...turns.slice(Math.max(0, since - 1), since), ...covered.slice(0, -1)]
        .map(outputText)
        .map((text) => headAndTail(text)),
      byUser: covered.map(inputText).map((text) => headAndTail(text)),
      earlier: textsOfEarlier(since),
    };
  });

  function textsOfEarlier(turn: number): string[] {
    const before = lastBefore(turn - 1);
    if (before === null || changing.has(before) || declines(inputOf(turn))) return [];
    return [turns[before - 1]?.output ?? '', inputOf(before)].map((text) => headAndTail(text));
  }

  /** Searches back as far as an agreement is valid. */
  function lastBefore(turn: number): number | null {
    if (agreedTo(turn) !== null) return turn;
    for (let before = turn - 1; before >= 0 && turn - before <= MAX_MESSAGES_SINCE_AGREEMENT; before -= 1) {
      if (declines(inputOf(before + 1))) return null;
      // The earlier change used up the agreement: the next change needs its own.
      if (changing.has(before)) return null;
      if (agreedTo(before) === 'clear') return before;
    }
    return null;
  }

  function inputOf(turn: number): string {
    return turns[turn]?.input ?? '';
  }
}

function inputText({ input }: Turn): string {
  return input ?? '';
}

function outputText({ output }: Turn): string {
  return output ?? '';
}
