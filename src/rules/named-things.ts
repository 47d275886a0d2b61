import type { Turn } from '../core/session.ts';
import type { Agreed } from './agreements.ts';
import { ends, speaksOfOthers } from './confirmation.ts';
import { once } from './once.ts';
import { wordsOf } from './tool-effect.ts';
import type { Call, RuleView } from './view.ts';
import { code, list, value } from './wording.ts';

/** What was proposed and agreed to, or asked for. */
export interface Spoken {
  /** In lower case. */
  readonly texts: readonly string[];
  /** What may name a thing, by whomever. */
  names(): readonly string[];
  namesByUser(): readonly string[];
  /** Whether it speaks of things without naming them. */
  ofOthers(): boolean;
}

export function spokenIn({ byAgent, byUser }: Pick<Agreed, 'byAgent' | 'byUser'>): Spoken {
  const texts = [...byAgent, ...byUser].map((text) => ends(text).toLowerCase());
  return {
    texts,
    names: once(() => [...new Set(texts.flatMap(namesIn))]),
    namesByUser: once(() => [...new Set(byUser.flatMap(namesIn))]),
    ofOthers: once(() => texts.some(speaksOfOthers)),
  };
}

/**
 * Tells which thing was spoken of, while nobody ever spoke of the one that a call names: `` `order_id` "NO-58213" ``;
 * null when it was that one, or none of its kind.
 */
export function othersThanCalled({ session, calls }: RuleView): (call: Call, spoken: Spoken) => string | null {
  const things = once(() => thingsOf(calls));
  const firstSaid = once(() => firstSaidIn(session.turns));
  return (call, spoken) => {
    for (const [name, id] of namedThings(call)) {
      if (spoken.texts.some((text) => text.includes(id))) continue;
      const known = things().get(name);
      const others = new Set(spoken.namesByUser().filter((other) => known?.has(other)));
      const shape = shapeOf(id);
      if (shape !== null && !spoken.ofOthers() && (firstSaid().get(id) ?? Number.POSITIVE_INFINITY) > call.turn) {
        for (const other of spoken.names()) if (shapeOf(other) === shape) others.add(other);
      }
      if (others.size > 0) {
        return `${code(name)} ${list([...others].slice(0, 3).map((other) => value(other.toUpperCase())))}`;
      }
    }
    return null;
  };
}

/** What may name a thing in what people say: in lower case. */
function namesIn(text: string): string[] {
  return (
    ends(text)
      .toLowerCase()
      .match(/[\p{L}\d][\p{L}\d_-]{2,60}/gu) ?? []
  );
}

/** The turn by whose calls each name had been said, by whomever. */
function firstSaidIn(turns: readonly Turn[]): Map<string, number> {
  const said = new Map<string, number>();
  for (const [index, { input, output }] of turns.entries()) {
    // What the agent says, it says after the calls of its turn.
    for (const name of namesIn(input ?? '')) if (!said.has(name)) said.set(name, index);
    for (const name of namesIn(output ?? '')) if (!said.has(name)) said.set(name, index + 1);
  }
  return said;
}

/** Words of arguments that name what is to be made or taken instead. */
const NOT_THE_THING = /^(new|target|to|replacement|destination|idempotency|request)$/;

/** The ids by which a call names what it changes: `order_id` of `cancel_order`, and not the `payment_id`. */
function* namedThings({ step }: Call): Generator<readonly [name: string, id: string]> {
  if (typeof step.arguments === 'string') return;
  const ofTool = wordsOf(step.name);
  for (const [name, given] of Object.entries(step.arguments)) {
    const words = wordsOf(name);
    if (typeof given !== 'string' || !/^(id|number|code|reference)$/.test(words.at(-1) ?? '')) continue;
    const ofThisTool = words.some((word) => ofTool.includes(word));
    // Where the name of the tool is of the deed alone, as `issue_refund`: what is ordered, booked or the like.
    const ofAThing = words.some((word) => /^(order|reservation|booking|subscription|invoice|ticket)$/.test(word));
    if ((ofThisTool || ofAThing) && !words.some((word) => NOT_THE_THING.test(word))) {
      yield [name, given.replace(/^#/, '').toLowerCase()];
    }
  }
}

/** What the calls of a session name, by the argument that names it. */
function thingsOf(calls: readonly Call[]): Map<string, Set<string>> {
  const things = new Map<string, Set<string>>();
  for (const call of calls) {
    for (const [name, id] of namedThings(call)) {
      const known = things.get(name);
      if (known) known.add(id);
      else things.set(name, new Set([id]));
    }
  }
  return things;
}

/** What `NO-58213` shares with the ids of its kind: `no-99999`. Null for ids that numbers and words may look like. */
function shapeOf(id: string): string | null {
  return /^[a-z]{1,6}[-_]?\d{3,}$/.test(id) ? id.replace(/\d/g, '9') : null;
}
