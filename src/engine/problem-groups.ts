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
 * Groups failures by what they have in common, whoever looks: the label, and with it the rule and the tool of the call at
 * fault, or where a judge named them the tool or else the wording of the reason. The most severe first.
 */
export function groupProblems(failures: Iterable<AgentProblem>): AgentProblemGroup[] {
  const groups = new Map<string, [AgentProblem, ...AgentProblem[]]>();
  for (const failure of failures) {
    const group = groups.get(failure.key);
    if (group) group.push(failure);
    else groups.set(failure.key, [failure]);
  }
  const found = Array.from(
    groups.values(),
    (of): AgentProblemGroup => ({ title: of[0].title, explanation: of[0].explanation, problems: of }),
  );
  return found.sort(bySeverity);
}

/** By severity, then by how many failures it has. */
export function bySeverity(a: AgentProblemGroup, b: AgentProblemGroup): number {
  return (
    severityRank(mostSevereOccurrence(b).severity) - severityRank(mostSevereOccurrence(a).severity) ||
    b.problems.length - a.problems.length
  );
}

/** Of its failures, the first of those that are most severe. */
export function mostSevereOccurrence({ problems: failures }: AgentProblemGroup): ProblemOccurrence {
  const [first] = failures;
  return failures.reduce(
    (found, { occurrence }) => (severityRank(occurrence.severity) > severityRank(found.severity) ? occurrence : found),
    first.occurrence,
  );
}

/** As the report has it. */
export function toFailureGroup(group: AgentProblemGroup): FailureGroup {
  const { title, explanation, problems: failures } = group;
  const { label, severity } = mostSevereOccurrence(group);
  const occurrences = failures.map(({ occurrence }) => occurrence);
  return { label, severity, count: failures.length, title, explanation, occurrences };
}
