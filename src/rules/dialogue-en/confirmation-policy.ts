/**
 * English patterns for policies that require a confirmation before the agent changes something. Every pattern is
 * matched against one sentence of bounded length and has no ambiguous repetition.
 */

import { memoize } from '../../core/cache/memoize.ts';
import { changeVerb, nameWords } from '../shared/tool-effect.ts';
import { splitSentences, verbStem } from './user-consent.ts';

const MAX_POLICY_LENGTH = 100_000;
/** More requirements than any policy states in different words. */
const MAX_REQUIREMENTS = 20;
/** How much of a sentence is quoted; the quotation should contain the requirement. */
const MAX_QUOTE_LENGTH = 120;

const CONSENT = '(?:confirmation|consent|approval|permission|go-ahead|agreement|authori[sz]ation)';
const YES = '(?:ok|okay|["“\'‘]?yes\\b["”\'’]?)';
const USER = '(?:users?|customers?|clients?|callers?|guests?|members?|patients?|they|them|him or her)';
const SOME = "(?: [\\w'’]{1,15})";

const AGREES = `(?:confirm(?:s|ed)?|approv(?:es?|ed)|agree[sd]?|consent(?:s|ed)?|sa(?:id|ys?) (?:so|${YES}))`;

/** Phrases of a requirement, including its own condition (`unless the user has said yes`). */
const REQUIREMENT = anyOfPatterns([
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
const NEGATED = /\b(not|never|without|n['’]t|no need to) $/i;

/** Requirements if the sentence forbids something. */
const WITHOUT_CONSENT = anyOfPatterns([
  `without${SOME}{0,4} (?:${CONSENT}|${YES})`,
  `before(?: the)? ${USER}(?: has| have)(?: explicitly| clearly)? ${AGREES}`,
]);

const PROHIBITION = /\b(never|not|no|nothing|n['’]t|cannot|only|forbidden|prohibited)\b|n['’]t\b/i;

function anyOfPatterns(ways: readonly string[]): RegExp {
  return new RegExp(ways.map((way) => `\\b${way}`).join('|'), 'i');
}

/** Words for changes of any kind. */
const ANY_CHANGE =
  /\b(actions?|operations?|chang(e|es|ing)|updat|modif|destruct|irreversib|irrevocab|proceed|transaction|execut|writ(e|es|ing)|anything|perform|act(ing)?\b|on (their|the \w{4,8}['’]s) behalf)/i;

/** Words for specific changes; the requirement applies to these. */
const SPECIFIC_CHANGE =
  /\b(delet|remov|cancel|refund|return|exchang|order|book|reserv|schedul|purchas|buy|pay|charg|transfer|send|submit|creat|issu|subscri|clos)/i;

/** The requirement is for someone else, is about information, or applies to some changes only. */
const OTHER_SUBJECT =
  /\b(manager|supervisor|admin\w*|human|team|disclos\w*|shar(e|ing)|reveal\w*|identit\w*|eligib\w*|if|when|whenever|unless|instead|otherwise|in (that|such) cases?|over|above|below|exceed\w*|more than|greater|at least|not (need|required?|necessary)|no need)\b/i;

/** A sentence of a policy that requires a confirmation of changes. */
interface ConfirmationRequirement {
  /** The sentence for a quotation, or its end if the requirement is there. */
  readonly quoted: string;
  readonly sentence: string;
  readonly appliesToAnyChange: boolean;
}

/**
 * Finds the requirements of a policy.
 *
 * @returns a look-up of the requirement, as a quotation, that applies to a tool; null if none does
 */
export function parseConfirmationPolicy(policy: string): (tool: string) => string | null {
  const requirements = splitSentences(policy, MAX_POLICY_LENGTH).flatMap(requirementsIn).slice(0, MAX_REQUIREMENTS);
  return memoize(
    (tool: string) => requirements.find((requirement) => appliesToTool(requirement, tool))?.quoted ?? null,
  );
}

function requirementsIn(sentence: string): ConfirmationRequirement[] {
  const match = matchRequirement(sentence);
  if (!match) return [];
  const rest = `${sentence.slice(0, match.index)} … ${sentence.slice(match.index + match[0].length)}`;
  const ofAnyChange = ANY_CHANGE.test(sentence);
  if ((!ofAnyChange && !SPECIFIC_CHANGE.test(sentence)) || OTHER_SUBJECT.test(rest)) return [];
  return [
    {
      quoted: quoteRequirement(sentence, match.index),
      sentence: sentence.toLowerCase(),
      appliesToAnyChange: ofAnyChange,
    },
  ];
}

function matchRequirement(sentence: string): RegExpExecArray | null {
  const without = WITHOUT_CONSENT.exec(sentence);
  // An action without asking is not a requirement to ask.
  if (without) return PROHIBITION.test(sentence.slice(0, without.index)) ? without : null;
  const match = REQUIREMENT.exec(sentence);
  return match && !NEGATED.test(sentence.slice(0, match.index)) ? match : null;
}

/** `Ask before refunding` applies to refunds only. */
function appliesToTool({ appliesToAnyChange, sentence }: ConfirmationRequirement, tool: string): boolean {
  const verb = changeVerb(tool);
  return (
    appliesToAnyChange || (verb === null ? nameWords(tool) : [verb]).some((word) => sentence.includes(verbStem(word)))
  );
}

/** Shortens a long sentence to start at the clause of the requirement. */
function quoteRequirement(sentence: string, at: number): string {
  const full = sentence.replace(/^[\s\-*•#>\d.)]{1,10}(?=\p{L})/u, '');
  if (full.length <= MAX_QUOTE_LENGTH) return full;
  const clause = Math.max(...[', ', ': ', '; ', ') ', ' - '].map((end) => sentence.lastIndexOf(end, at)));
  const from = clause < 0 || at - clause > MAX_QUOTE_LENGTH / 2 ? at : clause + 2;
  return from === 0 ? full : `… ${sentence.slice(from)}`;
}
