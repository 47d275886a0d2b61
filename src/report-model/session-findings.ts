import type {
  FailureGroup,
  Observation,
  ProblemOccurrence,
  Report,
  SuppressedFinding,
  TraceLocation,
} from '../core/report.ts';
import { severityRank } from '../core/severity.ts';

/** What was found in the turns of one session, with its evidence. */
export interface SessionFindings {
  /** Problems by kind; only the occurrences in this session. */
  readonly groups: readonly FailureGroup[];
  readonly observations: readonly Observation[];
  readonly suppressed: readonly SuppressedFinding[];
}

export const NO_FINDINGS: SessionFindings = { groups: [], observations: [], suppressed: [] };

/** The findings of each session of a report, by session id. */
export function findingsBySession(
  report: Pick<Report, 'failures' | 'observations'> & Partial<Pick<Report, 'suppressed'>>,
): ReadonlyMap<string, SessionFindings> {
  const groups = new Map<string, FailureGroup[]>();
  for (const group of report.failures) {
    for (const [session, occurrences] of Map.groupBy(group.occurrences, (occurrence) => occurrence.session)) {
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

/** Some occurrences of a group, with the label and severity of the most severe. */
function subgroup(group: FailureGroup, occurrences: readonly ProblemOccurrence[]): FailureGroup {
  const { label, severity } = mostSevere(occurrences) ?? group;
  return { ...group, label, severity, count: occurrences.length, occurrences };
}

/** Findings of a session whose evaluation goes on: those of evaluated turns replace the earlier ones. */
export function mergeFindings(
  before: SessionFindings,
  now: SessionFindings,
  evaluatedTurns: ReadonlySet<number>,
): SessionFindings {
  const isOld = ({ turn }: { readonly turn: number }) => !evaluatedTurns.has(turn);
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

/** Groups of problems: the most severe first, then the most frequent. */
export function sortGroups(groups: readonly FailureGroup[]): FailureGroup[] {
  return groups.toSorted(
    (a, b) => severityRank(b.severity) - severityRank(a.severity) || b.occurrences.length - a.occurrences.length,
  );
}

/** The most severe problem; of several, the first. */
export function mostSevere<Problem extends Pick<ProblemOccurrence, 'severity'>>(
  problems: readonly Problem[],
): Problem | undefined {
  return problems.reduce<Problem | undefined>(
    (worst, candidate) =>
      worst && severityRank(worst.severity) >= severityRank(candidate.severity) ? worst : candidate,
    undefined,
  );
}

/** The most severe first; problems of the same severity keep their order. */
export function bySeverity(a: Pick<ProblemOccurrence, 'severity'>, b: Pick<ProblemOccurrence, 'severity'>): number {
  return severityRank(b.severity) - severityRank(a.severity);
}

/** The findings of a session by the index of their turn. */
export interface FindingsByTurn {
  readonly failures: ReadonlyMap<number, readonly ProblemOccurrence[]>;
  readonly observations: ReadonlyMap<number, readonly Observation[]>;
  readonly suppressed: ReadonlyMap<number, readonly SuppressedFinding[]>;
}

export function groupByTurn({ groups, observations, suppressed }: SessionFindings): FindingsByTurn {
  const turnOf = ({ turn }: TraceLocation) => turn;
  return {
    failures: Map.groupBy(
      groups.flatMap(({ occurrences }) => occurrences),
      turnOf,
    ),
    observations: Map.groupBy(observations, turnOf),
    suppressed: Map.groupBy(suppressed, turnOf),
  };
}
