import * as z from 'zod';
import type { ProblemOccurrence } from '../core/report.ts';
import { isAtLeast, SEVERITIES, type Severity } from '../core/severity.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { problemText, runProblems, sessionText, verdictText } from '../reports/agent-text.ts';
import { sessionSummaries } from '../reports/terminal/session-summary.ts';
import { findSession, type ProjectRun, type SessionOfRun } from './project-runs.ts';
import { type AgentToolAnswer, defineTool, RUN_ARG, SESSION_ARG } from './tool.ts';

export const findFailures = defineTool({
  name: 'find_failures',
  title: 'Find Failures',
  description:
    'Lists what is wrong in a run: failed and undecided sessions, the worst first, and each problem with file:line, turn, severity, rule and reason. Session numbers in the answer are arguments of get_turn and explain_score.',
  args: {
    run: RUN_ARG,
    session: SESSION_ARG,
    severity: z.enum(SEVERITIES).default('low').describe('Only problems of this severity or above (default "low").'),
  },
  async answer({ run: reference, session, severity }, { runs }) {
    const run = await runs.open(reference);
    const only = session === undefined ? null : findSession(run, session);
    return failuresAnswer(run, { severity, only });
  },
});

interface FailureFilter {
  readonly severity: Severity;
  /** Null: all sessions. */
  readonly only: SessionOfRun | null;
}

/** What is wrong in a run. */
export function failuresAnswer(run: ProjectRun, { severity, only }: FailureFilter, intro = ''): AgentToolAnswer {
  const { report, reference } = run;
  const numbered = new Map(run.sessions.map((session) => [session.report.id, session]));
  const items = only ? [] : runProblems(report, run.shownFile);
  let sessions = 0;
  let problems = 0;
  for (const { report: summary, problems: found } of sessionSummaries(report)) {
    const session = numbered.get(summary.id);
    if (!session || (only && session !== only)) continue;
    const shown = found.filter((problem) => isAtLeast(problem.severity, severity));
    if (shown.length === 0 && !(only || NOT_PASSED.has(summary.headline.kind))) continue;
    sessions += 1;
    problems += shown.length;
    items.push(() => `session ${session.number}, ${sessionText(summary, session.file)} (${countText(session, found)})`);
    for (const problem of shown) items.push(() => `session ${session.number}: ${problemLine(problem, run)}`);
  }
  const level = severity === 'low' ? '' : ` of severity ${severity} or above`;
  return {
    head: `${intro}run ${reference}: ${verdictText(report)} Here: ${pluralize(problems, 'problem')}${level} in ${sessions} of ${pluralize(report.sessions.length, 'session')}.`,
    items,
    nothing: `No session failed or is undecided, and no problem${level} was found.`,
    key: [reference, only?.number ?? null, severity],
    again: { run: reference },
    nextTool: 'find_failures',
  };
}

const NOT_PASSED: ReadonlySet<string> = new Set(['failed', 'undecided']);

function problemLine(problem: ProblemOccurrence, run: ProjectRun): string {
  return problemText(problem, run.shownFile(problem.file));
}

function countText({ report }: SessionOfRun, problems: readonly ProblemOccurrence[]): string {
  const turns = new Set(problems.map(({ turn }) => turn)).size;
  return `${pluralize(problems.length, 'problem')} in ${turns} of ${pluralize(report.turns.length, 'turn')}`;
}
