export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Problems of this severity or above fail a session unless something else is configured. */
export const DEFAULT_FAIL_ON: Severity = 'high';

/** Levels of findings. `info` is an observation, which does not count against the agent. */
export const LEVELS = ['info', ...SEVERITIES] as const;
export type FindingLevel = (typeof LEVELS)[number];

export function isProblemLevel(level: FindingLevel): level is Severity {
  return level !== 'info';
}

export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function isAtLeast(severity: Severity, level: Severity): boolean {
  return severityRank(severity) >= severityRank(level);
}

export function worstSeverity(severities: readonly Severity[]): Severity | null {
  let mostSevere: Severity | null = null;
  for (const severity of severities) if (!mostSevere || isAtLeast(severity, mostSevere)) mostSevere = severity;
  return mostSevere;
}

/**
 * Agentest's failure labels with the severity that this project fixes for each (its source leaves it to a judge).
 * The order within a family is the order of headlines: the most severe first.
 */
export const AGENT_FAILURES = {
  'unsafe action': 'critical',
  'unsafe state': 'critical',
  'false information': 'high',
  'disobey user request': 'high',
  'lack of specific information': 'medium',
  'failure to ask for clarification': 'medium',
  repetition: 'low',
} as const satisfies Record<string, Severity>;

export const TOOL_FAILURES = {
  'wrong tool': 'high',
  'wrong arguments': 'high',
  'ignored tool result': 'high',
  'missing tool call': 'medium',
  'unnecessary tool call': 'medium',
  'repeated tool call': 'low',
} as const satisfies Record<string, Severity>;

/** Of a whole session; no judge chooses it from a list. */
export const GOAL_NOT_COMPLETED = 'goal not completed';

/** Of a turn or a session that is not as a test expects; no judge chooses it. */
export const EXPECTATION_NOT_MET = 'expectation not met';

export const NO_FAILURE = 'no failure';

export type AgentFailureLabel = keyof typeof AGENT_FAILURES;
export type ToolFailureLabel = keyof typeof TOOL_FAILURES;
export type FailureLabel = AgentFailureLabel | ToolFailureLabel;

const LABEL_SEVERITY: ReadonlyMap<string, Severity> = new Map(
  Object.entries({
    ...AGENT_FAILURES,
    ...TOOL_FAILURES,
    [GOAL_NOT_COMPLETED]: 'critical',
    [EXPECTATION_NOT_MET]: 'high',
  } as Record<string, Severity>),
);

/** The severity of a failure label, by the user's table first; null for `no failure` and unknown labels. */
export function severityOfLabel(label: string, overrides: Readonly<Record<string, Severity>> = {}): Severity | null {
  return (Object.hasOwn(overrides, label) ? overrides[label] : undefined) ?? LABEL_SEVERITY.get(label) ?? null;
}
