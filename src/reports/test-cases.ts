import type { Problem } from '../core/problem.ts';
import type { Gate, ProblemOccurrence, Report, SessionReport } from '../core/report.ts';
import { bySeverity } from '../report-model/session-findings.ts';

/** Limit of the problems of a session that are listed. */
const PROBLEMS = 50;

/** The suite of the gates of the run, and of what could not be read. */
export const RUN_SUITE = 'run';

/** A session as reports for CI servers show it: as a test. */
export interface TestCase {
  readonly name: string;
  /** An `error` is what nothing decided: it did not pass. */
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  /** The rule, metric or code that it is about. */
  readonly type: string;
  readonly message: string;
  /** Each problem with its line, the worst first. */
  readonly details: readonly string[];
  /** Of the worst problem. */
  readonly line: number | null;
}

export interface TestSuite {
  /** The trace file. */
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/** A suite per trace file, with a case per session, and one of the run: its gates, and what could not be read. */
export function testSuites({ sessions, failures, gates, problems }: Report): TestSuite[] {
  const found = Map.groupBy(
    failures.flatMap(({ occurrences }) => occurrences),
    ({ session }) => session,
  );
  const files = Array.from(
    Map.groupBy(sessions, ({ source }) => source.file),
    ([name, own]) => ({ name, cases: own.map((session) => sessionCase(session, found.get(session.id) ?? [])) }),
  );
  const ofRun = [
    ...gates.filter(({ scope }) => scope !== 'session').map(gateCase),
    ...problems.filter(({ severity }) => severity === 'error').map(problemCase),
  ];
  return ofRun.length === 0 ? files : [...files, { name: RUN_SUITE, cases: ofRun }];
}

export function countCases(cases: readonly TestCase[], kind: TestCase['kind']): number {
  return cases.filter((one) => one.kind === kind).length;
}

function sessionCase(session: SessionReport, found: readonly ProblemOccurrence[]): TestCase {
  const { id, headline, undecided = [] } = session;
  const sorted = found.toSorted(bySeverity);
  const [worst] = sorted;
  const more = found.length - PROBLEMS;
  return {
    name: id,
    kind: kindOf(session),
    type: worst?.rule ?? headline.kind,
    message: headline.text,
    details: [
      ...undecided,
      ...sorted.slice(0, PROBLEMS).map(problemLine),
      ...(more > 0 ? [`and ${more} more, in the other reports`] : []),
    ],
    line: worst?.line ?? null,
  };
}

function kindOf({ verdict, headline }: SessionReport): TestCase['kind'] {
  if (headline.kind === 'not-run') return 'skipped';
  if (verdict === 'failed' || headline.kind === 'failed') return 'failure';
  return verdict === 'undecided' ? 'error' : 'passed';
}

/** `a.json:62: turn 2, high, success-after-error: …` */
function problemLine({ file, line, turn, severity, rule, metric, label, reason }: ProblemOccurrence): string {
  return `${file}${line === null ? '' : `:${line}`}: turn ${turn + 1}, ${severity}, ${rule ?? metric ?? label}: ${reason}`;
}

function gateCase({ subject, metric, met, reason }: Gate): TestCase {
  const kind = met === null ? 'error' : met ? 'passed' : 'failure';
  const name = subject === null ? metric : `${metric} of ${subject}`;
  return { name, kind, type: metric, message: reason, details: [], line: null };
}

function problemCase({ file, line, code, message }: Problem): TestCase {
  const name = file === '' ? code : `${file}${line === null ? '' : `:${line}`}`;
  return { name, kind: 'error', type: code, message, details: [], line };
}
