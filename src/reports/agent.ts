import type { Report, SessionReport } from '../core/report.ts';
import { estimateTokens } from '../core/text/estimate-tokens.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { type FailureLines, failureLines } from './agent-failures.ts';
import {
  DATA_NOTE,
  fitLines,
  isPlainPath,
  linePage,
  MAX_TOKENS,
  problemText,
  runProblems,
  sessionText,
  verdictText,
} from './agent-text.ts';
import type { ReportWriter } from './report-writer.ts';
import { type SessionSummary, sessionSummaries } from './terminal/session-summary.ts';

/** Of a session: it takes at most 400 tokens with them. */
const PROBLEMS = 3;
/** Of the run, before its sessions. */
const RUN_PROBLEMS = 5;
/** For the last line. */
const LAST_LINE_TOKENS = 40;

/**
 * The report for a coding agent: the verdict with "of how many", each failed session with the lines that prove it, and the command
 * that shows more. As long as an answer of the tools in `src/agent-tools`, and in the same words.
 */
export const agentReport: ReportWriter = {
  name: 'agent',
  title: 'the report for a coding agent, in few words',
  extension: '.txt',
  mediaType: 'text/plain',
  *write(report, { from, runReference = null }) {
    for (const line of from === undefined ? lines(report, runReference) : pageLines(report, from, runReference)) {
      yield `${line}\n`;
    }
  },
};

/** What is wrong in the run, from a line on, as `find_failures` lists it. */
function* pageLines(report: Report, from: number, run: string | null): Generator<string> {
  const first = `turnwise: ${verdictText(report)}`;
  yield first;
  const { items } = allLines(report);
  if (from > items.length) {
    yield `${pluralize(items.length, 'line')}, none from line ${from}.`;
    return;
  }
  yield DATA_NOTE;
  const room = MAX_TOKENS - estimateTokens(`${first}\n${DATA_NOTE}\n`) - LAST_LINE_TOKENS;
  const { lines, last, range } = linePage(items, room, from - 1);
  yield* lines;
  yield last === items.length ? `${range}, the end.` : `${range}. For more: ${continuation(run, last)}`;
}

function allLines(report: Report): FailureLines {
  const sessions = report.sessions.map((session, index) => ({
    number: index + 1,
    report: session,
    file: session.source.file,
  }));
  return failureLines(report, sessions, { severity: 'low', only: null, shownFile: String });
}

/** The command for what follows. @param before how many lines are before it */
function continuation(run: string | null, before: number): string {
  return run === null
    ? '--report jsonl=FILE has all of them.'
    : `turnwise report ${run} --to agent --from ${before + 1}`;
}

function* lines(report: Report, run: string | null): Generator<string> {
  const first = `turnwise: ${verdictText(report)}`;
  yield first;
  const listed = sessionSummaries(report).filter(({ report: { headline } }) => LISTED.has(headline.kind));
  const ofRun = runProblems(report);
  if (listed.length === 0 && ofRun.length === 0) return;
  yield DATA_NOTE;
  const left = MAX_TOKENS - estimateTokens(`${first}\n${DATA_NOTE}\n`) - LAST_LINE_TOKENS;
  const shownOfRun = ofRun.slice(0, RUN_PROBLEMS).map((line) => line());
  yield* shownOfRun;
  const sessionsOf = Map.groupBy(report.sessions, ({ source }) => source.file);
  const sessions = listed.map((summary) => () => {
    const isAlone = sessionsOf.get(summary.report.source.file)?.length === 1;
    return sessionLines(summary, isAlone).join('\n');
  });
  const shown = fitLines(sessions, left - estimateTokens(shownOfRun.join('\n')));
  yield* shown;
  const more = [
    ...(shown.length === listed.length ? [] : [pluralize(listed.length - shown.length, 'more session')]),
    ...(ofRun.length > shownOfRun.length ? [`${ofRun.length - shownOfRun.length} more about the run`] : []),
  ];
  if (more.length === 0) return;
  const next = listed[shown.length];
  const before =
    ofRun.length > shownOfRun.length ? shownOfRun.length : (allLines(report).starts.get(next?.report.id ?? '') ?? 0);
  yield `and ${more.join(' and ')}: ${continuation(run, before)}`;
}

const LISTED: ReadonlySet<string> = new Set(['failed', 'undecided']);

function sessionLines({ report, problems }: SessionSummary, isAlone: boolean): string[] {
  const more = problems.length - PROBLEMS;
  const rest = more > 0 ? `${more} more, ` : '';
  return [
    sessionText(report),
    ...problems.slice(0, PROBLEMS).map((problem) => `  ${problemText(problem)}`),
    `  ${rest}all of it: ${evalCommand(report, isAlone)}`,
  ];
}

/** Agents run what they read: a file name that a shell would interpret is not in a command. */
function evalCommand({ id, source: { file } }: SessionReport, isAlone: boolean): string {
  if (!isPlainPath(file)) return 'turnwise eval with this file and --verbose';
  return `turnwise eval ${file}${isAlone || !isPlainPath(id) ? '' : ` --session ${id}`} --verbose`;
}
