import type { Report } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';
import type { Verdict } from '../core/verdict.ts';
import { isNothingScored, resultsByMetric, totalCoverage } from '../report-model/run-coverage.ts';
import { formatScore } from '../report-model/score-text.ts';
import type { ReportOptions, ReportWriter } from './report-writer.ts';
import { attemptLines } from './terminal/attempts.ts';
import { coverageLines } from './terminal/coverage.ts';
import { failureLines, observationLines, suppressedLines } from './terminal/failures.ts';
import { gateLines } from './terminal/gates.ts';
import { sessionSummaries } from './terminal/session-summary.ts';
import { sessionsLines } from './terminal/sessions.ts';
import { createTableStyle, type TableStyle, verdictMark, verdictTone } from './terminal/style.ts';
import { usageLines } from './terminal/usage.ts';
import { wrap } from './terminal-text.ts';

/** The report for a person. */
export const tableReport: ReportWriter = {
  name: 'table',
  title: 'the report for a person',
  extension: '.txt',
  mediaType: 'text/plain',
  *write(report, options) {
    for (const line of tableLines(report, options)) yield `${line}\n`;
  },
};

/**
 * Lines of the table: verdict, sessions with their reasons and turns, attempts, failures with their locations, observations,
 * gates, coverage, and what models were called for.
 */
export function* tableLines(report: Report, options: ReportOptions): Generator<string> {
  const style = createTableStyle(options);
  const byMetric = resultsByMetric(report);
  yield* verdictLines(report, isNothingScored(totalCoverage(byMetric)), style);
  yield* sessionsLines(sessionSummaries(report, options.userMessages), style, options.locator);
  yield* attemptLines(report.attempts, report.scenarios, style);
  yield* failureLines(report.failures, style);
  yield* observationLines(report.observations, style);
  yield* suppressedLines(report.suppressed, style);
  yield* gateLines(report, style);
  yield* coverageLines(report, byMetric, style);
  yield* usageLines(report.run, style);
}

function* verdictLines(report: Report, nothingScored: boolean, style: TableStyle): Generator<string> {
  const { verdict, sessions, gates, metrics, failures, run } = report;
  const count = failures.reduce((sum, group) => sum + group.count, 0);
  const turns = sessions.reduce((sum, session) => sum + session.turns.length, 0);
  const facts = [
    `${pluralize(sessions.length, 'session')}, ${pluralize(turns, 'turn')}`,
    countVerdicts(
      sessions.map((session) => session.verdict),
      verdict,
    ),
    count === 0 ? '' : pluralize(count, 'failure'),
    nothingScored ? 'nothing was scored' : '',
    gates.length === 0
      ? 'no gates'
      : `${gates.filter(({ met }) => met === true).length} of ${pluralize(gates.length, 'gate')} met`,
    // Without thresholds, a pass says little about the scores.
    gates.some(({ metric }) => metric !== 'severity') ? '' : 'no thresholds set',
    run.judge ? `${run.judge.provider}/${run.judge.model}` : '',
    duration(run.durationMs),
  ];
  const lead = `${verdictMark(verdict, count)} ${verdict}`;
  const lines = wrap(facts.filter((fact) => fact !== '').join(' · '), style.columns - lead.length - 3);
  for (const [index, line] of lines.entries()) {
    yield index === 0
      ? `${style.paint(lead, verdictTone(verdict, count))}   ${line}`
      : `${' '.repeat(lead.length + 3)}${line}`;
  }
  if (!run.complete) yield style.paint('  Stopped early: only finished results are shown.', 'doubtful');
  const figures = Object.entries(metrics).flatMap(([name, { status, score, scale }]) =>
    status === 'scored' && score !== null ? [`${name} ${formatScore(score, scale)}`] : [],
  );
  if (figures.length > 0)
    for (const line of wrap(figures.join(' · '), style.columns - 2)) yield `  ${style.paint(line, 'quiet')}`;
}

/** `2 failed, 3 passed`; empty if all have the verdict of the run. */
function countVerdicts(verdicts: readonly Verdict[], whole: Verdict): string {
  if (verdicts.every((verdict) => verdict === whole)) return '';
  const counts = (['failed', 'undecided', 'passed'] as const).flatMap((verdict) => {
    const count = verdicts.filter((entry) => entry === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return counts.join(', ');
}

function duration(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
