/**
 * What happened to a result, and nothing else says so. Only `scored` counts in averages and gates; `vacuous` keeps the score
 * that the metric's source defines though there was nothing to judge.
 */
export const STATUSES = [
  'scored',
  'vacuous',
  'not_applicable',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'error',
  'cancelled',
] as const;

export const VERDICTS = ['passed', 'failed', 'undecided'] as const;
