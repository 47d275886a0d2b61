/** How much a page carries, in characters: of what is said, of what tools were given and gave, of sentences and of names. */
export const MESSAGE = 4000;
export const DETAIL = 1200;
export const SENTENCE = 600;
export const NAME = 120;

/** What the details of one turn may come to together; behind that each is only begun. */
export const DETAILS_OF_TURN = 24_000;
export const BEGINNING = 200;

/** Rows of a kind that one turn has at most, and pieces of evidence that one of them has. */
export const ROWS = 50;
export const EVIDENCE = 10;

/** Text that is longer is not searched for what is cited: the value as a whole is then meant. */
export const SEARCHED = 200_000;
