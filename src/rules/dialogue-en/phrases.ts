/** English phrases that rules search for. They do not apply to texts that are mostly in another script. */

/** How much of a text is read if its beginning is sufficient. */
const SAMPLE = 2000;

/** Whether at least half of the letters are Latin; true for a text without letters. */
export function isLatinScript(text: string): boolean {
  let latin = 0;
  let letters = 0;
  const sample = text.slice(0, SAMPLE);
  for (let at = 0; at < sample.length; at += 1) {
    const code = sample.charCodeAt(at);
    if (code < ASCII_LIMIT) {
      // Sets the bit that distinguishes upper and lower case.
      if ((code | 0x20) < 0x61 || (code | 0x20) > 0x7a) continue;
      latin += 1;
      letters += 1;
      continue;
    }
    const letter = String.fromCodePoint(sample.codePointAt(at) ?? code);
    if (letter.length > 1) at += 1;
    if (!/\p{L}/u.test(letter)) continue;
    letters += 1;
    if (/\p{Script=Latin}/u.test(letter)) latin += 1;
  }
  return latin * 2 >= letters;
}

/** Nearly all letters of English texts are below, and every rule calls this for every text. */
const ASCII_LIMIT = 0x80;

const TRANSIENT =
  /time[ds]?[ -]?out|\btemporar|unavailable|rate.?limit|too many requests|\b(429|502|503|504)\b|overloaded|try again|\bretry|connection|\bnetwork\b|\bbusy\b|ECONN|EAI_AGAIN|ETIMEDOUT|socket hang up/i;

/** Whether an error may be gone at the next attempt. The effect of such a call is unknown. */
export function looksTransient(error: string): boolean {
  return TRANSIENT.test(error.slice(0, SAMPLE));
}

/** Whether an error says that the change was already made, so that an answer may report it as done. */
export function saysAlreadyDone(error: string): boolean {
  return /\b(already|duplicate|exists?)\b/i.test(error.slice(0, SAMPLE));
}

const RETRY_REQUEST =
  /\b(again|(re-?)?try|once more|another (go|attempt)|(re|double)[- ]?check|re-?run|still|now|done|fixed|works?|working)\b/i;

/** Whether a user may be asking to retry. */
export function asksToRetry(userText: string): boolean {
  return RETRY_REQUEST.test(userText.slice(0, SAMPLE));
}

