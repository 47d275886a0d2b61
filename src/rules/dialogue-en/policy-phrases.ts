/**
 * English phrases of policies that require a confirmation. Every pattern is matched against one sentence of bounded
 * length and has no ambiguous repetition.
 */

const CONSENT = '(?:confirmation|consent|approval|permission|go-ahead|agreement|authori[sz]ation)';

const YES = '(?:ok|okay|["“\'‘]?yes\\b["”\'’]?)';

const USER = '(?:users?|customers?|clients?|callers?|guests?|members?|patients?|they|them|him or her)';

const SOME = "(?: [\\w'’]{1,15})";

const AGREES = `(?:confirm(?:s|ed)?|approv(?:es?|ed)|agree[sd]?|consent(?:s|ed)?|sa(?:id|ys?) (?:so|${YES}))`;

/** Phrases of a requirement, including its own condition (`unless the user has said yes`). */
export const REQUIREMENT = anyOfPatterns([
  `explicit(?:ly)?${SOME}{0,3} (?:confirm\\w*|consent|approv\\w*|permission|agree\\w*|authori[sz]\\w*)`,
  `(?:obtain|get|wait for|request|require|receive|seek|ask(?: the)?(?: ${USER})? for|prompt(?: the)?(?: ${USER})? for)${SOME}{0,4} ${CONSENT}`,
  `(?:needs?|requires?)(?: the)? ${USER}(?:['’]s?)? ${CONSENT}`,
  `(?:needs?|requires?)${SOME}{0,2} ${CONSENT} (?:of|from|by)(?: the)? ${USER}`,
  `(?:obtain|get|wait for) (?:a|an|the|their|his|her)(?: ${USER}['’]s?)? ${YES}`,
  `ask(?: the)? ${USER} to (?:confirm|approve|agree)`,
  `(?:unless|until|only (?:after|once|when|if))(?: the)? ${USER}(?: has| have)?(?: explicitly| clearly)? ${AGREES}`,
  `(?:make sure|ensure)(?: that)?(?: the)? ${USER}(?: has| have)? ${AGREES}`,
  `(?:confirmed|approved) by(?: the)? ${USER}`,
  `${USER} must(?: explicitly| first)? (?:confirm|approve) (?:the|any|every|each|all|it|this)`,
  `(?:confirm|check|verify)${SOME}{0,4} with (?:the )?${USER}(?: first\\b|[^.\\n]{0,60}\\b(?:before|prior))`,
  // "Confirm" before a change may refer to a fact. Only the user can confirm these.
  '(?:re)?confirm (?:(?:the|all|any|every|each|exact|final|refund|total) ){0,3}(?:amounts?|details|actions?|changes|total|price|costs?)\\b[^.\\n]{0,30}\\b(?:before|prior)',
  `ask(?: (?:the )?${USER})?(?: first)? before`,
  'ask (?:first|for (?:a|the) (?:ok|yes|go-ahead))',
]);

/** Directly before a requirement. */
export const NEGATED = /\b(not|never|without|n['’]t|no need to) $/i;

/** Requirements if the sentence forbids something. */
export const WITHOUT_CONSENT = anyOfPatterns([
  `without${SOME}{0,4} (?:${CONSENT}|${YES})`,
  `before(?: the)? ${USER}(?: has| have)(?: explicitly| clearly)? ${AGREES}`,
]);

export const PROHIBITION = /\b(never|not|no|nothing|n['’]t|cannot|only|forbidden|prohibited)\b|n['’]t\b/i;

function anyOfPatterns(ways: readonly string[]): RegExp {
  return new RegExp(ways.map((way) => `\\b${way}`).join('|'), 'i');
}

/** Words for changes of any kind. */
export const ANY_CHANGE =
  /\b(actions?|operations?|chang(e|es|ing)|updat|modif|destruct|irreversib|irrevocab|proceed|transaction|execut|writ(e|es|ing)|anything|perform|act(ing)?\b|on (their|the \w{4,8}['’]s) behalf)/i;

/** Words for specific changes; the requirement applies to these. */
export const SPECIFIC_CHANGE =
  /\b(delet|remov|cancel|refund|return|exchang|order|book|reserv|schedul|purchas|buy|pay|charg|transfer|send|submit|creat|issu|subscri|clos)/i;

/** The requirement is for someone else, is about information, or applies to some changes only. */
export const OTHER_SUBJECT =
  /\b(manager|supervisor|admin\w*|human|team|disclos\w*|shar(e|ing)|reveal\w*|identit\w*|eligib\w*|if|when|whenever|unless|instead|otherwise|in (that|such) cases?|over|above|below|exceed\w*|more than|greater|at least|not (need|required?|necessary)|no need)\b/i;
