import type { UnmetExpectation } from '../core/expectations.ts';
import type { Report, ResultsByMetric, SessionReport } from '../core/report.ts';
import { escapeInvisible } from '../core/sanitize.ts';
import { unmetExpectationsSchema } from '../core/schemas/unmet-expectation.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { agentToolCalls, type Session, type Turn } from '../core/session.ts';
import type { RunRecord } from '../runs/run-store.ts';
import type { ReportWriter } from './report-writer.ts';

/**
 * The results of scenarios as Agentest writes them to `.agentest/results.json`. They have the conversations too, which no
 * report has.
 *
 * @param made by id; complete when the report is written. Absent: those of the record.
 */
export function agentestReport(made?: ReadonlyMap<string, Session>): ReportWriter {
  return {
    name: 'agentest',
    title: 'the results of scenarios as Agentest writes them',
    extension: '.json',
    mediaType: 'application/json',
    async *write(report, { record = null }) {
      if (report.scenarios.length === 0) throw new Error(NO_SCENARIO);
      const sessions = made ?? (await readTranscripts(record));
      if (!made && sessions.size < report.sessions.length) throw new Error(NO_TRANSCRIPT);
      yield `${escapeInvisible(JSON.stringify(toAgentest(report, sessions), redactJsonValue, 2))}\n`;
    },
  };
}

/** Of the record, for commands that make no attempts. */
export const recordedAgentestReport = agentestReport();

const NO_SCENARIO =
  'The report "agentest" has scenarios, and no session of this run has a task. Declare tasks with --task-by.';
const NO_TRANSCRIPT =
  'The report "agentest" has the conversations, and this run was recorded without them. Record runs with --with-transcripts.';

async function readTranscripts(record: Pick<RunRecord, 'transcripts'> | null): Promise<ReadonlyMap<string, Session>> {
  const sessions = new Map<string, Session>();
  if (record) for await (const session of record.transcripts()) sessions.set(session.id, session);
  return sessions;
}

function toAgentest(report: Report, sessions: ReadonlyMap<string, Session>) {
  if (report.agents) return toComparison(report, report.agents, sessions);
  const scenarios = scenariosOf(report, report.sessions, sessions);
  return {
    summary: { passed: report.verdict === 'passed', totalScenarios: scenarios.length, ...countPassed(scenarios) },
    scenarios,
  };
}

/** What Agentest writes where its configuration has agents to `compare`. */
function toComparison(
  report: Report,
  { base, others }: NonNullable<Report['agents']>,
  sessions: ReadonlyMap<string, Session>,
) {
  const agents = [base, ...others.map(({ agent }) => agent)];
  const results = agents.map((agent) => {
    const own = report.sessions.filter(({ task }) => task?.agent === agent);
    return { agent, scenarios: scenariosOf(report, own, sessions) };
  });
  const perAgent = results.map(({ agent, scenarios }) => {
    return [agent, { passed: scenarios.every(({ passed }) => passed), ...countPassed(scenarios) }] as const;
  });
  const names = new Set(report.sessions.map(scenarioName));
  return {
    mode: 'comparison',
    agents,
    summary: { passed: report.verdict === 'passed', perAgent: Object.fromEntries(perAgent) },
    scenarios: Array.from(names, (name) => ({
      name,
      agents: results.flatMap(({ agent, scenarios }) =>
        scenarios.flatMap((scenario) => (scenario.name === name ? [{ agent, ...scenario }] : [])),
      ),
    })),
  };
}

function scenariosOf(report: Report, attempts: readonly SessionReport[], sessions: ReadonlyMap<string, Session>) {
  return Array.from(Map.groupBy(attempts, scenarioName), ([name, own]) => ({
    name,
    passed: own.every(({ verdict }) => verdict === 'passed'),
    conversations: own.map((attempt) => conversationOf(attempt, sessions.get(attempt.id))),
    errors: errorsOf(report, new Set(own.map(({ id }) => id))),
  }));
}

function scenarioName({ id, task }: SessionReport): string {
  return task?.id ?? id;
}

function countPassed(scenarios: readonly { readonly passed: boolean }[]) {
  const passedScenarios = scenarios.filter(({ passed }) => passed).length;
  return { passedScenarios, failedScenarios: scenarios.length - passedScenarios };
}

