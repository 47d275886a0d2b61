import type { BaselineResult } from '../core/baseline.ts';
import type { Gate, ProblemOccurrence, Report } from '../core/report.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { escapeMarkup } from '../core/text/escape-markdown.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { alertText } from '../report-model/alert-text.ts';
import { correctedShareTexts } from '../report-model/corrected-share.ts';
import { incompleteCause } from '../report-model/incomplete-run.ts';
import { uncalibratedText } from '../report-model/uncalibrated-judges.ts';
import { runSummary } from '../runs/nothing-new.ts';
import type { ReportWriter } from './report-writer.ts';
import { isIgnoredByGit } from './repository-file.ts';
import { type SessionSummary, sessionSummaries } from './terminal/session-summary.ts';

/** What hosts accept as a comment on a pull request, in UTF-8 bytes: GitHub takes 65,536 characters. */
const MAX_BYTES = 60_000;
/** Kept for the line that says how many sessions are left out. */
const RESERVE = 200;
/** Limits of what is listed of one session, and in a section of the head. */
const PROBLEMS = 5;
const ITEMS = 20;
const TASKS = 20;

const MARKS = { failed: '❌', undecided: '❔', passed: '✅' } as const;

/** The report as a comment on a pull request: the verdict, what changed against the baseline, the gates, and the worst sessions. */
export const markdownReport: ReportWriter = {
  name: 'markdown',
  title: 'the report as a comment on a pull request',
  extension: '.md',
  mediaType: 'text/markdown',
  write: (report) => markdownText(report, MAX_BYTES),
};

/** @param maxBytes in UTF-8; what does not fit is counted */
export function* markdownText(report: Report, maxBytes: number): Generator<string> {
  let bytes = 0;
  const head = [...headLines(report)];
  for (const [index, line] of head.entries()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes - RESERVE) {
      const left = head.slice(index).filter((one) => one.startsWith('- ')).length;
      yield `\n${pluralize(left, 'line')} left out: this report has at most ${maxBytes / 1000} kB.\n`;
      break;
    }
    yield `${line}\n`;
  }
  const sessions = sessionSummaries(report).filter(({ report: { headline } }) => LISTED.has(headline.kind));
  if (sessions.length === 0) return;
  yield '\n### Sessions\n\n';
  for (const [index, summary] of sessions.entries()) {
    const text = sessionText(summary);
    bytes += Buffer.byteLength(text);
    if (bytes > maxBytes - RESERVE) {
      yield `\n${pluralize(sessions.length - index, 'more session')} left out: this report has at most ${maxBytes / 1000} kB.\n`;
      return;
    }
    yield text;
  }
}

/** Sessions without problems are counted, and not listed. */
const LISTED: ReadonlySet<string> = new Set(['failed', 'undecided', 'problems']);

function* headLines(report: Report): Generator<string> {
  const { run, sessions, verdict, gates, undecided, baseline, alerts = [] } = report;
  const turns = sessions.reduce((sum, session) => sum + session.turns.length, 0);
  const judge = run.judge ? `${run.judge.provider}/${run.judge.model}` : 'rules only';
  const met = gates.filter((gate) => gate.met === true).length;
  const errors = report.problems.filter(({ severity }) => severity === 'error');
  const cause = incompleteCause(report);
  // With an error, the exit code is not that of the verdict.
  const mark = errors.length > 0 ? MARKS.failed : MARKS[verdict];
  yield `## ${mark} ${text(runSummary(report))}`;
  yield '';
  yield `${pluralize(turns, 'turn')} · ${text(judge)} · ${met} of ${pluralize(gates.length, 'gate')} met${cause ? ` · ${INCOMPLETE[cause]}` : ''}`;
  if (baseline) yield* section(`Against the baseline: ${baseline.answer}`, baselineItems(baseline));
  const open = gates.filter((gate) => gate.met !== true);
  const causes = undecided.filter(({ code }) => code !== 'gate');
  const uncalibrated = uncalibratedText(report);
  yield* section('Gates that are not met', [
    ...limited(open, gateText),
    ...(uncalibrated === null ? [] : [text(uncalibrated)]),
  ]);
  yield* section(
    'Judged shares, corrected by labels of people',
    correctedShareTexts(report).map(({ metric, text: share }) => `**${text(metric)}**: ${text(share)}`),
  );
  yield* section(
    'What leaves the run undecided',
    limited(causes, ({ reason }) => `${MARKS.undecided} ${text(reason)}`),
  );
  yield* section(
    'Alerts',
    limited(alerts, (alert) => text(alertText(alert))),
  );
  yield* section(
    'Not read',
    limited(errors, ({ file, line, message }) => `${file === '' ? '' : `${link(file, line)}: `}${text(message)}`),
  );
}

