/** How much a page carries, in characters: of what is said, of what tools were given and gave, of sentences and of names. */
export const MAX_MESSAGE = 4000;
export const MAX_DETAIL = 1200;
export const MAX_SENTENCE = 600;
export const MAX_NAME = 120;

/** What the details of one turn may come to together; behind that each is only begun. */
export const MAX_TURN_DETAILS = 24_000;
export const MIN_DETAIL = 200;

/** Rows of a kind that one turn has at most, and pieces of evidence that one of them has. */
export const MAX_ROWS = 50;
export const MAX_EVIDENCE = 10;

/** Text that is longer is not searched for what is cited: the value as a whole is then meant. */
export const MAX_SEARCHED = 200_000;
