/**
 * In the metadata of a result that attempts of earlier runs count for: its score without them, or null without one. Runs are compared
 * by this score, so that the same session has the same one whatever the history is.
 */
export const SCORE_WITHIN_RUN = 'withinRun';
