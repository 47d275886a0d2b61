import type { FailureGroup, ProblemOccurrence } from '../core/report.ts';
import type { AgentProblem } from '../core/session-outcome.ts';
import { severityRank } from '../core/severity.ts';

/** Failures that belong together. */
export interface AgentProblemGroup {
  readonly title: string;
  readonly explanation: string;
  readonly problems: readonly [AgentProblem, ...AgentProblem[]];
}

/**
 * Groups problems by label and, for a rule, by rule and tool of the call; for a judge, by tool or else by the wording of
 * the reason. The most severe group comes first.
 */
export function groupProblems(failures: Iterable<AgentProblem>): AgentProblemGroup[] {
  const groups = new Map<string, [AgentProblem, ...AgentProblem[]]>();
  for (const failure of failures) {
    const group = groups.get(failure.key);
    if (group) group.push(failure);
    else groups.set(failure.key, [failure]);
  }
  const sorted = Array.from(
    groups.values(),
    (of): AgentProblemGroup => ({ title: of[0].title, explanation: of[0].explanation, problems: of }),
  );
  return sorted.sort(bySeverity);
}

/** By severity, then by number of problems. */
export function bySeverity(a: AgentProblemGroup, b: AgentProblemGroup): number {
  return (
    severityRank(mostSevereOccurrence(b).severity) - severityRank(mostSevereOccurrence(a).severity) ||
    b.problems.length - a.problems.length
  );
}

/** The first of the most severe problems. */
export function mostSevereOccurrence({ problems }: AgentProblemGroup): ProblemOccurrence {
  const [first] = problems;
  return problems.reduce(
    (worst, { occurrence }) => (severityRank(occurrence.severity) > severityRank(worst.severity) ? occurrence : worst),
    first.occurrence,
  );
}

/** Converts a group to its form in the report. */
export function toFailureGroup(group: AgentProblemGroup): FailureGroup {
  const { title, explanation, problems } = group;
  const { label, severity } = mostSevereOccurrence(group);
  const occurrences = problems.map(({ occurrence }) => occurrence);
  return { label, severity, count: problems.length, title, explanation, occurrences };
}