const INCOMPLETE = {
  stopped: 'stopped early',
  'parts-missing': 'parts are missing',
  'sessions-lost': 'not complete',
} as const;

/** What is worse or open, and the tasks that fell. */
function baselineItems({ gates, tasks, undecided, flaky }: BaselineResult): string[] {
  const more = tasks.length - TASKS;
  return [
    ...undecided.map(text),
    ...gates
      .filter(({ answer }) => answer !== 'not worse')
      .map(({ name, answer, reason }) => `${MARKS[ANSWERS[answer]]} **${text(name)}**: ${text(reason)}`),
    ...tasks.slice(0, TASKS).map(({ task, gate, finding, before, after }) => {
      return `${finding}: **${text(task)}**: ${text(gate)} ${before[0]} of ${before[1]} before, ${after[0]} of ${after[1]} now`;
    }),
    ...(more > 0 ? [`and ${pluralize(more, 'more task')}`] : []),
    ...(flaky.length > 0 ? [`${pluralize(flaky.length, 'task')} flaky before, so they count less`] : []),
  ];
}

const ANSWERS = { worse: 'failed', undecided: 'undecided', 'not worse': 'passed' } as const;

function* section(title: string, items: readonly string[]): Generator<string> {
  if (items.length === 0) return;
  yield '';
  yield `### ${title}`;
  yield '';
  for (const item of items) yield `- ${item}`;
}

/** The first items, and how many more there are. */
function limited<Item>(items: readonly Item[], describe: (item: Item) => string): string[] {
  const more = items.length - ITEMS;
  return [...items.slice(0, ITEMS).map(describe), ...(more > 0 ? [`and ${more} more`] : [])];
}

function gateText({ subject, metric, met, reason }: Gate): string {
  const name = subject === null ? metric : `${metric} of ${subject}`;
  return `${met === null ? MARKS.undecided : MARKS.failed} **${text(name)}**: ${text(reason)}`;
}

function sessionText({ report: { id, source, scenario, headline }, problems }: SessionSummary): string {
  const more = problems.length - PROBLEMS;
  const lines = [
    `- **${text(id)}** ${text(headline.text)} · ${scenario ? link(scenario.file, scenario.line) : link(source.file, null)}`,
    ...problems.slice(0, PROBLEMS).map((problem) => `  - ${problemText(problem)}`),
    ...(more > 0 ? [`  - and ${more} more`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function problemText({ turn, severity, rule, metric, label, reason, file, line }: ProblemOccurrence): string {
  return `${severity} · turn ${turn + 1} · ${text(rule ?? metric ?? label)} · ${link(file, line)}: ${text(reason)}`;
}

/** Relative to the folder in which Turnwise ran. What git ignores is no link. */
function link(file: string, line: number | null): string {
  const path = sanitizeLine(file);
  const address = encodeURI(path).replace(/[()#?]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  const at = line === null ? '' : `:${line}`;
  if (isIgnoredByGit(path)) return `${text(path)}${at}`;
  return `[${text(path)}${at}](${address}${line === null ? '' : `#L${line}`})`;
}

/** Text of a trace: it is shown as it is, and is no markup. */
function text(line: string): string {
  return escapeMarkup(sanitizeLine(line));
}
