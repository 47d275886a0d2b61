/** Limits in characters: messages, tool arguments and results, sentences, names. */
export const MAX_MESSAGE = 4000;
export const MAX_DETAIL = 1200;
export const MAX_SENTENCE = 600;
export const MAX_NAME = 120;

/** Limit for all details of one turn; beyond it, each detail gets only its beginning. */
export const MAX_TURN_DETAILS = 24_000;
export const MIN_DETAIL = 200;

/** Limits of rows of a kind per turn, and of evidence per row. */
export const MAX_ROWS = 50;
export const MAX_EVIDENCE = 10;
