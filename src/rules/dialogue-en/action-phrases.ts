/**
 * English words and phrases for actions: the verbs in names of tools, and the words of claims that an action was done.
 */

import { wordSet } from '../shared/tool-words.ts';

/** One kind of action. */
export interface ActionKind {
  /** Verbs in names of tools: `cancel_order`. */
  readonly verbs: ReadonlySet<string>;
  /** Participles that report the action: `has been cancelled`. */
  readonly participles: ReadonlySet<string>;
  /** Nouns for the action or its object: `the refund went through`. */
  readonly nouns: ReadonlySet<string>;
}

const KINDS: readonly ActionKind[] = [
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
].map(([verbs = '', participles = '', nouns = '']) => actionKind(verbs, participles, nouns));

function actionKind(verbs: string, participles: string, nouns: string): ActionKind {
  return { verbs: wordSet(verbs), participles: wordSet(participles), nouns: wordSet(nouns) };
}

/** Handing the conversation over to a person. */
export const HANDOVER: ActionKind = actionKind(
  'transfer escalate connect handover handoff',
  'transferred escalated connected',
  'transfer',
);

export const ACTION_KINDS: readonly ActionKind[] = [...KINDS, HANDOVER];

/** Verbs that leave the action to the words after them: `create_refund`. */
export const GENERIC_VERBS = wordSet('create make send submit place file issue process request initiate');

/** In the first person, `I made sure` and `I set out` do not report an action. */
const FIRST_PERSON_PARTICIPLES = [...ACTION_KINDS.flatMap(({ participles }) => [...participles]), 'issued', 'processed']
  .filter((word) => !['made', 'set', 'gone'].includes(word))
  .join('|');

/** Participles that describe a state or stand alone: "The mail is deleted", "Deleted." */
const STATE_PARTICIPLES = 'booked|cancelled|canceled|refunded|updated|scheduled|deleted|removed';

const DELIVERY_NOUNS = [...ACTION_KINDS.flatMap(({ nouns }) => [...nouns]), 'e-mail'].join('|');

export const SUCCESS_PHRASE = new RegExp(
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

export const HYPOTHETICAL =
  /\b(if|once|when|after|before|until|as soon as|would|should|could|shall|may(?! \d)|might|please|let me|going to)\b|\?\s*$/i;

export const COMPLETION = wordSet(
  'processed completed complete issued made applied finalized executed successfully done set care',
);

/** Sufficient on their own. Other actions may be done to a text in the answer itself: "I have created a list". */
export const UNAMBIGUOUS_PARTICIPLES = wordSet(
  'refunded reimbursed cancelled canceled booked rebooked rescheduled purchased charged emailed resent escalated',
);

const RECORD_PARTICIPLES = [
  ...UNAMBIGUOUS_PARTICIPLES,
  ...'deleted removed reserved scheduled updated changed modified upgraded downgraded sent mailed forwarded bought ordered'.split(
    ' ',
  ),
  ...'placed paid credited exchanged submitted filed transferred connected created added'.split(' '),
].join('|');

/** Nouns for things outside the conversation. */
export const RECORD_NOUNS =
  /\b(?:orders?|reservations?|bookings?|flights?|tickets?|refunds?|payments?|returns?|exchanges?|appointments?|meetings?|subscriptions?|accounts?|address|card|certificates?|vouchers?|replacements?|reminders?|invitations?|claims?|complaints?|requests?|e-?mails?|sms|confirmations?|receipts?|labels?|humans?|representatives?|specialists?|colleagues?|supervisors?|teams?|departments?)\b/i;

/** Nouns for parts of an answer. */
export const TEXT_NOUNS =
  /\b(?:lists?|drafts?|summar(?:y|ies)|tables?|plans?|overviews?|outlines?|breakdowns?|templates?|examples?|versions?|steps?|notes?|texts?|below|above|here|following)\b/i;

export const OWN_CLAIM = new RegExp(
  String.raw`(?:^\W*|[,;:!–—]\s|\b(?:and|so|also|then|now|done|ok|okay|yes|great|sure)\s)I(?:['’]ve| have)? (?:(?:now|just|also|gone ahead and|\w+ly) ){0,2}(${RECORD_PARTICIPLES})\b([^.!?;]{0,100})`,
  'i',
);

/**
 * Participles of actions. States that can be looked up at any time are not claims: "Your order has been placed on May
 * 3."
 */
const PASSIVE_PARTICIPLES =
  'refunded|reimbursed|credited|cancelled|canceled|booked|rebooked|rescheduled|deleted|removed|updated|changed|modified|upgraded|downgraded|exchanged|transferred|escalated';

export const PASSIVE_CLAIM = new RegExp(
  String.raw`\b(?:your|the|this|that)\b(?:[^.!?;:]|[.](?=\d)){1,80}?\bha(?:s|ve) (?:now |just )?been (?:\w+ly )?(${PASSIVE_PARTICIPLES})\b(?! by\b)`,
  'i',
);

export const POSSIBLE_CLAIM = new RegExp(
  String.raw`\b(?:I(?:['’]ve| have)?|been)(?: \w+){0,4} (?:${RECORD_PARTICIPLES})\b`,
  'i',
);

/** Actions at another time, or in a quotation. */
export const OTHER_OCCASION =
  /\b(?:already|earlier|previously|yesterday|last|ago|recap|as mentioned|again|example|e\.g)\b|["“”`]/i;

/** A signed letter speaks for someone else. */
export const LETTER = /\b(?:regards|sincerely|yours truly)\b|^[^\w\n]{0,5}subject ?:/im;

/** Verbs of promises. Others may be about a text in the answer itself: "I will make a list". */
const PROMISED_VERBS =
  'cancel|book|rebook|reserve|reschedule|refund|exchange|update|change|modify|upgrade|downgrade|delete|remove|charge|purchase|send|resend|email|submit|transfer|escalate|connect';

/** "I will now transfer you", "let me cancel it": the verb, and what follows it. */
export const OWN_PROMISE = new RegExp(
  String.raw`\b(?:I(?:['’]ll| will| shall|['’]m going to| am going to)|let me)(?: (?:now|then|also|immediately|gladly|go ahead and|proceed to|need to|have to)){0,3} (${PROMISED_VERBS})\b([^.!?;\n]{0,100})`,
  'i',
);

/** Anywhere in a sentence, these make a promise depend on something. */
export const PROMISE_CONDITION = /\b(?:if|once|when|whenever|unless|until|after|as soon as|in case|would you)\b|\?/i;

/** Before the verb, these make it an offer, a request or a statement about others. */
export const NO_PROMISE =
  /\b(?:would|should|could|may|might|can|please|recommend|suggest|option|alternatively|or|not|before|policy)\b/i;

/** "I am transferring you", "you are being transferred". */
export const HANDOVER_IN_PROGRESS =
  /\bI(?:['’]m| am)(?: now)? (?:transferring|escalating|connecting)\b|\byou(?:['’]re| are)(?: now)? being (?:transferred|escalated|connected)\b|^\W{0,9}(?:transferring|connecting) you\b/i;

/** What follows the verb if a person is handed over, and not money. */
export const HANDOVER_OBJECT =
  /^ (?:you\b|(?:[\w']+ ){0,4}(?:to|with) (?:[\w-]+ ){0,3}(?:humans?|agents?|representatives?|specialists?|supervisors?|colleagues?|managers?|teams?|departments?|support)\b)/i;

/** A cheap test: matches every text that contains a promise. */
export const POSSIBLE_PROMISE =
  /\b(?:transferr|escalat|connect|I(?:['’]ll| will| shall|['’]m going| am going)|let me)/i;
