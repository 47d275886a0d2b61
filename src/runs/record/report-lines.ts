import type * as z from 'zod/mini';
import type { DeepReadonly } from '../../core/deep-readonly.ts';
import type { Report, ResultsByMetric, SessionReport } from '../../core/report.ts';
import { hashOf } from '../../core/session-hashes.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { reportedLineSchema, reportLineSchema } from './line-schemas.ts';
import { parseLine, toLine } from './lines.ts';

/** A report as a record has it; the sessions with their results are elsewhere in the record. */
export interface RecordedReport {
  readonly report: DeepReadonly<z.output<typeof reportLineSchema>['report']>;
  readonly sessions: readonly ReducedSession[];
}

export type ReducedSession = DeepReadonly<Omit<z.output<typeof reportedLineSchema>, 'type'>>;

/**
 * The lines of a report: one per session, and one that ends them.
 *
 * @param outcomes of its sessions, in their order, as they were recorded
 */
export function* encodeReport(report: Report, outcomes: readonly SessionOutcome[]): Generator<string> {
  for (const [at, session] of report.sessions.entries()) yield encodeSession(session, outcomes[at]);
  const problems = new FindingNumbers(outcomes.flatMap((outcome) => outcome.problems.map((one) => one.occurrence)));
  const observations = new FindingNumbers(outcomes.flatMap((outcome) => outcome.observations));
  const suppressed = new FindingNumbers(outcomes.flatMap((outcome) => outcome.suppressed));
  yield toLine({
    type: 'report',
    report: {
      ...report,
      sessions: report.sessions.length,
      failures: report.failures.map((group) => ({
        ...group,
        occurrences: group.occurrences.map((occurrence) => problems.encode(occurrence)),
      })),
      observations: report.observations.map((observation) => observations.encode(observation)),
      suppressed: report.suppressed.map((finding) => suppressed.encode(finding)),
    },
  });
}

function encodeSession(session: SessionReport, outcome: SessionOutcome | undefined): string {
  const { id, verdict, outcome: agentOutcome, headline, undecided } = session;
  const changed = outcome ? changedResults(session.metrics, outcome.metrics) : session.metrics;
  return toLine({
    type: 'reported',
    id,
    verdict,
    outcome: agentOutcome,
    headline,
    ...(undecided && { undecided }),
    ...(Object.keys(changed).length > 0 && { metrics: changed }),
  });
}

function changedResults(reported: ResultsByMetric, found: ResultsByMetric): ResultsByMetric {
  if (reported === found) return {};
  return Object.fromEntries(
    Object.entries(reported).filter(([name, result]) => JSON.stringify(result) !== JSON.stringify(found[name])),
  );
}

/** Where a finding stands, which sessions may not know yet when they are encoded. */
const PLACES: ReadonlySet<string> = new Set(['line', 'column', 'endLine', 'endColumn']);

class FindingNumbers<Finding> {
  readonly #numbers = new Map<string, number>();

  constructor(ofSessions: readonly Finding[]) {
    for (const [number, finding] of ofSessions.entries()) this.#numbers.set(keyOf(finding), number);
  }

  encode(finding: Finding): number | Finding {
    return this.#numbers.get(keyOf(finding)) ?? finding;
  }
}

function keyOf(finding: unknown): string {
  return hashOf(JSON.stringify(finding, (name, value: unknown) => (PLACES.has(name) ? undefined : value))).slice(0, 24);
}

const REPORTED_START = '{"type":"reported"';

/** Collects the lines of a report, in their order: those of the last one count. */
export class ReportLineDecoder {
  #sessions: ReducedSession[] = [];
  #report: RecordedReport | null = null;

  /** Sessions follow: what was reported is not about them. */
  clear(): void {
    this.#sessions = [];
    this.#report = null;
  }

  add(line: string): void {
    if (line.startsWith(REPORTED_START)) {
      if (this.#report) this.clear();
      const reported = parseLine(line, reportedLineSchema);
      if (reported) this.#sessions.push(reported);
      return;
    }
    const report = parseLine(line, reportLineSchema)?.report;
    this.#report = report ? { report, sessions: this.#sessions } : null;
    this.#sessions = [];
  }

  /** Null where there is none, and where a line of it is missing or damaged. */
  end(): RecordedReport | null {
    const recorded = this.#report;
    return recorded?.report.sessions === recorded?.sessions.length ? recorded : null;
  }
}

/**
 * The report with its sessions.
 *
 * @param sessions complete, in their order. @param outcomes theirs, as they were recorded
 * @returns null where a finding is missing
 */
export function completeReport(
  { report }: RecordedReport,
  sessions: readonly SessionReport[],
  outcomes: readonly SessionOutcome[],
): Report | null {
  const problems = outcomes.flatMap((outcome) => outcome.problems.map((one) => one.occurrence));
  const observations = outcomes.flatMap((outcome) => outcome.observations);
  const suppressed = outcomes.flatMap((outcome) => outcome.suppressed);
  try {
    return {
      ...report,
      sessions,
      failures: report.failures.map((group) => ({
        ...group,
        occurrences: group.occurrences.map((occurrence) => decodeFinding(occurrence, problems)),
      })),
      observations: report.observations.map((observation) => decodeFinding(observation, observations)),
      suppressed: report.suppressed.map((finding) => decodeFinding(finding, suppressed)),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function decodeFinding<Finding extends object>(encoded: number | Finding, ofSessions: readonly Finding[]): Finding {
  const finding = typeof encoded === 'number' ? ofSessions[encoded] : encoded;
  if (finding === undefined) throw new RangeError('A finding of the report is missing.');
  return finding;
}
