import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import { isObject } from '../../src/core/json.ts';
import type { Report } from '../../src/core/report.ts';
import type { Session } from '../../src/core/session.ts';
import { turnwise } from '../../src/formats/turnwise.ts';
import { evaluate } from '../../src/index.ts';
import { findingsBySession, NO_FINDINGS } from '../../src/report-model/session-findings.ts';
import { replayAgent } from '../../src/scenarios/agents/replay.ts';
import { runAttempt } from '../../src/scenarios/attempt.ts';
import { AttemptContext } from '../../src/scenarios/attempt-context.ts';
import { mocksFromData } from '../../src/scenarios/data-mocks.ts';
import { describeDataScenario, readDataScenarios } from '../../src/scenarios/data-scenarios.ts';
import { checkScenarios } from '../../src/scenarios/open-scenario-process.ts';
import type { ReportedSession } from '../../src/scenarios/scenario-from-session.ts';
import { sessionFileText } from '../../src/scenarios/session-file.ts';
import { scriptedUser } from '../../src/scenarios/user.ts';

/** The sessions of files with their problems, found by the rules. */
export async function evaluatedSessions(paths: readonly string[]): Promise<ReportedSession[]> {
  const { report, sessions } = await evaluateFiles(paths, {});
  return sessions.map((session) => evaluatedSession(session, report));
}

export function evaluatedSession(session: Session, report: Report): ReportedSession {
  const found = findingsBySession(report).get(session.id) ?? NO_FINDINGS;
  const outcome = report.sessions.find(({ id }) => id === session.id)?.outcome;
  return { session, found, outcome: outcome ?? { status: 'unknown', reason: '' } };
}

/** Runs a scenario on the recorded answers of a session, in this process, and evaluates the session file that results. */
export async function replayScenario(text: string, recording: Session): Promise<Report> {
  const { scenarios: written, issues } = await readDataScenarios('made.scenario.yaml', text);
  const checked = checkScenarios(written.map(describeDataScenario));
  const [scenario] = checked.scenarios;
  const [own] = written;
  if (!scenario || !own) throw new Error([...issues, ...checked.issues].map(({ message }) => message).join('\n'));
  const options = mocksFromData(own.options);
  const context = new AttemptContext({
    scenarioName: scenario.name,
    conversationId: 'replayed',
    mocks: isObject(options) ? options.mocks : undefined,
    unmockedTools: 'error',
  });
  const agent = replayAgent('recorded', recording);
  const conversation = await runAttempt(
    {
      scenario,
      user: scriptedUser(scenario.turns ?? []),
      code: {
        resolveTool: (name, args, { turnIndex }) => context.answer(name, args, turnIndex),
        callHandler: () => Promise.reject(new Error('A replayed scenario has no handler.')),
        finalState: () => context.finalState(),
        output: () => '',
        [Symbol.dispose]() {},
      },
      agent,
      unmockedTools: 'error',
      now: Date.now,
    },
    new AbortController().signal,
  );
  if (conversation.failure) throw new Error(conversation.failure.reason);
  const identity = { id: 'replayed', scenario, trial: 1, agent: 'recorded' };
  const value: unknown = JSON.parse(sessionFileText(identity, conversation, agent.facts));
  const { sessions, problems } = turnwise.read({ file: 'replayed.session.json', value, lines: false });
  const [problem] = problems;
  if (problem) throw new Error(problem.message);
  return evaluate(sessions, { metrics: ['turn_expectations', 'session_expectations'] });
}
