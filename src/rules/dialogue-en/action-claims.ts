/**
 * How an answer says in English that something was done, and which tools do such deeds. A word list each: the verbs by
 * which tools are named, and what is said of them afterwards.
 */

/** One kind of deed. */
export interface ActionKind {
  /** As tools are named: `cancel_order`. */
  readonly verbs: ReadonlySet<string>;
  /** As it is told that it was done: `has been cancelled`. */
  readonly participles: ReadonlySet<string>;
  /** What goes through, or is on its way: `the refund went through`. */
  readonly nouns: ReadonlySet<string>;
}

const ACTION_KINDS: readonly ActionKind[] = [
  ['create write add insert save generate make', 'created written wrote added inserted saved generated made', ''],
  ['delete remove clear', 'deleted removed cleared gone', 'deletion removal'],
  ['cancel', 'cancelled canceled', 'cancellation cancelation'],
  [
    'book reserve schedule reschedule',
    'booked rebooked reserved scheduled rescheduled',
    'booking reservation appointment',
  ],
  [
    'update change modify edit adjust switch replace set move upgrade downgrade rename',
    'updated changed modified edited adjusted switched replaced set moved upgraded downgraded renamed marked',
    'update change modification upgrade',
  ],
  ['send resend post email mail forward', 'sent resent posted emailed mailed forwarded', 'email mail message'],
  ['buy purchase order place', 'bought purchased ordered placed', 'purchase order'],
  ['pay charge', 'paid charged', 'payment'],
  [
    'refund return',
    'refunded returned reimbursed credited',
    'refund money reimbursement eur usd gbp euro euros dollar dollars',
  ],
  ['exchange swap', 'exchanged swapped', 'exchange replacement'],
  ['submit file', 'submitted filed', 'submission'],
  ['transfer escalate connect handover handoff', 'transferred escalated connected', 'transfer'],
].map(([verbs = '', participles = '', nouns = '']) => ({
  verbs: wordSet(verbs),
  participles: wordSet(participles),
  nouns: wordSet(nouns),
}));

/** Verbs that say that there is to be something, and leave to the words after them what: `create_refund`. */
const GENERIC_VERBS = wordSet('create make send submit place file issue process request initiate');

/** Told of itself by an agent, `I made sure` and `I set out` tell of no deed. */
const FIRST_PERSON_PARTICIPLES = [...ACTION_KINDS.flatMap(({ participles }) => [...participles]), 'issued', 'processed']
  .filter((word) => !['made', 'set', 'gone'].includes(word))
  .join('|');

/** What is said to be so, or stands alone: "The mail is deleted", "Deleted." */
const STATE_PARTICIPLES = 'booked|cancelled|canceled|refunded|updated|scheduled|deleted|removed';

const DELIVERY_NOUNS = [...ACTION_KINDS.flatMap(({ nouns }) => [...nouns]), 'e-mail'].join('|');

const SUCCESS_PHRASE = new RegExp(
  [
    String.raw`\bha(?:s|ve) (?:now |just |already |all )?been (?:\w+ly )?\w+(?:ed|en|ught|nt|id|de|et|ut)\b`,
    String.raw`\b(?:was|were) (?:\w+ly )?(?:${STATE_PARTICIPLES}|issued|processed|completed|sent|created|submitted|changed|ordered|added)\b`,
    String.raw`\bsuccessfully\b`,
    String.raw`\b(?:is|are) (?:now )?(?:${STATE_PARTICIPLES}|confirmed|gone|all set|complete)\b`,
    String.raw`\bi(?:['’]ve| have)? (?:now |just |already |gone ahead and )?(?:\w+ly )?(?:${FIRST_PERSON_PARTICIPLES})\b`,
    String.raw`\bi(?:['’]ve| have) (?:now |just |already )?(?:\w+ly )?completed\b`,
    String.raw`\bi(?:['’]ve| have)? (?:now |just |already )?(?:taken|took) care of\b`,
    String.raw`^(?:all )?done\b`,
    String.raw`^(?:you(?:['’]re| are) )?all set\b`,
    String.raw`^(?:${STATE_PARTICIPLES}|changed|sent|submitted|created|added)(?=(?: it)?(?: now| successfully)?\W*$)`,
    String.raw`\b(?:${DELIVERY_NOUNS})\b[^.!?]{0,60}\b(?:(?:went|ha(?:s|ve) gone) through|(?:is|are) (?:now |already )?on (?:its|the|their) way)\b`,
  ].join('|'),
  'gi',
);

