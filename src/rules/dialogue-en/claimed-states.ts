/** Finds what English messages of users say about the state of a thing: "my flight was delayed". */

import { splitSentences } from './user-consent.ts';

export interface ClaimedState {
  /** The words for the thing, in the singular: `flight`. */
  readonly thing: readonly string[];
  /** The first letters of the state in all its forms: `delay`. */
  readonly stem: string;
  readonly text: string;
}

const STATE =
  /\b(?:my|our|the|this|that) ((?:[a-z]+ ){1,3})(?:was|were|is|are|got|has been|have been|had been) (?:(?:[a-z]+ly|already|just|now) )?(delayed|cancell?ed|lost|damaged|delivered|shipped|paid|refunded|(?:over)?charged|suspended|blocked|locked|approved|rejected|declined|expired|renewed)\b/gi;

/** The sentence asks, or speaks of another case. */
const NOT_STATED =
  /\?[^\w?]*$|\b(?:if|whether|when|once|unless|until|in case|would|should|could|might|may|not|never|wasn['’]t|isn['’]t)\b/i;

export function claimedStates(message: string): ClaimedState[] {
  if (message.search(STATE) < 0) return [];
  return splitSentences(message)
    .filter((sentence) => !NOT_STATED.test(sentence))
    .flatMap((sentence) =>
      Array.from(sentence.matchAll(STATE), ([text, thing = '', state = '']) => ({
        thing: thing
          .toLowerCase()
          .trim()
          .split(' ')
          .map((word) => word.replace(/(?<=[a-z]{2})s$/, '')),
        stem: state.toLowerCase().slice(0, 5),
        text,
      })),
    );
}
