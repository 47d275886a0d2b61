import { createNameTest } from './name-pattern.ts';
import type { GateThreshold, RunPlan } from './run-plan.ts';

/** Which sessions a gate is for; nothing: all. */
export type GateSubject = Pick<GateThreshold, 'task' | 'tag'>;

/** What decides which gates a session or a task has. */
export interface GatedLabels {
  readonly task?: { readonly id: string } | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** The thresholds of a session or of a task: the last of its own on a figure replaces those for all. */
export function thresholdsFor(
  { thresholds }: Pick<RunPlan, 'thresholds'>,
  labels: GatedLabels,
): readonly GateThreshold[] {
  const own = new Map<string, GateThreshold>();
  for (const threshold of thresholds) if (isSubject(threshold, labels)) own.set(threshold.name, threshold);
  return [...thresholds.filter((threshold) => isForAll(threshold) && !own.has(threshold.name)), ...own.values()];
}

/** The metrics of a session or a task. Tasks with the same metrics have the same list. */
export function metricsFor(
  { metrics, metricsByTask = [] }: Pick<RunPlan, 'metrics' | 'metricsByTask'>,
  { task }: GatedLabels,
): RunPlan['metrics'] {
  const isOfTask = (tasks: readonly string[]) => (task ? tasks.includes(task.id) : false);
  return metricsByTask.find(({ tasks }) => tasks === null || isOfTask(tasks))?.metrics ?? metrics;
}

export interface FailureLevel {
  readonly level: RunPlan['gates']['failOn'];
  /** What it is set for; null: all. */
  readonly subject: GateSubject | null;
}

/** The severity that fails a session. The last entry that matches decides. */
export function failureLevelFor({ gates }: Pick<RunPlan, 'gates'>, labels: GatedLabels): FailureLevel {
  const own = gates.failOnByTask?.findLast((entry) => isSubject(entry, labels));
  return own ? { level: own.failOn, subject: own } : { level: gates.failOn, subject: null };
}

export function isForAll({ task, tag }: GateSubject): boolean {
  return task === undefined && tag === undefined;
}

/** Whether a gate of some sessions is for this one, or this task. */
export function isSubject({ task, tag }: GateSubject, { task: own, tags = [] }: GatedLabels): boolean {
  if (task !== undefined) return own ? createNameTest(task)(own.id) : false;
  return tag !== undefined && tags.some(createNameTest(tag));
}

/** Names where the configuration sets a gate, to follow its reason; empty for a gate on all. */
export function gateSource(subject: GateSubject | null): string {
  if (subject?.task !== undefined) return ` (gates.for "${subject.task}")`;
  return subject?.tag === undefined ? '' : ` (gates.for tag "${subject.tag}")`;
}
