import type { Report, SessionReport } from '../core/report.ts';
import { estimateTokens } from '../core/text/estimate-tokens.ts';
import { pluralize } from '../core/text/pluralize.ts';
import {
  DATA_NOTE,
  fitLines,
  isPlainPath,
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
  *write(report) {
    for (const line of lines(report)) yield `${line}\n`;
  },
};

function* lines(report: Report): Generator<string> {
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
  if (more.length > 0) yield `and ${more.join(' and ')}: --report jsonl=FILE has all of them.`;
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