const OWN_ACTION =
  /\b(i|we)(['’]ve| have| just| (did|put|set|added|changed|updated|enabled|disabled|fixed|paid|sent|created|removed|deleted|cancelled|canceled|booked|reset|restarted|unlocked|verified|moved|opened|closed|installed|plugged|turned|switched|uploaded))\b/i;

/** Whether a user may be reporting an action of their own. */
export function reportsOwnAction(userText: string): boolean {
  return OWN_ACTION.test(userText.slice(0, SAMPLE));
}

const END_MARKER = /(?<!#)#{2,}\s*[A-Z][A-Z _-]*#{2,}|<\/?(end|stop|done)>|\[(end|stop|done)\]/;

const GOODBYE =
  /^\W*(?:(?:ok(?:ay)?|great|perfect|awesome|wonderful|excellent|cool|alright|no|nope|thank(?:s| you)?|thx|ty|cheers|so much|very much|a lot|again|bye|good ?bye|see (?:you|ya)|have a (?:great|good|nice|lovely) (?:day|one|evening|weekend|night)|you too|that(?:'|’)?s (?:all|it|everything)|that is (?:all|it|everything)|for (?:your|the|all your) (?:help|assistance|time)|for now|for today|i needed?|and|merci|danke|gracias|obrigad[oa]|grazie)\b[\W_]*)+$/i;

/** Whether a message needs no answer: a simulator's marker such as `###STOP###`, thanks, a goodbye. */
export function endsConversation(userText: string): boolean {
  const text = userText.trim();
  return END_MARKER.test(text.slice(-SAMPLE)) || (text.length < 200 && GOODBYE.test(text));
}

const PLEASANTRY =
  /^\W*(you(['’]re| are) (very |most )?welcome|my pleasure|glad (i|to)\b|(is|was) there anything else|thank(s| you)\b|have a |take your time|no problem)/i;

/** Whether an answer only keeps the conversation going, so that it may be repeated. */
export function looksLikePleasantry(answer: string): boolean {
  return PLEASANTRY.test(answer);
}

const TROUBLE =
  /\b(un(fortunately|able|successful(ly)?|available)|can(no|')?t|could(n['’]?t| not)|can ?not|(did|do|does|was|were|has|have|had|is|are|am|will|would)(n['’]?t| not)|fail(s|ed|ure|ing)?|error|problem|issues?|trouble|however|sorry|apolog\w*|reject(ed)?|declin(e|ed)|invalid|wrong|instead|manually|not (yet )?(been |be )?(possible|able|processed|completed)|pending|later)\b|n['’]t\b/i;

/** Whether an answer mentions anything that did not work. */
export function admitsTrouble(answer: string): boolean {
  return TROUBLE.test(answer);
}

/** Text that claims authority over the agent, which a tool result does not have. */
const OVERRIDES = [
  /\b(ignore|disregard|forget|override)\s+(all\s+|any\s+)?(of\s+)?(the\s+|your\s+|my\s+|these\s+)?(previous|prior|above|earlier|preceding|existing)\s+(instruction|prompt|rule|message|direction|request|task|context)/i,
  /\bdisregard\s+(your|all)\s+(instructions|rules|guidelines|system prompt)\b/i,
  /(?<=(^|[\n">\]]|\\n)[ \t]{0,8}\[?)(SYSTEM|SYSTEM MESSAGE|SYSTEM OVERRIDE|ADMIN OVERRIDE)\]?[ \t]{0,8}:/,
  /\b(message|instructions?|notes?|notice|attention)\s*(to|for|:)\s*(the\s+|all\s+|any\s+)?(ai|llm|language model)s?\b/i,
  /<(IMPORTANT|INFORMATION)>/,
  /\bnew\s+(system\s+)?instructions?\s*(for\s+you\s*)?:/i,
];

/**
 * Orders, which a tool may also give by design (`you must now call confirm_order`), and texts that address any agent
 * that reads them.
 */
const ORDERS = new RegExp(
  [
    /\byou\s+must\s+(now|immediately)\s+(also\s+)?(call|use|run|execute|invoke|send|transfer|forward|issue|delete|visit|open)\b/,
    /\b(ai|llm)\s+(assistant|agent|model|system|bot)s?\b(?:\s+(reading|processing|viewing|visiting|accessing|summari[sz]ing)\b|(?<=\b(hey|hi|hello|dear|attention),?\s{1,9}(ai|llm)\s{1,9}\w{1,10}))/,
    /\b(assistant|ai|llm)\s+(must|should|has\s+to|needs\s+to)\s+(first|now|immediately|also)\s+(send|e-?mail|mail|forward|transfer|pay|post|upload|delete)\b/,
    /\[INST\]\s{1,5}[a-z]+\s+[a-z]/,
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'i',
);

/** Matches whatever the patterns above match, in one pass: nearly all tool results contain no orders. */
const ANY_INJECTION = new RegExp([...OVERRIDES, ORDERS].map(({ source }) => `(?:${source})`).join('|'), 'i');

/**
 * Finds where a text begins to give orders to the agent, and whether it claims to override the agent's instructions;
 * null if it does not.
 */
export function findInjection(text: string): { readonly at: number; readonly overrides: boolean } | null {
  if (!ANY_INJECTION.test(text)) return null;
  const positions = OVERRIDES.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  if (positions.length > 0) return { at: Math.min(...positions), overrides: true };
  const at = text.search(ORDERS);
  return at < 0 ? null : { at, overrides: false };
}
