import { lazy } from '../../core/cache/memoize.ts';
import type { Turn } from '../../core/session.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { nameWords } from '../shared/tool-effect.ts';
import type { Agreement } from './agreements.ts';
import { headAndTail, mentionsOthers } from './user-consent.ts';

/** The entities in a proposal with its agreement, or in a request. */
export interface EntityMentions {
  /** In lower case, with those of an earlier agreement. */
  readonly texts: readonly string[];
  /** Possible identifiers in texts of the user and the agent. */
  names(): readonly string[];
  namesByUser(): readonly string[];
  /** Whether the texts refer to things without naming them. */
  mentionsOthers(): boolean;
}

export function createEntityMentions({ byAgent, byUser, earlier }: Omit<Agreement, 'turn'>): EntityMentions {
  const texts = [...byAgent, ...byUser].map((text) => headAndTail(text).toLowerCase());
  return {
    texts: [...texts, ...earlier.map((text) => text.toLowerCase())],
    names: lazy(() => [...new Set(texts.flatMap(possibleNames))]),
    namesByUser: lazy(() => [...new Set(byUser.flatMap(possibleNames))]),
    mentionsOthers: lazy(() => texts.some(mentionsOthers)),
  };
}

/**
 * Creates a look-up of the entity that was mentioned if a call names another one of its kind that was never mentioned:
 * `` `order_id` "NO-58213" ``. The result is null if the call names the mentioned one.
 */
export function createMismatchFinder({
  session,
  calls,
}: RuleView): (call: IndexedCall, mentions: EntityMentions) => string | null {
  const things = lazy(() => idsByArgument(calls));
  const firstSaid = lazy(() => firstMentions(session.turns));
  return (call, spoken) => {
    for (const [name, id] of targetIds(call)) {
      if (spoken.texts.some((text) => text.includes(id))) continue;
      const knownIds = things().get(name);
      const others = new Set(spoken.namesByUser().filter((other) => knownIds?.has(other)));
      const shape = idShape(id);
      if (shape !== null && !spoken.mentionsOthers() && (firstSaid().get(id) ?? Number.POSITIVE_INFINITY) > call.turn) {
        for (const other of spoken.names()) if (idShape(other) === shape) others.add(other);
      }
      if (others.size > 0) {
        return `${codeSpan(name)} ${joinWithAnd([...others].slice(0, 3).map((other) => formatValue(other.toUpperCase())))}`;
      }
    }
    return null;
  };
}

/** Possible identifiers in a text, in lower case. */
function possibleNames(text: string): string[] {
  return (
    headAndTail(text)
      .toLowerCase()
      .match(/[\p{L}\d][\p{L}\d_-]{2,60}/gu) ?? []
  );
}

/** The first turn in whose calls each name could be used. */
function firstMentions(turns: readonly Turn[]): Map<string, number> {
  const firstTurns = new Map<string, number>();
  for (const [index, { input, output }] of turns.entries()) {
    // The agent's answer comes after the calls of its turn.
    for (const name of possibleNames(input ?? '')) if (!firstTurns.has(name)) firstTurns.set(name, index);
    for (const name of possibleNames(output ?? '')) if (!firstTurns.has(name)) firstTurns.set(name, index + 1);
  }
  return firstTurns;
}

/** Words of arguments that name a new or substitute entity. */
const NEW_ENTITY = /^(new|target|to|replacement|destination|idempotency|request)$/;

/** The ids of what a call changes: `order_id` of `cancel_order`, but not the `payment_id`. */
function* targetIds({ step }: IndexedCall): Generator<readonly [name: string, id: string]> {
  if (typeof step.arguments === 'string') return;
  const toolWords = nameWords(step.name);
  for (const [name, id] of Object.entries(step.arguments)) {
    const words = nameWords(name);
    if (typeof id !== 'string' || !/^(id|number|code|reference)$/.test(words.at(-1) ?? '')) continue;
    const ofThisTool = words.some((word) => toolWords.includes(word));
    // A tool named after an action, such as `issue_refund`, has an order, a booking or the like as its object.
    const ofAThing = words.some((word) => /^(order|reservation|booking|subscription|invoice|ticket)$/.test(word));
    if ((ofThisTool || ofAThing) && !words.some((word) => NEW_ENTITY.test(word))) {
      yield [name, id.replace(/^#/, '').toLowerCase()];
    }
  }
}

/** The ids in the calls of a session, by argument. */
function idsByArgument(calls: readonly IndexedCall[]): Map<string, Set<string>> {
  const things = new Map<string, Set<string>>();
  for (const call of calls) {
    for (const [name, id] of targetIds(call)) {
      const ids = things.get(name);
      if (ids) ids.add(id);
      else things.set(name, new Set([id]));
    }
  }
  return things;
}

/** The pattern of an id: `no-99999` for `NO-58213`. Null for ids that look like numbers or words. */
function idShape(id: string): string | null {
  return /^[a-z]{1,6}[-_]?\d{3,}$/.test(id) ? id.replace(/\d/g, '9') : null;
}
