/**
 * What a user may mean by a message to which an agent's answer is not expected, or expected to be the same, by its
 * English words.
 */

/** How much of a text is looked at. */
const SAMPLE = 2000;

const REPEAT_REQUEST =
  /\b(?:repeat|resend|(?:say|tell|write|send|post|show|give|state|read)\b[^.!?\n]{0,40} (?:again|once more|one more time)|come again|(?:lost|missed|forgot) (?:it|that|this|(?:your|the) (?:last )?(?:answer|message|reply))|did(?: not|n['’]t) (?:catch|get|see|receive|hear|read) (?:it|that|this|(?:your|the) (?:last )?(?:answer|message|reply))|what (?:did you (?:just )?say|was that))\b/i;

/** Whether a user may be asking for what was said once more. */
export function asksToRepeat(userText: string): boolean {
  return REPEAT_REQUEST.test(userText.slice(0, SAMPLE));
}

const PROMISE_TO_RETURN =
  /\b(?:i['’]ll|i will|i['’]m going to|i need to|let me|i have to)\b[^.!?\n]{0,60}\b(?:gather|look (?:for|up|it|them)|find|check|provide|send|get back|come back|be back|call back|return|think about|let you know|reach out|write again|message you)\b/i;

/** Whether a user goes away to do something, and will be back: until then there is nothing to answer. */
export function promisesToReturn(userText: string): boolean {
  const text = userText.slice(0, SAMPLE);
  return PROMISE_TO_RETURN.test(text) && !/\?|\bplease\b/i.test(text);
}

const REFUSED_ACTION =
  /\bi(?:['’]m| am) (?:unable|not able|not allowed) to (?:\w+ly )?(\w{1,30})|\bi (?:cannot|can['’]t|can not) (?:\w+ly )?(\w{1,30})/i;

/** Words with which any request is refused. */
const GENERIC_VERBS = new Set('help assist do be proceed'.split(' '));

/** The deed that an answer first says the agent cannot do: `remove` of "I'm unable to remove a passenger"; null where it says none. */
export function refusedAction(answer: string): string | null {
  const [, unable, cannot] = REFUSED_ACTION.exec(answer.slice(0, SAMPLE)) ?? [];
  const deed = (unable ?? cannot)?.toLowerCase();
  return deed === undefined || GENERIC_VERBS.has(deed) ? null : deed;
}
