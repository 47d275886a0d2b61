import type { Report } from '../core/report.ts';
import { escapeInvisible, sanitizeLine } from '../core/sanitize.ts';
import type { ReportWriter } from './report-writer.ts';
import { countCases, type TestCase, testSuites } from './test-cases.ts';

/** The Common Test Report Format, https://ctrf.io: for dashboards and comments on pull requests. */
export const ctrfReport: ReportWriter = {
  name: 'ctrf',
  title: 'a test report for dashboards, as JSON (ctrf.io)',
  extension: '.json',
  mediaType: 'application/json',
  write: (report) => `${escapeInvisible(JSON.stringify(toCtrf(report), null, 2))}\n`,
};

/** What nothing decided is `other`, which no dashboard counts as passed. */
const STATUS = { passed: 'passed', failure: 'failed', error: 'other', skipped: 'skipped' } as const;

function toCtrf(report: Report) {
  const { run, tool } = report;
  const suites = testSuites(report).filter(({ cases }) => cases.length > 0);
  const cases = suites.flatMap((suite) => suite.cases);
  const start = Date.parse(run.startedAt);
  const duration = Math.round(run.durationMs);
  return {
    reportFormat: 'CTRF',
    specVersion: '1.0.0',
    timestamp: run.startedAt,
    generatedBy: 'turnwise',
    // The parts of a run share it: that of their plan. The merged run has its own.
    extra: { runId: run.shard?.plan ?? run.id },
    results: {
      tool,
      summary: {
        tests: cases.length,
        passed: countCases(cases, 'passed'),
        failed: countCases(cases, 'failure'),
        skipped: countCases(cases, 'skipped'),
        pending: 0,
        other: countCases(cases, 'error'),
        suites: suites.length,
        start,
        stop: start + duration,
        duration,
      },
      tests: suites.flatMap(({ name, cases }) => cases.map((one) => toTest(one, name))),
    },
  };
}

/** How long a session took to evaluate says nothing about it: the duration is 0. */
function toTest({ name, kind, type, message, details, file, line }: TestCase, suite: string) {
  return {
    name: sanitizeLine(name) || '-',
    status: STATUS[kind],
    duration: 0,
    suite: [sanitizeLine(suite)],
    ...(file !== null && { filePath: sanitizeLine(file) }),
    ...(line !== null && { line }),
    rawStatus: kind,
    ...(kind !== 'passed' && { message: sanitizeLine(message), labels: { type: sanitizeLine(type) } }),
    ...(details.length > 0 && { trace: details.map(sanitizeLine).join('\n') }),
  };
}
