import type { FailureGroup, Observation, ProblemOccurrence, Report, SuppressedFinding } from '../../core/report.ts';
import { severityRank } from '../../core/severity.ts';

/** What was found in the turns of a session, with all that proves it: what its report says. */
export interface SessionFindings {
  /** By kind; the occurrences are those of the session. */
  readonly groups: readonly FailureGroup[];
  readonly observations: readonly Observation[];
  readonly suppressed: readonly SuppressedFinding[];
}

export const NO_FINDINGS: SessionFindings = { groups: [], observations: [], suppressed: [] };

/** Of each session of a report. */
export function findingsBySession(
  report: Pick<Report, 'failures' | 'observations'> & Partial<Pick<Report, 'suppressed'>>,
): ReadonlyMap<string, SessionFindings> {
  const groups = new Map<string, FailureGroup[]>();
  for (const group of report.failures) {
    for (const [session, occurrences] of Map.groupBy(group.occurrences, (one) => one.session)) {
      const own = subgroup(group, occurrences);
      const known = groups.get(session);
      if (known) known.push(own);
      else groups.set(session, [own]);
    }
  }
  const observations = Map.groupBy(report.observations, ({ session }) => session);
  const suppressed = Map.groupBy(report.suppressed ?? [], ({ session }) => session);
  const sessions = new Set([...groups.keys(), ...observations.keys(), ...suppressed.keys()]);
  return new Map(
    Array.from(sessions, (session) => [
      session,
      {
        groups: groups.get(session) ?? [],
        observations: observations.get(session) ?? [],
        suppressed: suppressed.get(session) ?? [],
      },
    ]),
  );
}

/** Some of what belongs together, under the worst name among them. */
function subgroup(group: FailureGroup, occurrences: readonly ProblemOccurrence[]): FailureGroup {
  const { label, severity } = occurrences.reduce<Pick<ProblemOccurrence, 'label' | 'severity'>>(
    (found, one, at) => (at === 0 || severityRank(one.severity) > severityRank(found.severity) ? one : found),
    group,
  );
  return { ...group, label, severity, count: occurrences.length, occurrences };
}

/** What was found before, and what is known now of the turns that have landed since. */
export function mergeFindings(
  before: SessionFindings,
  now: SessionFindings,
  landed: ReadonlySet<number>,
): SessionFindings {
  const isOld = ({ turn }: { readonly turn: number }) => !landed.has(turn);
  const old = before.groups.map((group) => ({ ...group, occurrences: group.occurrences.filter(isOld) }));
  const kinds = Map.groupBy([...old, ...now.groups], ({ label, severity, title }) =>
    JSON.stringify([label, severity, title]),
  );
  return {
    groups: [...kinds.values()].flatMap(([first, ...more]) => {
      if (!first) return [];
      const occurrences = [first, ...more].flatMap((group) => group.occurrences);
      return occurrences.length === 0 ? [] : [subgroup(first, occurrences)];
    }),
    observations: [...before.observations.filter(isOld), ...now.observations],
    suppressed: [...before.suppressed.filter(isOld), ...now.suppressed],
  };
}
