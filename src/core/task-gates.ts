import { createNameTest } from './name-pattern.ts';
import type { GateThreshold, RunPlan } from './run-plan.ts';

/**
 * The thresholds for the sessions of one task: the last of its own on a figure replaces those for all tasks.
 *
 * @param task the id; undefined for a session of no task, which has only those for all.
 */
export function thresholdsFor(
  { thresholds }: Pick<RunPlan, 'thresholds'>,
  task: string | undefined,
): readonly GateThreshold[] {
  const own = new Map<string, GateThreshold>();
  for (const threshold of thresholds) if (matchesTask(threshold.task, task)) own.set(threshold.name, threshold);
  return [...thresholds.filter((general) => general.task === undefined && !own.has(general.name)), ...own.values()];
}

export interface FailureLevel {
  readonly level: RunPlan['gates']['failOn'];
  /** The pattern of tasks that it is set for; null: all. */
  readonly task: string | null;
}

/** The severity that fails the sessions of one task. The last pattern that matches decides. */
export function failureLevelFor({ gates }: Pick<RunPlan, 'gates'>, task: string | undefined): FailureLevel {
  const own = gates.failOnByTask?.findLast((entry) => matchesTask(entry.task, task));
  return own ? { level: own.failOn, task: own.task } : { level: gates.failOn, task: null };
}

function matchesTask(pattern: string | undefined, task: string | undefined): boolean {
  return pattern !== undefined && task !== undefined && createNameTest(pattern)(task);
}

/** Names where the configuration sets a gate, to follow its reason; empty for a gate on all tasks. */
export function taskGateSource(pattern: string | null | undefined): string {
  return typeof pattern === 'string' ? ` (gates.for "${pattern}")` : '';
}
