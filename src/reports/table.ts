import type { Report } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { countHeadlines } from '../report-model/headline-counts.ts';
import { incompleteCause } from '../report-model/incomplete-run.ts';
import { resultsByMetric } from '../report-model/run-coverage.ts';
import { runSummary } from '../runs/nothing-new.ts';
import type { ReportOptions, ReportWriter } from './report-writer.ts';
import { agentLines } from './terminal/agents.ts';
import { attemptLines } from './terminal/attempts.ts';
import { baselineLines } from './terminal/baseline.ts';
import { coverageLines } from './terminal/coverage.ts';
import { alertLines, gateLines } from './terminal/gates.ts';
import { meanLines } from './terminal/means.ts';
import { nextStepLines } from './terminal/next-steps.ts';
import { observationLines, sharedProblemLines, suppressedLines } from './terminal/problems.ts';
import { sessionSummaries } from './terminal/session-summary.ts';
import { sessionsLines } from './terminal/sessions.ts';
import { createTableStyle, HEADLINE_STYLE, type TableStyle } from './terminal/style.ts';
import { usageLines } from './terminal/usage.ts';
import { width, wrap } from './terminal-text.ts';

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
 * Lines of the table: how many sessions failed, a headline for each with its worst problems, problems of several sessions,
 * means of the metrics, attempts, several agents side by side, coverage, gates, and what to do next.
 */
export function* tableLines(report: Report, options: ReportOptions): Generator<string> {
  const style = createTableStyle(options);
  const byMetric = resultsByMetric(report);
  yield* summaryLines(report, style);
  yield* sessionsLines(sessionSummaries(report, options.userMessages), style, options.locator);
  yield* sharedProblemLines(report, style);
  if (style.verbose) yield* observationLines(report.observations, style);
  yield* suppressedLines(report.suppressed, style);
  yield* meanLines(report, byMetric, style);
  yield* attemptLines(report, style);
  yield* agentLines(report, style);
  yield* coverageLines(report, byMetric, style);
  yield* baselineLines(report, style);
  yield* gateLines(report, style);
  yield* alertLines(report, style);
  yield* usageLines(report.run, style);
  yield* nextStepLines(report, byMetric, style);
}

/** `11 sessions: 3 failed, 2 with problems, 6 succeeded · 36 turns · openai/m · 1.2 s`. */
function* summaryLines(report: Report, style: TableStyle): Generator<string> {
  const { sessions, run } = report;
  const [worst] = countHeadlines(sessions);
  const tone = worst ? HEADLINE_STYLE[worst.kind].tone : 'normal';
  const lead = runSummary(report);
  const turns = sessions.reduce((sum, session) => sum + session.turns.length, 0);
  const facts = [
    pluralize(turns, 'turn'),
    run.judge ? `${run.judge.provider}/${run.judge.model}` : 'rules only',
    duration(run.durationMs),
  ].join(' · ');
  const painted = style.paint(lead, tone === 'normal' ? 'strong' : tone);
  if (width(lead) + 3 + width(facts) <= style.columns) yield `${painted} ${style.paint(`· ${facts}`, 'quiet')}`;
  else {
    for (const line of wrap(lead, style.columns)) yield style.paint(line, tone === 'normal' ? 'strong' : tone);
    for (const line of wrap(facts, style.columns)) yield style.paint(line, 'quiet');
  }
  const cause = incompleteCause(report);
  if (cause) yield style.paint(INCOMPLETE[cause], 'doubtful');
}

const INCOMPLETE = {
  stopped: 'Stopped early: only finished results are shown.',
  'parts-missing': 'Parts of the run are missing: only the sessions of the others are shown.',
  'sessions-lost': 'Not complete: only finished results are shown.',
} as const;

function duration(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
