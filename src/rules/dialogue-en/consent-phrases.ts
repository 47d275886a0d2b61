/**
 * English phrases of proposals, agreements, requests and refusals. Every pattern is matched against one sentence of
 * bounded length and has no ambiguous repetition.
 */

/** Clear on its own: the user wants the proposed action. */
export const GO_AHEAD =
  /\b(go(ing)? ahead|go for it|proceed|continue|i (can |hereby |do )?confirm|confirmed|i agree|agreed|i accept|i approve|my approval|(i|you)( a|['’])re authori[sz]ed|i authori[sz]e|you have my|please do|do (it|that|so)|book it|cancel it|(fine|okay|ok|good|great|all right|alright|sure|well)\W{1,3}(then\W{1,3})?(please )?(change|switch|update|move|upgrade|rebook|refund|return|order|buy|take|send|apply|add|remove|delete) (it|that|this|them)\b(?! (to|from|with|for|into) )|make (it|the|that|this|these|those) (so|changes?|updates?|bookings?|switch|purchase|payment))\b/i;

/** Agreement if something was proposed. */
export const AGREEMENT =
  /\b(yes|yep|yeah|yup|yea|(?<!make |not |for )sure|okay|ok|absolutely|definitely|of course|certainly|correct|perfect|acceptable|exactly|that works|that( would|['’]d) be (?:really |very |just |so )?(?:lovely|great|nice|wonderful|good|fine|helpful|awesome|fantastic|amazing|ideal|excellent)(?! (if|but))|works (for me|perfectly|great|fine)|(sounds|looks|seems|is|are|['’]s) (all |just |very |really )?(good|great|fine|right|ok|okay|perfect|correct)|(i['’]?m|i am) (good|fine|happy|okay|ok) with)\b/i;

/** A request of the user. Verbs of look-ups do not count as agreement. */
export const ORDERS =
  /(^|[,:–—-] ?|\b(then|just|and|so|case|also) )\W{0,3}(please|let['’]?s|let us|just) (?!(also )?(keep|wait|hold|check|see|look|first|tell|let|provide|show|find|note|ensure|re-?list|list|confirm|explain|help|make sure|share|give|calculate|search|send me|don['’]?t|do not|not)\b)[a-z]+/i;

/** A message that consists of an agreement, in several languages. */
export const SHORT_AGREEMENT =
  /^\W*(y|k|kk|ye|yes+|yess+|ya|yah|aye|ja|jo|jawohl|oui|s[ií]|da|tak|hai|sim|passt|bitte|(great|awesome|wonderful|excellent|lovely|brilliant|fantastic|super|cool|alright|all right)[\s,.!]{0,3}(thanks|thank you|thx|cheers)?( so much| a lot| very much)?)\W*$/i;

export const EMOJI_AGREEMENT = /^[\s.!]{0,5}(?:👍|👌|✅|✔|☑|🆗|💯|🙌)[^\p{L}\d?]{0,20}$/u;

/** A choice among offered options. */
export const CHOICE =
  /\b(i['’]ll (go with|take|choose|pick|use|have)|i['’]d like( to| the)?|i would like|i want|i prefer|i['’]d prefer|let['’]?s (go with|use|take))\b/i;

/** Matches whatever the patterns above match in a sentence. Most messages contain no agreement. */
export const POSSIBLE_AGREEMENT = new RegExp(
  [GO_AHEAD, AGREEMENT, CHOICE, /\b(please|let['’]?s|let us|just)\b/].map(({ source }) => source).join('|'),
  'i',
);

/** The user announces a yes for later. */
export const LATER_AGREEMENT =
  /\b(i['’]ll|i will|i can|i['’]d|i would|before i|then i)\b[^"“]{0,60}["“]?\b(yes|confirm|approve|authori[sz]e|decide)\b/i;

/** The whole message only announces a yes. */
export const ANNOUNCED_AGREEMENT =
  /\bi(['’]ll| will| can)( then)? (reply|respond|answer|say)( with)?( a)? ?["“'‘]?(yes|confirm)|\bbefore i (confirm|approve)\b|\bthen i(['’]ll| will| can) (confirm|approve)\b/i;

export const RESERVATION =
  /\b(don['’]?t|do not|didn['’]?t|not|never|without|before|how|until|hold off|wait|instead of|rather than|unless)\b(\W{1,3}\w{1,15}){0,3}\W{1,3}(sure|correct|right|okay|ok|good|fine|proceed(ing)?|go(ing)? ahead|continue|do (it|that|so)|confirm|book it|cancel it|make)\b/i;

/** A yes before a question is not an agreement. */
export const YES_WITH_QUESTION =
  /^\W*(yes|yeah|yep|ok|okay|sure|right)\W{1,3}(but )?(what|how|when|why|where|which|who|is|are|was|were|does|do|did|has|have|will|would)\b[^?]*\?\W*$/i;

export const PROPOSAL =
  /\b(would you like|do you want|shall i|should i|may i|confirm\w*|proceed|go ahead|approv\w+|permission|consent|okay with|(this|that|these|everything|all) (is |are |look |looks |sound |sounds )?(ok|okay|correct|right|good|acceptable|work|works)|let me know (if|which|how|whether|what)|i (can|could|will)|i['’]ll|reply|once you)\b/i;

export const CONFIRMATION_REQUEST =
  /\b(confirm\w*( that| if| whether| you| with| to| these| this| everything|:|\.|,)|would you like (me )?to (proceed|go ahead|continue)|(reply|say|with) (with )?(a )?["'‘“]?yes)/i;

/** A message that consists of a refusal. */
export const SHORT_REFUSAL =
  /^\W*((no|nope|nah)(\W{1,3}(thanks|thank you|no|way))?|not yet|please don['’]?t|(please )?(don['’]?t|do not)( do (that|it|this))?|stop|never ?mind|forget (it|that)|(nah |no )?leave it)\W*$/i;

/** A no to such a question lets the agent continue. */
export const FURTHER_OFFER =
  /\b(anything else|any(thing)? (other|more|further|questions?|concerns?|changes?|special|additional)|something else|insurance|would you like to (add|change|make|include))\b/i;

export const GO_AHEAD_QUESTION =
  /\b(go(ing)? ahead|proceed(ing)?|continue|do (it|that|so|this)|(that|this|everything) (ok|okay|all right|alright|fine|correct|right))\b\W{0,3}$/i;

/** Directly before the verb. */
export const PROHIBITION =
  /\b(don['’]?t|do not|never|no need to|must not|mustn['’]?t)( (please|ever|you|want|wish|need|like|dare|to|a|an|the|any|my|that|it|issue|make|process|go|ahead|and)){0,5} $/;

export const QUESTION = /^\W*(what|how|when|why|where|which|who|is|are|was|were|does|do|did|has|have|will)\b/i;

export const GREETING =
  /^\W*(hi|hello|hey|good (morning|afternoon|evening|day)|greetings)( there| all| everyone| team)?\b[\s,.!?]*/i;

export const REQUEST =
  /\b(please|(can|could|would|will) you|i want|i need|i['’]d (like|love)|i would like|i wish|help|let['’]?s|make sure|looking (for|to)|we (need|want|would like)|(should|must|have to|need to|required to))\b/i;

/** The beginning of a sentence that is not a request. */
export const NOT_AN_ORDER =
  /^\W*(thanks?|thank|welcome|nice|how|what|when|why|where|which|who|is|are|was|were|do|does|did|has|have|had|will|i|i['’]m|we|my|our|your|you|he|she|they|it|its|this|that|these|those|there|the|a|an|yes|no|oh|ok|okay|great|sorry|and|but|so|if|because)\b/i;

/** How users ask for a change, by the verb of the tool that makes it. */
const CHANGE_PHRASES: readonly { readonly verbs: string; readonly needsMention: boolean; readonly pattern: RegExp }[] =
  [
    {
      verbs: 'cancel terminate unsubscribe void',
      needsMention: true,
      pattern:
        /\b(cancel|terminat|unsubscrib|call(ing)? (it |this |that )?off|stop (it|my|the|this)|drop|void|abort|clos|get rid|(no longer|not|n['’]t) (want|need) (it|this|that|them|these|my|the (order|item|booking|reservation|flight|subscription|account)))/i,
    },
    {
      verbs: 'delete remove erase destroy purge uninstall',
      needsMention: true,
      pattern:
        /\b(delet|remov|eras|clear|wip(e|ing)|purg|destroy|drop|get rid|uninstall|discard|trash|take (it|that|them)|no longer)/i,
    },
    {
      verbs: 'refund return',
      needsMention: true,
      pattern:
        /\b(refund|money back|reimburs|return|compensat|credit|cancel|send(ing)? (it|them|this|that|the) |(give|giving|bring) .{0,30}back|overcharg|charged)/i,
    },
    {
      verbs: 'exchange',
      needsMention: true,
      pattern: /\b(exchang|swap|replac|chang|trad(e|ing)|switch|different|instead|another)/i,
    },
    {
      verbs: 'pay charge transfer wire withdraw deposit donate redeem',
      needsMention: true,
      pattern:
        /\b(pay|paid|charg|transfer|send|sent|mov(e|ing)|money|bill|withdraw|deposit|donat|redeem|us(e|ing)\b|wir(e|ing)|cover|buy|purchas|book|order)/i,
    },
    {
      verbs: 'book rebook reserve buy purchase checkout place order sell trade',
      needsMention: false,
      pattern:
        /\b(book|rebook|reserv|buy|sell|trad(e|ing)|invest|stocks?|shares?|purchas|order|get (me|us)|flight|ticket|check ?out|trip|travel|appointment|schedul|need|want|like)/i,
    },
    {
      verbs: 'send resend post publish upload issue',
      needsMention: false,
      pattern:
        /\b(send|sent|resend|e-?mail|messag|text|tell|notif|inform|shar(e|ing)|forward|post|publish|tweet|writ(e|ing)|contact|repl(y|ies)|respond|know|issu|upload|compensat|giv(e|ing)|get|receiv|certificate|voucher)/i,
    },
  ];

export const ANY_CHANGE =
  /\b(updat|chang|edit|modif|set|creat|add|mak(e|ing)|mark|mov(e|ed|ing)|switch|fix|correct|wrong|incorrect|put|new|remov|upgrad|downgrad|need|want|like to|would like|help|please|assign|register|schedul|book|enabl|disabl|turn|start|stop|open|clos|sav(e|ing)|writ(e|ing)|stor|sign|renew|extend|replac|let['’]?s|ensur|apply|reset|cancel|return|refund|buy|send)/i;

/** The phrases that request a change. */
export interface ChangeIntent {
  readonly pattern: RegExp;
  /** The change is rarely meant without being mentioned. */
  readonly needsMention: boolean;
}

export const CHANGE_INTENTS = new Map<string, ChangeIntent>(
  CHANGE_PHRASES.flatMap((intent) => intent.verbs.split(' ').map((verb) => [verb, intent])),
);

export const NEGATED_REQUEST =
  /\b(don['’]?t|do not|not|never|won['’]?t|no need|without|instead of|rather than)\b(\W{1,3}\w{1,15}){0,3}\W{0,3}$/i;

export const COMMON_ENGLISH_WORDS = new Set(
  'the and you my is it of to i for that please with would can have this are what a yes your me on be do'.split(' '),
);

/** More words that no related language has, for short texts. */
export const DISTINCTIVE_ENGLISH_WORDS = new Set(
  'hello there how thanks thank not from want need order where when shall here been they but at they we could should cancel change'.split(
    ' ',
  ),
);
