/** English phrases of user messages that expect no new answer, and of refusals. */

/** How much of a text is read. */
const SAMPLE = 2000;

const REPEAT_REQUEST =
  /\b(?:repeat|resend|(?:say|tell|write|send|post|show|give|state|read)\b[^.!?\n]{0,40} (?:again|once more|one more time)|come again|(?:lost|missed|forgot) (?:it|that|this|(?:your|the) (?:last )?(?:answer|message|reply))|did(?: not|n['’]t) (?:catch|get|see|receive|hear|read) (?:it|that|this|(?:your|the) (?:last )?(?:answer|message|reply))|what (?:did you (?:just )?say|was that))\b/i;

/** Whether a user may be asking to repeat an answer. */
export function asksToRepeat(userText: string): boolean {
  return REPEAT_REQUEST.test(userText.slice(0, SAMPLE));
}

const PROMISE_TO_RETURN =
  /\b(?:i['’]ll|i will|i['’]m going to|i need to|let me|i have to)\b[^.!?\n]{0,60}\b(?:gather|look (?:for|up|it|them)|find|check|provide|send|get back|come back|be back|call back|return|think about|let you know|reach out|write again|message you)\b/i;

/** Whether a user leaves to do something and will come back, so that no answer is due. */
export function promisesToReturn(userText: string): boolean {
  const text = userText.slice(0, SAMPLE);
  return PROMISE_TO_RETURN.test(text) && !/\?|\bplease\b/i.test(text);
}

const REFUSED_ACTION =
  /\bi(?:['’]m| am) (?:unable|not able|not allowed) to (?:\w+ly )?(\w{1,30})|\bi (?:cannot|can['’]t|can not) (?:\w+ly )?(\w{1,30})/i;

/** Verbs that refuse any request. */
const GENERIC_VERBS = new Set('help assist do be proceed'.split(' '));

/**
 * The action that an answer says the agent cannot do: `remove` for "I'm unable to remove a passenger"; null if there
 * is none.
 */
export function refusedAction(answer: string): string | null {
  const [, unable, cannot] = REFUSED_ACTION.exec(answer.slice(0, SAMPLE)) ?? [];
  const verb = (unable ?? cannot)?.toLowerCase();
  return verb === undefined || GENERIC_VERBS.has(verb) ? null : verb;
}