function conversationOf({ id, metrics, turns }: SessionReport, session: Session | undefined) {
  const isError = session?.ending !== undefined && /error$/.test(session.ending.cause);
  const recorded = session?.turns ?? [];
  const perTurn = recorded.flatMap(({ reference }, turnIndex) => {
    const trajectory = trajectoryOf(turns[turnIndex]?.metrics ?? {}, 'turn_expectations', reference?.expectations);
    return trajectory ? [{ turnIndex, ...trajectory }] : [];
  });
  return {
    conversationId: id,
    error: isError ? session.ending.reason : null,
    turns: recorded.map((turn, turnIndex) => ({
      turnIndex,
      userMessage: turn.input ?? '',
      agentMessage: turn.output ?? '',
      toolCalls: toolCallsOf(turn, turnIndex),
    })),
    evaluation: {
      turnEvaluations: turns.map((turn, turnIndex) => ({ turnIndex, metrics: judgedResults(turn.metrics) })),
      goalCompletion: judgedResults(metrics).goal_completion ?? null,
    },
    trajectory: trajectoryOf(metrics, 'session_expectations', session?.reference?.expectations),
    perTurnTrajectory: perTurn.length === 0 ? null : perTurn,
  };
}

function toolCallsOf(turn: Turn, turnIndex: number) {
  return agentToolCalls(turn).map(({ name, arguments: args, result, error }) => ({
    name,
    args,
    result: error === undefined ? (result ?? null) : { error },
    turnIndex,
  }));
}

/** What a model said: Agentest has no other scores. */
function judgedResults(
  metrics: ResultsByMetric,
): Record<string, { readonly value: number | string; readonly reason: string }> {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, { status, source, score, label, reason }]) => {
      const value = label ?? score;
      const isJudged = status === 'scored' && source === 'judge';
      return isJudged && value !== null ? [[name, { value, reason: reason ?? '' }] as const] : [];
    }),
  );
}

/** Whether the calls were the expected ones; null where none are expected. */
function trajectoryOf(
  metrics: ResultsByMetric,
  metric: 'session_expectations' | 'turn_expectations',
  expectations: NonNullable<Session['reference']>['expectations'],
) {
  const result = metrics[metric];
  const { toolCalls } = expectations ?? {};
  if (!toolCalls || result?.status !== 'scored') return null;
  const parsed = unmetExpectationsSchema.safeParse(result.metadata?.unmet);
  const unmet: readonly UnmetExpectation[] = parsed.success ? parsed.data : [];
  const of = (...kinds: readonly UnmetExpectation['kind'][]) => unmet.filter(({ kind }) => kinds.includes(kind));
  const calls = of('missing-call', 'arguments', 'order', 'extra-call', 'forbidden-call');
  const { matchMode = 'strict' } = toolCalls;
  return {
    matched: calls.length === 0,
    ...(calls.length === 0 ? {} : { failureLabel: `${matchMode} match failed` }),
    reason: calls.length === 0 ? 'All expected tool calls were made.' : calls.map(({ reason }) => reason).join(' '),
    missingCalls: of('missing-call', 'arguments').flatMap(
      ({ expectedCall }) => (expectedCall === undefined ? undefined : toolCalls.expected[expectedCall]?.name) ?? [],
    ),
    extraCalls: of('extra-call').flatMap(({ actual }) => toolName(actual)),
    orderingIssues: of('order').map(({ reason }) => reason),
    forbiddenCalls: of('forbidden-call').flatMap(({ actual }) => toolName(actual)),
  };
}

/** Of `refund_order {"amount":40}`. */
function toolName(call: string | null): string[] {
  return call === null ? [] : [call.split(' ', 1)[0] ?? call];
}

function errorsOf({ failures }: Report, attempts: ReadonlySet<string>) {
  return failures.flatMap(({ title, severity, explanation, occurrences }) => {
    const own = occurrences.filter(({ session }) => attempts.has(session));
    if (own.length === 0) return [];
    return [{ label: title, severity, explanation, occurrences: own.map(({ session, turn }) => `${session}:${turn}`) }];
  });
}
