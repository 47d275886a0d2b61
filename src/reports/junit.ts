import type { Report, TaskSummary } from '../core/report.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import type { ReportWriter } from './report-writer.ts';
import { countCases, type TestCase, testSuites } from './test-cases.ts';

/**
 * The test report that CI servers read. Valid by the schema of Jenkins, which gives a case neither a line nor properties: lines are
 * in its text, and attempts in the properties of the suite.
 */
export const junitReport: ReportWriter = {
  name: 'junit',
  title: 'a test report for CI servers, as XML',
  extension: '.xml',
  mediaType: 'application/xml',
  write: xmlDocument,
};

function* xmlDocument(report: Report): Generator<string> {
  const { run } = report;
  const suites = testSuites(report);
  const { skipped: _, ...total } = counts(suites.flatMap(({ cases }) => cases));
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites${attributes({ name: 'turnwise', time: (run.durationMs / 1000).toFixed(3), ...total })}>\n`;
  for (const { name, cases, tasks } of suites) {
    yield `  <testsuite${attributes({ name, ...counts(cases), timestamp: run.startedAt })}>\n`;
    yield* properties(tasks);
    for (const one of cases) yield caseText(one, name);
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

function counts(cases: readonly TestCase[]) {
  return {
    tests: cases.length,
    failures: countCases(cases, 'failure'),
    errors: countCases(cases, 'error'),
    skipped: countCases(cases, 'skipped'),
  };
}

/** What the attempts at each task came to. */
function* properties(tasks: readonly TaskSummary[]): Generator<string> {
  const several = tasks.filter(({ attempts }) => attempts > 1);
  if (several.length === 0) return;
  yield '    <properties>\n';
  for (const { name, attempts, correct, passPowK } of several) {
    const last = passPowK.at(-1);
    const estimate = last ? `, pass^${last.k} ${last.value.toFixed(2)}` : '';
    const value = `${correct} of ${attempts} attempts succeeded${estimate}`;
    yield `      <property${attributes({ name: `task ${name}`, value })}/>\n`;
  }
  yield '    </properties>\n';
}

function caseText({ name, kind, type, message, details }: TestCase, suite: string): string {
  const start = `    <testcase${attributes({ name, classname: suite })}`;
  const text = details.map(visible).join('\n');
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
