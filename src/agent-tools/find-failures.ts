import * as z from 'zod';
import { SEVERITIES, type Severity } from '../core/severity.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { failureLines } from '../reports/agent-failures.ts';
import { verdictText } from '../reports/agent-text.ts';
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
  const { report, reference, shownFile } = run;
  const { items, starts, problems } = failureLines(report, run.sessions, { severity, only, shownFile });
  const level = severity === 'low' ? '' : ` of severity ${severity} or above`;
  return {
    head: `${intro}run ${reference}: ${verdictText(report)} Here: ${pluralize(problems, 'problem')}${level} in ${starts.size} of ${pluralize(report.sessions.length, 'session')}.`,
    items,
    nothing: `No session failed or is undecided, and no problem${level} was found.`,
    key: [reference, only?.number ?? null, severity],
    again: { run: reference },
    nextTool: 'find_failures',
  };
}
