import { lazy } from '../../core/cache/memoize.ts';
import type { Turn } from '../../core/session.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, formatValue, joinWithAnd } from '../shared/message-format.ts';
import { nameWords } from '../shared/tool-effect.ts';
import type { Agreement } from './agreements.ts';
import { headAndTail, mentionsOthers } from './user-consent.ts';

/** What was proposed and agreed to, or asked for. */
export interface EntityMentions {
  /** In lower case. */
  readonly texts: readonly string[];
  /** What may name a thing, by whomever. */
  names(): readonly string[];
  namesByUser(): readonly string[];
  /** Whether it speaks of things without naming them. */
  mentionsOthers(): boolean;
}

export function createEntityMentions({ byAgent, byUser }: Pick<Agreement, 'byAgent' | 'byUser'>): EntityMentions {
  const texts = [...byAgent, ...byUser].map((text) => headAndTail(text).toLowerCase());
  return {
    texts,
    names: lazy(() => [...new Set(texts.flatMap(possibleNames))]),
    namesByUser: lazy(() => [...new Set(byUser.flatMap(possibleNames))]),
    mentionsOthers: lazy(() => texts.some(mentionsOthers)),
  };
}

/**
 * Tells which thing was spoken of, while nobody ever spoke of the one that a call names: `` `order_id` "NO-58213" ``;
 * null when it was that one, or none of its kind.
 */
export function createMismatchFinder({
  session,
  calls,
}: RuleView): (call: IndexedCall, spoken: EntityMentions) => string | null {
  const things = lazy(() => idsByArgument(calls));
  const firstSaid = lazy(() => firstMentions(session.turns));
  return (call, spoken) => {
    for (const [name, id] of targetIds(call)) {
      if (spoken.texts.some((text) => text.includes(id))) continue;
      const known = things().get(name);
      const others = new Set(spoken.namesByUser().filter((other) => known?.has(other)));
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

/** What may name a thing in what people say: in lower case. */
function possibleNames(text: string): string[] {
  return (
    headAndTail(text)
      .toLowerCase()
      .match(/[\p{L}\d][\p{L}\d_-]{2,60}/gu) ?? []
  );
}

/** The turn by whose calls each name had been said, by whomever. */
function firstMentions(turns: readonly Turn[]): Map<string, number> {
  const said = new Map<string, number>();
  for (const [index, { input, output }] of turns.entries()) {
    // What the agent says, it says after the calls of its turn.
    for (const name of possibleNames(input ?? '')) if (!said.has(name)) said.set(name, index);
    for (const name of possibleNames(output ?? '')) if (!said.has(name)) said.set(name, index + 1);
  }
  return said;
}

/** Words of arguments that name what is to be made or taken instead. */
const NEW_ENTITY = /^(new|target|to|replacement|destination|idempotency|request)$/;

/** The ids by which a call names what it changes: `order_id` of `cancel_order`, and not the `payment_id`. */
function* targetIds({ step }: IndexedCall): Generator<readonly [name: string, id: string]> {
  if (typeof step.arguments === 'string') return;
  const ofTool = nameWords(step.name);
  for (const [name, given] of Object.entries(step.arguments)) {
    const words = nameWords(name);
    if (typeof given !== 'string' || !/^(id|number|code|reference)$/.test(words.at(-1) ?? '')) continue;
    const ofThisTool = words.some((word) => ofTool.includes(word));
    // Where the name of the tool is of the deed alone, as `issue_refund`: what is ordered, booked or the like.
    const ofAThing = words.some((word) => /^(order|reservation|booking|subscription|invoice|ticket)$/.test(word));
    if ((ofThisTool || ofAThing) && !words.some((word) => NEW_ENTITY.test(word))) {
      yield [name, given.replace(/^#/, '').toLowerCase()];
    }
  }
}

/** What the calls of a session name, by the argument that names it. */
function idsByArgument(calls: readonly IndexedCall[]): Map<string, Set<string>> {
  const things = new Map<string, Set<string>>();
  for (const call of calls) {
    for (const [name, id] of targetIds(call)) {
      const known = things.get(name);
      if (known) known.add(id);
      else things.set(name, new Set([id]));
    }
  }
  return things;
}

/** What `NO-58213` shares with the ids of its kind: `no-99999`. Null for ids that numbers and words may look like. */
function idShape(id: string): string | null {
  return /^[a-z]{1,6}[-_]?\d{3,}$/.test(id) ? id.replace(/\d/g, '9') : null;
}