const HYPOTHETICAL =
  /\b(if|once|when|after|before|until|as soon as|would|should|could|shall|may(?! \d)|might|please|let me|going to)\b|\?\s*$/i;

/** Longer ones are no sentences. */
const MAX_SENTENCE_LENGTH = 500;

/** The sentences of an answer that state how things are: no questions, conditions, offers and plans. */
export function factualSentences(answer: string): string[] {
  return answer
    .split(/(?<=[.!?])\s+|\n/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && sentence.length <= MAX_SENTENCE_LENGTH && !HYPOTHETICAL.test(sentence));
}

/**
 * The first sentence of an answer that says that something was done; null when none does.
 *
 * @param isMeant whether it is about what is asked for, by the words that say it: `has been cancelled`
 */
export function findSuccessClaim(answer: string, isMeant: (deed: string) => boolean = () => true): string | null {
  const isSaid = (sentence: string) => [...sentence.matchAll(SUCCESS_PHRASE)].some(([deed]) => isMeant(deed));
  return factualSentences(answer).find(isSaid) ?? null;
}

/** Whether words such as `has been cancelled` tell of what a tool does, by the words of its name. */
export function describesAction(deed: string, toolWords: readonly string[]): boolean {
  if (/\ball set$/i.test(deed)) return false;
  const [verb = ''] = toolWords;
  const beginning = verb.replace(/[ey]$/, '');
  const kinds = actionKindsOf(toolWords);
  return lowercaseWords(deed).some(
    (word) =>
      kinds.some(({ participles, nouns }) => participles.has(word) || nouns.has(word)) ||
      (beginning.length > 3 && word.startsWith(beginning) && word.endsWith('ed')),
  );
}

/** `delete_mail` deletes and sends nothing; `create_refund` refunds. */
export function actionKindsOf(toolWords: readonly string[]): readonly ActionKind[] {
  const [verb, ...rest] = toolWords.slice(toolWords.findIndex((word) => isVerb(word)));
  if (verb === undefined) return [];
  const besides = GENERIC_VERBS.has(verb) || rest.includes('and') ? rest : [];
  return ACTION_KINDS.filter(
    (kind) => kind.verbs.has(verb) || besides.some((word) => kind.verbs.has(word) || kind.nouns.has(word)),
  );
}

function isVerb(word: string): boolean {
  return GENERIC_VERBS.has(word) || ACTION_KINDS.some(({ verbs }) => verbs.has(word));
}

const COMPLETION = wordSet(
  'processed completed complete issued made applied finalized executed successfully done set care',
);

/** Whether such words tell that something was done, whatever it was: `has been processed`. */
export function describesCompletion(deed: string): boolean {
  return lowercaseWords(deed).some((word) => COMPLETION.has(word));
}

/** A sentence that says, of the agent or without saying who, that a deed of one kind was done. */
export interface ActionClaim {
  readonly sentence: string;
  readonly kind: ActionKind;
  /** The word that names the deed: `cancelled`. */
  readonly word: string;
  /** The agent says of itself that it did it. */
  readonly isFirstPerson: boolean;
}

/** These say enough; the other deeds may be done to a text in the answer itself: "I have created a list". */
const UNAMBIGUOUS_PARTICIPLES = wordSet(
  'refunded reimbursed cancelled canceled booked rebooked rescheduled purchased charged emailed resent escalated',
);

