/**
 * The words by which people propose, agree, ask and refuse: English, like all word lists of the rules. Every pattern
 * looks at one sentence of bounded length, and repeats nothing that can match in two ways.
 */

/** How much of a message is looked at, from each of its ends. */
const LONGEST_SIDE = 10_000;
const LONGEST_SENTENCE = 600;

/** Clear by itself: who says so wants what was spoken of to be done. */
const GOES_AHEAD =
  /\b(go(ing)? ahead|go for it|proceed|continue|i (can |hereby |do )?confirm|confirmed|i agree|agreed|i accept|i approve|my approval|(i|you)( a|['’])re authori[sz]ed|i authori[sz]e|you have my|please do|do (it|that|so)|book it|cancel it|make (it|the|that|this|these|those) (so|changes?|updates?|bookings?|switch|purchase|payment))\b/i;

/** Agreement, if something was proposed. */
const AGREES =
  /\b(yes|yep|yeah|yup|yea|(?<!make |not |for )sure|okay|ok|absolutely|definitely|of course|certainly|correct|perfect|acceptable|exactly|that works|works (for me|perfectly|great|fine)|(sounds|looks|seems|is|are|['’]s) (all |just |very |really )?(good|great|fine|right|ok|okay|perfect|correct)|(i['’]?m|i am) (good|fine|happy|okay|ok) with)\b/i;

/** An order of the user's own. What it asks for may be a look-up: those verbs are no go-ahead. */
const ORDERS =
  /(^|[,:–—-] ?|\b(then|just|and|so|case|also) )\W{0,3}(please|let['’]?s|let us|just) (?!(also )?(keep|wait|hold|check|see|look|first|tell|let|provide|show|find|note|ensure|re-?list|list|confirm|explain|help|make sure|share|give|calculate|search|send me|don['’]?t|do not|not)\b)[a-z]+/i;

/** A choice between what was offered. */
const CHOOSES =
  /\b(i['’]ll (go with|take|choose|pick|use|have)|i['’]d like( to| the)?|i would like|i want|i prefer|i['’]d prefer|let['’]?s (go with|use|take))\b/i;

/** The yes is still to come. */
const LATER =
  /\b(i['’]ll|i will|i can|i['’]d|i would|before i|then i)\b[^"“]{0,60}["“]?\b(yes|confirm|approve|authori[sz]e|decide)\b/i;

/** The whole message only prepares for a yes. */
const WHEN_ASKED_AGAIN =
  /\bi(['’]ll| will| can)( then)? (reply|respond|answer|say)( with)?( a)? ?["“'‘]?(yes|confirm)|\bbefore i (confirm|approve)\b|\bthen i(['’]ll| will| can) (confirm|approve)\b/i;

const HOLDS_BACK =
  /\b(don['’]?t|do not|didn['’]?t|not|never|without|before|how|until|hold off|wait|instead of|rather than|unless)\b(\W{1,3}\w{1,15}){0,3}\W{1,3}(sure|correct|right|okay|ok|good|fine|proceed(ing)?|go(ing)? ahead|continue|do (it|that|so)|confirm|book it|cancel it|make)\b/i;

const PROPOSES =
  /\b(would you like|do you want|shall i|should i|may i|confirm\w*|proceed|go ahead|approv\w+|permission|consent|okay with|(this|that|these|everything|all) (is |are |look |looks |sound |sounds )?(ok|okay|correct|right|good|acceptable|work|works)|let me know (if|which|how|whether|what)|i (can|could|will)|i['’]ll|reply|once you)\b/i;

const ASKS_TO_CONFIRM =
  /\b(confirm\w*( that| if| whether| you| with| to| these| this| everything|:|\.|,)|would you like (me )?to (proceed|go ahead|continue)|(reply|say|with) (with )?(a )?["'‘“]?yes)/i;

/**
 * How a user agrees to what the agent had said just before, if it is known: `clear` where the words or the question
 * leave no doubt of what is meant.
 */
export function agreement(said: string, proposal: string | null): 'clear' | 'loose' | null {
  const told = sentencesOf(said);
  const says = (pattern: RegExp) =>
    told.some((sentence) => pattern.test(sentence) && !LATER.test(sentence) && !HOLDS_BACK.test(sentence));
  const asks = (pattern: RegExp) => proposal !== null && pattern.test(ends(proposal));
  if (told.some((sentence) => WHEN_ASKED_AGAIN.test(sentence))) return null;
  if (says(GOES_AHEAD)) return 'clear';
  const agrees = says(AGREES);
  if ((agrees || says(CHOOSES)) && asks(ASKS_TO_CONFIRM)) return 'clear';
  return (agrees || says(ORDERS)) && (proposal === null || asks(PROPOSES)) ? 'loose' : null;
}

/** A user takes back what was spoken of, or turns to something else. */
export function turnsAway(said: string): boolean {
  return /^\W*(no|nope|nah|wait|hold on|stop|not yet|actually|never ?mind|forget)\b/i.test(said);
}

const QUESTION = /^\W*(what|how|when|why|where|which|who|is|are|was|were|does|do|did|has|have|will)\b/i;

/** A short message that only wants to know something. */
export function onlyAsks(said: string): boolean {
  const text = said.trim();
  return (
    text.length <= 300 &&
    text.endsWith('?') &&
    text
      .split(/[.!?\n]+/)
      .every((sentence) => !/\p{L}/u.test(sentence) || QUESTION.test(sentence) || isGreeting(sentence))
  );
}

function isGreeting(sentence: string): boolean {
  return /^\W*(hi|hello|hey|good (morning|afternoon|evening)|thanks|thank you)\b[^,]{0,20}$/i.test(sentence);
}

const DEMANDS =
  /\b(explicit(ly)?( \w{1,15}){0,3} (confirm\w*|consent|approv\w*|permission|agree\w*)|(obtain|get|ask for|wait for|request|require|receive|seek)( \w{1,15}){0,4} (confirmation|consent|approval|permission)|(confirm|check) with the (user|customer|client)\b[^.\n]{0,60}\b(before|prior)|without( \w{1,15}){0,3} (confirmation|consent|approval|permission))\b/i;

/** What such a sentence must be about: other things than changes are done with consent, too. */
const OF_CHANGES =
  /\b(action|operation|chang|updat|modif|delet|destruct|irreversib|proceed|book|cancel|refund|order|transaction|purchas|execut|payment|writ|send)/i;

/** It asks somebody else, is about what is told, or holds for some changes alone. */
const OF_SOMETHING_ELSE =
  /\b(manager|supervisor|admin\w*|disclos\w*|shar(e|ing)|reveal\w*|if|when|whenever|unless|over|above|below|exceed\w*|more than|greater)\b/i;

/** What a policy says by which changes need a confirmation; null when it says nothing of the kind. */
export function demandOfConfirmation(policy: string): string | null {
  for (const sentence of sentencesOf(policy, 100_000)) {
    const at = sentence.search(DEMANDS);
    if (at >= 0 && OF_CHANGES.test(sentence) && !OF_SOMETHING_ELSE.test(sentence)) return sentence.slice(at);
  }
  return null;
}

/** What people say who want a change, by the verb of the tool that makes it. */
const WAYS_TO_SAY: readonly { readonly verbs: string; readonly weighty: boolean; readonly said: RegExp }[] = [
  {
    verbs: 'cancel terminate unsubscribe',
    weighty: true,
    said: /\b(cancel|terminat|unsubscrib|call(ing)? (it |this |that )?off|stop (it|my|the|this)|drop|void|abort|clos|get rid|(no longer|not|n['’]t) (want|need) (it|this|that|them|these|my|the (order|item|booking|reservation|flight|subscription|account)))/i,
  },
  {
    verbs: 'delete remove erase destroy purge uninstall',
    weighty: true,
    said: /\b(delet|remov|eras|clear|wip(e|ing)|purg|destroy|drop|get rid|uninstall|discard|trash|take (it|that|them)|no longer)/i,
  },
  {
    verbs: 'refund return',
    weighty: true,
    said: /\b(refund|money back|reimburs|return|compensat|credit|cancel|send(ing)? (it|them|this|that|the) |(give|giving|bring) .{0,30}back|overcharg|charged)/i,
  },
  {
    verbs: 'exchange',
    weighty: true,
    said: /\b(exchang|swap|replac|chang|trad(e|ing)|switch|different|instead|another)/i,
  },
  {
    verbs: 'pay charge transfer withdraw deposit donate redeem',
    weighty: true,
    said: /\b(pay|paid|charg|transfer|send|sent|mov(e|ing)|money|bill|withdraw|deposit|donat|redeem|us(e|ing)\b|wir(e|ing)|cover|buy|purchas|book|order)/i,
  },
  {
    verbs: 'book rebook reserve buy purchase checkout place',
    weighty: false,
    said: /\b(book|rebook|reserv|buy|purchas|order|get (me|us)|flight|ticket|check ?out|trip|travel|appointment|schedul|need|want|like)/i,
  },
  {
    verbs: 'send resend post publish upload issue',
    weighty: false,
    said: /\b(send|sent|resend|e-?mail|messag|text|tell|notif|inform|shar(e|ing)|forward|post|publish|tweet|writ(e|ing)|contact|repl(y|ies)|respond|know|issu|upload|compensat|giv(e|ing)|get|receiv|certificate|voucher)/i,
  },
];

const ANY_CHANGE =
  /\b(updat|chang|edit|modif|set|creat|add|mak(e|ing)|mark|mov(e|ed|ing)|switch|fix|correct|wrong|incorrect|put|new|remov|upgrad|downgrad|need|want|like to|would like|help|please|assign|register|schedul|book|enabl|disabl|turn|start|stop|open|clos|sav(e|ing)|writ(e|ing)|stor|sign|renew|extend|replac|let['’]?s|ensur|apply|reset|cancel|return|refund|buy|send)/i;

/** Ways to speak of a change. */
export interface Wish {
  readonly said: RegExp;
  /** Hardly anybody means it without saying it. */
  readonly weighty: boolean;
}

const WISHES = new Map<string, Wish>(WAYS_TO_SAY.flatMap((wish) => wish.verbs.split(' ').map((verb) => [verb, wish])));
const ANY_WISH: Wish = { said: ANY_CHANGE, weighty: false };

/** How a user would speak of what a tool's verb changes. */
export function wishFor(verb: string | null): Wish {
  return WISHES.get(verb ?? '') ?? ANY_WISH;
}

export function speaksOf(text: string, { said }: Wish): boolean {
  return said.test(ends(text));
}

const NOT_WISHED =
  /\b(don['’]?t|do not|not|never|won['’]?t|no need|without|instead of|rather than)\b(\W{1,3}\w{1,15}){0,3}\W{0,3}$/i;

/** Whether a message wishes for a change, or says not to make it; null where it does not speak of it. */
export function wishes(said: string, { said: words }: Wish): boolean | null {
  let last: boolean | null = null;
  for (const sentence of sentencesOf(said)) {
    const at = sentence.search(words);
    if (at < 0) continue;
    last = !NOT_WISHED.test(sentence.slice(Math.max(0, at - 60), at));
  }
  return last;
}

const ENGLISH = new Set(
  'the and you my is it of to i for that please with would can have this are what a yes your me on be do'.split(' '),
);

/** Whether enough words of a text are those that every English text is full of. */
export function looksEnglish(texts: readonly string[]): boolean {
  let english = 0;
  let words = 0;
  for (const text of texts) {
    for (const [word] of text.slice(0, 500).matchAll(/\p{L}+/gu)) {
      words += 1;
      if (ENGLISH.has(word.toLowerCase())) english += 1;
    }
    if (words > 500) break;
  }
  return english * 5 >= words && english > 0;
}

function sentencesOf(text: string, side = LONGEST_SIDE): string[] {
  return ends(text, side)
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.slice(0, LONGEST_SENTENCE));
}

/** What is looked at of a message that may be as long as a book. */
export function ends(text: string, side = LONGEST_SIDE): string {
  return text.length <= 2 * side ? text : `${text.slice(0, side)}\n${text.slice(-side)}`;
}
