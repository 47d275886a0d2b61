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
  'needs_attempts',
  'error',
  'cancelled',
] as const;

export const VERDICTS = ['passed', 'failed', 'undecided'] as const;

/** Whether the agent did its job. */
export const OUTCOME_STATUSES = ['succeeded', 'failed', 'unknown'] as const;

/**
 * What ended a run. `regular`: the agent or the user. `limit`: of steps, time, tokens or costs. `agent-error`: the agent's
 * output could not be used, or too many of its calls failed. `error`: anything else that failed.
 */
export const ENDING_CAUSES = ['regular', 'limit', 'agent-error', 'error', 'unknown'] as const;

/** What says whether the agent did its job, the strongest first. */
export const OUTCOME_SOURCES = ['recorded', 'user', 'expected', 'judge'] as const;

/** What a session's headline says, the worst first. `not-run`: a test case without a recording. */
export const HEADLINE_KINDS = ['failed', 'undecided', 'problems', 'not-run', 'clean', 'succeeded'] as const;

/** A session's risk in words. */
export const RISK_LEVELS = ['low', 'elevated', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** How pass@k and pass^k are estimated. */
export const ESTIMATORS = ['plug-in', 'unbiased', 'bayesian'] as const;

/** `king-of-the-hill`: each run in turn meets the best so far. `all-pairs`: every run meets every other. */
export const TOURNAMENTS = ['king-of-the-hill', 'all-pairs'] as const;

/** How far a recorded run came. `running` also after a crash, until it is resumed. */
export const RUN_STATES = ['running', 'complete', 'interrupted', 'failed'] as const;

/** What says which version of the agent made the traces, the strongest first. */
export const VERSION_SOURCES = ['option', 'trace', 'git'] as const;

/** What a comparison says of a metric. */
export const CONCLUSIONS = ['better', 'worse', 'no clear difference', 'cannot tell', 'not comparable'] as const;

/** What can differ between two runs, besides their sessions. */
export const COMPARABILITY_CODES = [
  'same-run',
  'incomplete',
  'no-shared-task',
  'turn',
  'judge',
  'judge-version',
  'sampling',
  'question',
  'embedder',
  'tool-version',
  'metric-version',
  'rule-version',
  'verdict-version',
  'rules',
  'metric-set',
  'metric-options',
  'correct-by',
  'threshold',
  'gates',
  'configuration',
  'tasks',
  'changed-tasks',
  'dirty',
] as const;

/** What changed in a session. `unclear`: an outcome or verdict became known, or unknown. */
export const FLIP_DIRECTIONS = ['worse', 'better', 'unclear'] as const;

/** What says that two sessions belong together. */
export const PAIRED_BY = ['task', 'inputs', 'session'] as const;

/** What a run says of a gate of the baseline. */
export const BASELINE_ANSWERS = ['worse', 'undecided', 'not worse'] as const;

/** How sure a drop against the baseline is, the surest first. Only a `regression` fails a run. */
export const BASELINE_FINDINGS = ['regression', 'likely', 'watch'] as const;

/** What recorded sessions are measured by besides metrics, as comparisons and trends name it. */
export const SESSION_MEASURES = ['correct', 'verdict', 'cost', 'tokens', 'duration', 'turns'] as const;

/** What a person says about a judged result, and what the judge said. */
export const LABELS = ['pass', 'fail'] as const;

/** Which labels a judge is measured on, and on which thresholds are tuned. */
export const LABEL_PARTS = ['held-out', 'tuning'] as const;

/** Which judged metrics gate: all with a threshold, or those whose judge is calibrated. */
export const JUDGE_GATES = ['all', 'calibrated'] as const;

/** Whether a result has a score or a label to show. */
export function isScore(status: (typeof STATUSES)[number]): status is 'scored' | 'vacuous' {
  return status === 'scored' || status === 'vacuous';
}

/** Why a run is not complete. */
export const INCOMPLETE_CAUSES = ['stopped', 'parts-missing', 'sessions-lost'] as const;
