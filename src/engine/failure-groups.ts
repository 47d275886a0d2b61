import type { FailureGroup, Occurrence } from '../core/report.ts';
import { severityRank } from '../core/severity.ts';
import type { Failure } from './failures.ts';

/** Failures that belong together. */
export interface Group {
  readonly title: string;
  readonly explanation: string;
  readonly failures: readonly [Failure, ...Failure[]];
}

/**
 * Groups failures by what they have in common, whoever looks: the label, and with it the rule and the tool of the call at
 * fault, or where a judge named them the tool or else the wording of the reason. The most severe first.
 */
export function groupFailures(failures: Iterable<Failure>): Group[] {
  const groups = new Map<string, [Failure, ...Failure[]]>();
  for (const failure of failures) {
    const group = groups.get(failure.key);
    if (group) group.push(failure);
    else groups.set(failure.key, [failure]);
  }
  const found = Array.from(
    groups.values(),
    (of): Group => ({ title: of[0].title, explanation: of[0].explanation, failures: of }),
  );
  return found.sort(worstFirst);
}

/** By severity, then by how many failures it has. */
export function worstFirst(a: Group, b: Group): number {
  return (
    severityRank(mostSevere(b).severity) - severityRank(mostSevere(a).severity) || b.failures.length - a.failures.length
  );
}

/** Of its failures, the first of those that are most severe. */
export function mostSevere({ failures }: Group): Occurrence {
  const [first] = failures;
  return failures.reduce(
    (found, { occurrence }) => (severityRank(occurrence.severity) > severityRank(found.severity) ? occurrence : found),
    first.occurrence,
  );
}

/** As the report has it. */
export function toReport(group: Group): FailureGroup {
  const { title, explanation, failures } = group;
  const { label, severity } = mostSevere(group);
  const occurrences = failures.map(({ occurrence }) => occurrence);
  return { label, severity, count: failures.length, title, explanation, occurrences };
}