const RECORD_PARTICIPLES = [
  ...UNAMBIGUOUS_PARTICIPLES,
  ...'deleted removed reserved scheduled updated changed modified upgraded downgraded sent mailed forwarded bought ordered'.split(
    ' ',
  ),
  ...'placed paid credited exchanged submitted filed transferred connected created added'.split(' '),
].join('|');

/** What is kept outside of the conversation. */
const RECORD_NOUNS =
  /\b(?:orders?|reservations?|bookings?|flights?|tickets?|refunds?|payments?|returns?|exchanges?|appointments?|meetings?|subscriptions?|accounts?|address|card|certificates?|vouchers?|replacements?|reminders?|invitations?|claims?|complaints?|requests?|e-?mails?|sms|confirmations?|receipts?|labels?|humans?|representatives?|specialists?|colleagues?|supervisors?|teams?|departments?)\b/i;

/** What an answer is made of. */
const TEXT_NOUNS =
  /\b(?:lists?|drafts?|summar(?:y|ies)|tables?|plans?|overviews?|outlines?|breakdowns?|templates?|examples?|versions?|steps?|notes?|texts?|below|above|here|following)\b/i;

const OWN_CLAIM = new RegExp(
  String.raw`(?:^\W*|[,;:!–—]\s|\b(?:and|so|also|then|now|done|ok|okay|yes|great|sure)\s)I(?:['’]ve| have)? (?:(?:now|just|also|gone ahead and|\w+ly) ){0,2}(${RECORD_PARTICIPLES})\b([^.!?;]{0,100})`,
  'i',
);

/** What things look up to be at any time is no claim: "Your order has been placed on May 3." */
const PASSIVE_PARTICIPLES =
  'refunded|reimbursed|credited|cancelled|canceled|booked|rebooked|rescheduled|deleted|removed|updated|changed|modified|upgraded|downgraded|exchanged|transferred|escalated';

const PASSIVE_CLAIM = new RegExp(
  String.raw`\b(?:your|the|this|that)\b(?:[^.!?;:]|[.](?=\d)){1,80}?\bha(?:s|ve) (?:now |just )?been (?:\w+ly )?(${PASSIVE_PARTICIPLES})\b(?! by\b)`,
  'i',
);

const POSSIBLE_CLAIM = new RegExp(
  String.raw`\b(?:I(?:['’]ve| have)?|been)(?: \w+){0,4} (?:${RECORD_PARTICIPLES})\b`,
  'i',
);

/** Whether an answer may claim anything: nearly none does. */
export function mayClaimAction(answer: string): boolean {
  return POSSIBLE_CLAIM.test(answer);
}

/** Of what was done at another time, or is only cited. */
const OTHER_OCCASION =
  /\b(?:already|earlier|previously|yesterday|last|ago|recap|as mentioned|again|example|e\.g)\b|["“”`]/i;

/** A letter that is signed speaks for somebody else. */
const LETTER = /\b(?:regards|sincerely|yours truly)\b|^[^\w\n]{0,5}subject ?:/im;

/** What an answer claims to have been done, in the agent's present, as far as it names what it was done to. */
export function findActionClaims(answer: string): ActionClaim[] {
  if (LETTER.test(answer)) return [];
  return factualSentences(answer).flatMap((sentence) => {
    if (OTHER_OCCASION.test(sentence)) return [];
    const [, did, object = ''] = OWN_CLAIM.exec(sentence) ?? [];
    const word = (did ?? PASSIVE_CLAIM.exec(sentence)?.[1])?.toLowerCase();
    if (word === undefined || (did !== undefined && !UNAMBIGUOUS_PARTICIPLES.has(word) && !isRecord(object))) return [];
    const kind = ACTION_KINDS.find(({ participles }) => participles.has(word));
    return kind ? [{ sentence, kind, word, isFirstPerson: did !== undefined }] : [];
  });
}

function isRecord(object: string): boolean {
  return RECORD_NOUNS.test(object) && !TEXT_NOUNS.test(object);
}

/** The words of a text in lower case, without digits. */
export function lowercaseWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' ').filter((word) => word !== ''));
}
