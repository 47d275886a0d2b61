/** Reads agreements, refusals and requests in English messages, by the phrases of `consent-phrases.ts`. */

import type { Session } from '../../core/session.ts';
import {
  AGREEMENT,
  ANNOUNCED_AGREEMENT,
  ANY_CHANGE,
  CHANGE_INTENTS,
  CHOICE,
  type ChangeIntent,
  COMMON_ENGLISH_WORDS,
  CONFIRMATION_REQUEST,
  DISTINCTIVE_ENGLISH_WORDS,
  EMOJI_AGREEMENT,
  FURTHER_OFFER,
  GO_AHEAD,
  GO_AHEAD_QUESTION,
  GREETING,
  LATER_AGREEMENT,
  NEGATED_REQUEST,
  NOT_AN_ORDER,
  ORDERS,
  POSSIBLE_AGREEMENT,
  PROHIBITION,
  PROPOSAL,
  QUESTION,
  REQUEST,
  RESERVATION,
  SHORT_AGREEMENT,
  SHORT_REFUSAL,
  YES_WITH_QUESTION,
} from './consent-phrases.ts';

/** How much of a message is read at each end. */
const MAX_SIDE_LENGTH = 10_000;
const MAX_SENTENCE_LENGTH = 600;

/**
 * How a user agrees to the agent's previous text, if that is known: `clear` if the words or the question leave no
 * doubt.
 */
export function classifyAgreement(message: string, proposal: string | null): 'clear' | 'loose' | null {
  const sentences = mayMatch(message, POSSIBLE_AGREEMENT) ? splitSentences(message) : [];
  const says = (pattern: RegExp) =>
    sentences.some(
      (sentence) =>
        pattern.test(sentence) &&
        !LATER_AGREEMENT.test(sentence) &&
        !RESERVATION.test(sentence) &&
        !YES_WITH_QUESTION.test(sentence),
    );
  const asks = (pattern: RegExp) => proposal !== null && pattern.test(headAndTail(proposal));
  if (sentences.some((sentence) => ANNOUNCED_AGREEMENT.test(sentence))) return null;
  if (says(GO_AHEAD)) return 'clear';
  const agrees = isShortYes(message) || says(AGREEMENT);
  if ((agrees || says(CHOICE)) && asks(CONFIRMATION_REQUEST)) return 'clear';
  // A proposal may be missing from the trace. A request needs no proposal.
  if (proposal === null) return agrees ? 'loose' : null;
  return (agrees || says(ORDERS)) && asks(PROPOSAL) ? 'loose' : null;
}

function isShortYes(message: string): boolean {
  return message.length <= 60 && (SHORT_AGREEMENT.test(message) || EMOJI_AGREEMENT.test(message));
}

export function asksForConfirmation(text: string): boolean {
  return CONFIRMATION_REQUEST.test(headAndTail(text));
}

