import type { Gate, ProblemOccurrence, Report, SessionReport } from '../../core/report.ts';
import { severityRank } from '../../core/severity.ts';
import { byHeadline, keyScore } from '../../report-model/session-order.ts';
import type { UserMessages } from '../report-writer.ts';

/** A session of a report, with everything that the report says about it. */
export interface SessionSummary {
  readonly report: SessionReport;
  /** Messages of the user by index of the turn; undefined if unknown. */
  readonly inputs: readonly (string | null)[];
  /** The most severe first, then by turn. */
  readonly problems: readonly ProblemOccurrence[];
  /** Problems that are listed together with those of other sessions. */
  readonly shared: ReadonlySet<ProblemOccurrence>;
  /** Its own gates. */
  readonly gates: readonly Gate[];
}

/** The sessions, the worst first. */
export function sessionSummaries(report: Report, userMessages: UserMessages = new Map()): SessionSummary[] {
  const problems = Map.groupBy(
    report.failures.flatMap(({ occurrences }) => occurrences),
    ({ session }) => session,
  );
  const shared = new Set(sharedGroups(report).flatMap(({ occurrences }) => occurrences));
  const gates = Map.groupBy(
    report.gates.filter(({ scope }) => scope === 'session'),
    ({ subject }) => subject,
  );
  return report.sessions
    .map((session) => ({
      summary: {
        report: session,
        inputs: userMessages.get(session.id) ?? [],
        problems: (problems.get(session.id) ?? []).toSorted(bySeverity),
        shared,
        gates: gates.get(session.id) ?? [],
      },
      headline: session.headline,
      risk: keyScore(session)?.risk ?? null,
    }))
    .sort(byHeadline)
    .map(({ summary }) => summary);
}

/** Groups of problems that several sessions have. */
export function sharedGroups({ failures }: Report): Report['failures'] {
  return failures.filter(({ occurrences }) => occurrences.some(({ session }) => session !== occurrences[0]?.session));
}

function bySeverity(a: ProblemOccurrence, b: ProblemOccurrence): number {
  return severityRank(b.severity) - severityRank(a.severity) || a.turn - b.turn;
}
