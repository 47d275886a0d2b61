import type { Problem } from '../core/problem.ts';
import type { Gate, ProblemOccurrence, Report, SessionReport, TaskSummary } from '../core/report.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { bySeverity } from '../report-model/session-findings.ts';
import type { ReportWriter } from './report-writer.ts';

/** Limit of the problems of a session that are listed. */
const PROBLEMS = 50;

/**
 * The test report that CI servers read: a suite per trace file, a case per session. A failed session is a failure; one that is
 * undecided is an error, since nothing says that it passed; one that was not run is skipped. A last suite has the gates of the run
 * and what could not be read. Valid by the schema of Jenkins, which gives a case neither a line nor properties: lines are in its
 * text, and attempts in the properties of the suite.
 */
export const junitReport: ReportWriter = {
  name: 'junit',
  title: 'a test report for CI servers, as XML',
  extension: '.xml',
  mediaType: 'application/xml',
  write: document,
};

type CaseKind = 'passed' | 'failure' | 'error' | 'skipped';

interface TestCase {
  readonly name: string;
  readonly kind: CaseKind;
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
}

interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
  readonly properties: readonly (readonly [name: string, value: string])[];
}

function* document({ run, sessions, scenarios, failures, gates, problems }: Report): Generator<string> {
  const found = Map.groupBy(
    failures.flatMap(({ occurrences }) => occurrences),
    ({ session }) => session,
  );
  const tasks = Map.groupBy(scenarios, ({ file }) => file);
  const suites: TestSuite[] = Array.from(
    Map.groupBy(sessions, ({ source }) => source.file),
    ([name, own]) => ({
      name,
      cases: own.map((session) => sessionCase(session, found.get(session.id) ?? [])),
      properties: attemptProperties(tasks.get(name) ?? []),
    }),
  );
  const ofRun = [
    ...gates.filter(({ scope }) => scope !== 'session').map(gateCase),
    ...problems.filter(({ severity }) => severity === 'error').map(problemCase),
  ];
  if (ofRun.length > 0) suites.push({ name: 'run', cases: ofRun, properties: [] });
  const { skipped: _, ...total } = counts(suites.flatMap(({ cases }) => cases));
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites${attributes({ name: 'turnwise', time: (run.durationMs / 1000).toFixed(3), ...total })}>\n`;
  for (const { name, cases, properties } of suites) {
    yield `  <testsuite${attributes({ name, ...counts(cases), timestamp: run.startedAt })}>\n`;
    if (properties.length > 0) {
      const lines = properties.map(([key, value]) => `      <property${attributes({ name: key, value })}/>\n`);
      yield `    <properties>\n${lines.join('')}    </properties>\n`;
    }
    for (const one of cases) yield caseText(one, name);
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

function counts(cases: readonly TestCase[]) {
  const count = (kind: CaseKind) => cases.filter((one) => one.kind === kind).length;
  return { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
}

function sessionCase(session: SessionReport, found: readonly ProblemOccurrence[]): TestCase {
  const { id, headline, undecided = [] } = session;
  const sorted = found.toSorted(bySeverity);
  const more = found.length - PROBLEMS;
  return {
    name: id,
    kind: kindOf(session),
    type: sorted[0]?.rule ?? headline.kind,
    message: headline.text,
    lines: [
      ...undecided,
      ...sorted.slice(0, PROBLEMS).map(problemLine),
      ...(more > 0 ? [`and ${more} more, in the other reports`] : []),
    ],
  };
}

function kindOf({ verdict, headline }: SessionReport): CaseKind {
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
  return {
    name: subject === null ? metric : `${metric} of ${subject}`,
    kind,
    type: metric,
    message: reason,
    lines: [],
  };
}

function problemCase({ file, line, code, message }: Problem): TestCase {
  return {
    name: file === '' ? code : `${file}${line === null ? '' : `:${line}`}`,
    kind: 'error',
    type: code,
    message,
    lines: [],
  };
}

/** What the attempts at each task came to. */
function attemptProperties(tasks: readonly TaskSummary[]): TestSuite['properties'] {
  return tasks.flatMap(({ name, attempts, correct, passPowK }) => {
    if (attempts < 2) return [];
    const last = passPowK.at(-1);
    const estimate = last ? `, pass^${last.k} ${last.value.toFixed(2)}` : '';
    return [[`task ${name}`, `${correct} of ${attempts} attempts succeeded${estimate}`]] as const;
  });
}

function caseText({ name, kind, type, message, lines }: TestCase, suite: string): string {
  const start = `    <testcase${attributes({ name, classname: suite })}`;
  const text = lines.map(visible).join('\n');
  if (kind !== 'passed') return `${start}><${kind}${attributes({ type, message })}>${text}</${kind}></testcase>\n`;
  return text === '' ? `${start}/>\n` : `${start}><system-out>${text}</system-out></testcase>\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${visible(String(value))}"`)
    .join('');
}

/** One line without secrets and without the characters that XML cannot have. */
function visible(text: string): string {
  return sanitizeLine(text).replace(/[&<>"\uFFFE\uFFFF]/g, (character) => ESCAPES[character] ?? '');
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