/** Whether a user rejects the proposal or changes the subject. */
export function declines(message: string): boolean {
  return /^\W*(please )?(no|nope|nah|wait|hold on|stop|don['’]?t|do not|not yet|actually|never ?mind|forget)\b/i.test(
    message,
  );
}

/**
 * Whether a user explicitly forbids the action of a verb, or answers no to the question whether to do it.
 *
 * @param proposal the agent's previous text
 */
export function forbidsAction(message: string, proposal: string | null, verb: string | null): boolean {
  const stem = verb === null ? null : verbStem(verb);
  if (stem === null) return false;
  const question =
    proposal === null ? undefined : splitSentences(proposal).findLast((sentence) => /\?[^\w?]*$/.test(sentence));
  if (message.length <= 60 && SHORT_REFUSAL.test(message)) {
    if (question === undefined || FURTHER_OFFER.test(question)) return false;
    return (
      GO_AHEAD_QUESTION.test(question) &&
      headAndTail(proposal ?? '')
        .toLowerCase()
        .includes(stem)
    );
  }
  const text = headAndTail(message).toLowerCase();
  const at = text.indexOf(stem);
  // Mentioned twice, it may be forbidden for one object and requested for another.
  if (at < 0 || text.indexOf(stem, at + 1) >= 0) return false;
  const sentence = splitSentences(text).find((candidate) => candidate.includes(stem)) ?? '';
  return (
    PROHIBITION.test(sentence.slice(0, sentence.indexOf(stem))) &&
    !/\?[^\w?]*$|\b(if|unless|until|why)\b/.test(sentence)
  );
}

/** The common part of all forms of a verb: `cancel`, `purchas`. */
export function verbStem(verb: string): string {
  return verb.replace(/(?<=.{3})[ey]$/, '').slice(0, 6);
}

/** Whether a short message only asks for information. */
export function isOnlyQuestion(message: string): boolean {
  const text = message.trim();
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

/** Whether a text refers to things without naming them: `cancel the others`. */
export function mentionsOthers(text: string): boolean {
  return /\b(others?|another|both|all|rest|remaining|each|every|same|new|instead|original|old|older|previous|first|second|last|latest|next|earlier|existing|duplicate|replacement|them|these|those|also|except|but)\b/i.test(
    headAndTail(text),
  );
}

/** Whether a message opens a conversation, so that nothing came before it. */
export function opensConversation(message: string): boolean {
  return GREETING.test(message);
}

/** Longer messages are treated as a description of work. */
const MAX_REMARK_LENGTH = 300;

/** Whether a message may ask for any work. A user with a single message may phrase the request in any way. */
export function asksForWork(message: string): boolean {
  if (message.length > MAX_REMARK_LENGTH || REQUEST.test(message)) return true;
  return splitSentences(message.replace(GREETING, '')).some(
    (sentence) => /\p{L}/u.test(sentence) && !NOT_AN_ORDER.test(sentence),
  );
}

const GENERIC_CHANGE_INTENT: ChangeIntent = { pattern: ANY_CHANGE, needsMention: false };

/** The phrases for the change that a tool's verb makes. */
export function changeIntentFor(verb: string | null): ChangeIntent {
  return CHANGE_INTENTS.get(verb ?? '') ?? GENERIC_CHANGE_INTENT;
}

export function mentionsChange(text: string, { pattern }: ChangeIntent): boolean {
  return pattern.test(headAndTail(text));
}

/** Whether a message requests a change (true) or rejects it (false); null if it does not mention it. */
export function requestsChange(message: string, { pattern }: ChangeIntent): boolean | null {
  if (!mayMatch(message, pattern)) return null;
  let last: boolean | null = null;
  for (const sentence of splitSentences(message)) {
    const at = sentence.search(pattern);
    if (at < 0) continue;
    last = !NEGATED_REQUEST.test(sentence.slice(Math.max(0, at - 60), at));
  }
  return last;
}

/** Whether the user messages can be interpreted: written by people, completely recorded, and in English. */
export function areUserMessagesReadable({ turns, partOf }: Session): boolean {
  // A sub-agent's user is another agent. Where content was not recorded, a yes may be missing from the trace.
  if (partOf || turns.some(({ captured }) => captured === false)) return false;
  return looksEnglish(
    turns.map(({ input }) => input ?? ''),
    turns.map(({ output }) => output ?? ''),
  );
}

/** With fewer words the language is uncertain. */
const MIN_WORDS_FOR_LANGUAGE = 25;

/** Whether users write English, judged by common words; by the answers as well if users write little. */
function looksEnglish(users: readonly string[], answers: readonly string[]): boolean {
  const byUsers = countEnglishWords(users);
  if (byUsers.words >= MIN_WORDS_FOR_LANGUAGE) return byUsers.usual * 5 >= byUsers.words;
  const byAgent = countEnglishWords(answers);
  const usual = byUsers.usual + byUsers.less + byAgent.usual + byAgent.less;
  return usual > 0 && usual * 5 >= byUsers.words + byAgent.words;
}

function countEnglishWords(texts: readonly string[]): { words: number; usual: number; less: number } {
  const count = { words: 0, usual: 0, less: 0 };
  for (const text of texts) {
    for (const [match] of text.slice(0, 500).matchAll(/\p{L}+/gu)) {
      const word = match.toLowerCase();
      count.words += 1;
      if (COMMON_ENGLISH_WORDS.has(word)) count.usual += 1;
      else if (DISTINCTIVE_ENGLISH_WORDS.has(word)) count.less += 1;
    }
    if (count.words > 500) break;
  }
  return count;
}

/** A cheap test that excludes texts without a match, unless long sentences would be shortened. */
function mayMatch(text: string, pattern: RegExp): boolean {
  return text.length > MAX_SENTENCE_LENGTH || pattern.test(text);
}

export function splitSentences(text: string, side = MAX_SIDE_LENGTH): string[] {
  return headAndTail(text, side)
    .split(/\s(?<=[.!?;]\s)\s*|\n+/)
    .map((sentence) => sentence.slice(0, MAX_SENTENCE_LENGTH));
}

/** The beginning and the end of a text, which may be very long. */
export function headAndTail(text: string, side = MAX_SIDE_LENGTH): string {
  return text.length <= 2 * side ? text : `${text.slice(0, side)}\n${text.slice(-side)}`;
}
