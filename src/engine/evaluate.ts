import type { Configuration } from '../config/schema.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { createYielder } from '../core/async/yielding.ts';
import type { Finding } from '../core/finding.ts';
import type { Problem } from '../core/problem.ts';
import type { Report, ResultsByMetric, SessionReport, SuppressedFinding, TurnReport } from '../core/report.ts';
import type { Session } from '../core/session.ts';
import { turnFile } from '../core/session.ts';
import { verdictOf } from '../core/verdict.ts';
import type { Embedder } from '../embed/embedder.ts';
import { METRICS } from '../metrics/index.ts';
import type { Metric } from '../metrics/metric.ts';
import { activeRules, findRule, isSameRule, runRules } from '../rules/index.ts';
import { toolNameMatcher } from '../rules/shared/tool-effect.ts';
import { type AgentProblem, collectProblems, hasConfiguredLevel, type ProblemScope } from './agent-problems.ts';
import type { RunEvent } from './events.ts';
import { evaluateSessionGates, hasRecordedTurns } from './gates.ts';
import { type Judges, totalUsage } from './judges.ts';
import { type LineLookup, lineResolver, resolveTurnLines } from './locations.ts';
import { MissingResults } from './missing-results.ts';
import { collectObservations } from './observations.ts';
import { planMetrics } from './plan.ts';
import { type AgentProblemGroup, groupProblems, toFailureGroup } from './problem-groups.ts';
import { mergeByRootCause } from './root-cause-merging.ts';
import { createSessionEvaluator, type SessionResults } from './session-evaluation.ts';
import { summarizeRun } from './summary.ts';
import { applySuppressions, unusedSuppressions } from './suppression.ts';
import type { GateThreshold } from './threshold.ts';
import { configuredThresholds } from './thresholds.ts';
import { interruptionWarning, missingResultWarnings, undecidedEntries } from './undecided.ts';

export interface EvaluationInput {
  /** Their ids are unique. */
  readonly sessions: readonly Session[];
  readonly configuration: Configuration;
  /** Those that there are, the configuration's own among them; by default those of this version. */
  readonly metrics?: readonly Metric[];
  readonly judges: Judges;
  readonly embedder: Embedder | null;
  readonly locateLines: LineLookup;
  /** What reading the sessions had to say. */
  readonly problems: readonly Problem[];
  readonly version: string;
  readonly agentVersion?: string;
  /** Only this turn of each session, zero-based; the others remain its context. */
  readonly turn?: number;
  /** Which k of pass@k and pass^k; by default 1 to the smallest number of attempts. */
  readonly k?: readonly number[];
  /** `verdict` or a metric; by default an imported outcome, else the verdict. */
  readonly correctBy?: string;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** Sessions of which questions wait for a model at the same time: enough to keep it busy where they are short. */
const MAX_CONCURRENT_SESSIONS = 8;

interface EvaluatedSessionState {
  readonly report: SessionReport;
  readonly results: SessionResults;
  readonly failures: readonly AgentProblem[];
  readonly gates: Report['gates'];
  readonly suppressed: readonly SuppressedFinding[];
  /** Of acceptances that accept nothing. */
  readonly unusedSuppressions: readonly Problem[];
}

/** Plans, runs, aggregates and gates. Never rejects for what the sessions hold; aborting gives an incomplete report. */
export async function evaluateSessions(input: EvaluationInput): Promise<Report> {
  const { sessions, configuration, signal, onEvent } = input;
  const startedAt = new Date();
  const plan = planMetrics(input.metrics ?? METRICS, configuration);
  const thresholds = configuredThresholds(configuration, plan);
  const rules = configuration.judge.provider === 'none' ? [] : activeRules(configuration.rules);
  const { judges, embedder } = input;
  // What is computed here takes its turn; what is asked of a model elsewhere is asked side by side.
  const asks =
    judges.defaultJudge !== null || judges.byMetric.size > 0 || (embedder !== null && embedder.provider !== 'lexical');
  const pause = createYielder();
  const evaluator = createSessionEvaluator({
    plan,
    judges,
    embedder,
    maxConcurrentTurns: asks ? 2 * configuration.judge.concurrency : 1,
    ruleCount: rules.length,
    signal,
    yieldIfDue: pause,
  });
  const lines = resolveTurnLines(sessions, input.locateLines);
  const of = sessions.reduce(
    (sum, { turns }) => sum + (input.turn === undefined ? turns.length : Number(input.turn < turns.length)),
    0,
  );
  let done = 0;
  onEvent?.({ type: 'started', sessions: sessions.length, turns: of });

  const evaluated: (EvaluatedSessionState | undefined)[] = [];
  const isOff = (id: string) => findRule(id) !== undefined && !rules.some((rule) => isSameRule(rule.id, id));
  await mapConcurrent(sessions.entries(), asks ? MAX_CONCURRENT_SESSIONS : 1, async ([at, session]) => {
    if (signal.aborted) return;
    const all = await checkSession(session, input, pause);
    if (!all) return;
    const { findings, suppressed } = applySuppressions(session, all);
    const idle = input.turn === undefined ? unusedSuppressions(session, all, isOff) : [];
    const turns: TurnReport[] = [];
    const findingsOfTurn = Map.groupBy(findings, ({ turn }) => turn);
    const results = await evaluator.evaluate(session, findings, input.turn, (index, metrics) => {
      const turn = session.turns[index];
      if (!turn) return;
      const file = turnFile(session, turn);
      const report: TurnReport = {
        id: turn.id,
        index,
        pointer: turn.pointer,
        line: lines.get(file)?.get(turn.pointer) ?? null,
        ...(file === session.source.file ? {} : { file }),
        metrics,
      };
      turns.push(report);
      done += 1;
      if (!onEvent) return;
      const found = turnScope(session, index, findingsOfTurn.get(index) ?? [], metrics);
      onEvent({
        type: 'turn',
        session: session.id,
        turn: report,
        failures: groupProblems(collectProblems(found, configuration)).map(toFailureGroup),
        observations: collectObservations(session.id, found),
        done,
        of,
      });
    });
    const failures = collectProblems({ ...results, turns: results.turns.entries() }, configuration);
    const gated = evaluateSessionGates(results, failures, thresholds, configuration);
    // Answers land in any order.
    turns.sort((a, b) => a.index - b.index);
    const report = toSessionReport(results, turns, gated);
    evaluated[at] = { report, results, failures, gates: gated.gates, suppressed, unusedSuppressions: idle };
    onEvent?.({ type: 'session', session: report, gates: gated.gates });
  });
  const settled = evaluated.flatMap((one) => one ?? []);
  const alike = groupProblems(settled.flatMap(({ failures }) => failures));
  const { groups, problems: ungrouped } = await mergeByRootCause(alike, judges.defaultJudge);
  const finished = groups === alike ? settled : regateSessions(settled, groups, thresholds, configuration);
  const accepted = finished.flatMap(({ suppressed }) => suppressed);
  const idle = finished.flatMap((session) => session.unusedSuppressions);

  const complete = !signal.aborted;
  const ofSeveral = new MissingResults();
  const summary = summarizeRun(finished, plan, thresholds, configuration, input, ofSeveral);
  const failures = groups.map(toFailureGroup);
  const observations = finished.flatMap(({ report, results }) => collectObservations(report.id, results));
  const occurrences = failures.flatMap((group) => group.occurrences);
  const withLine = lineResolver([...occurrences, ...observations, ...accepted], input.locateLines);
  const gates = [...summary.gates, ...finished.flatMap((session) => session.gates)];
  const missing = finished.map(({ results }) => ({ file: results.session.source.file, missing: results.missing }));
  const undecided = undecidedEntries({
    missing: [...missing.flatMap((one) => one.missing), ...ofSeveral.list()],
    gates,
    sessions: sessions.length,
    finished: finished.length,
    complete,
    isRecorded: finished.some(({ results }) => hasRecordedTurns(results.session)),
  });
  return {
    schemaVersion: 1,
    tool: { name: 'turnwise', version: input.version },
    run: {
      id: createRunId(startedAt),
      startedAt: startedAt.toISOString(),
      durationMs: Date.now() - startedAt.getTime(),
      complete,
      agentVersion: input.agentVersion ?? null,
      judge: judges.defaultJudge && { provider: judges.defaultJudge.provider, model: judges.defaultJudge.model },
      embedder: input.embedder && { provider: input.embedder.provider, model: input.embedder.model },
      questionsPerCall: judges.defaultJudge?.questionsPerCall ?? 1,
      usage: {
        ...totalUsage(judges),
        embeddedTexts: evaluator.usage.embeddedTexts,
      },
    },
    verdict: verdictOf([...gates.map((gate) => gate.met), ...undecided.map(() => null)]),
    undecided,
    metrics: summary.metrics,
    gates,
    sessions: finished.map((session) => session.report),
    scenarios: summary.scenarios,
    attempts: summary.attempts,
    failures: failures.map((group) => ({ ...group, occurrences: group.occurrences.map(withLine) })),
    observations: observations.map(withLine),
    suppressed: accepted.map(withLine),
    problems: [
      ...input.problems,
      ...idle,
      ...missingResultWarnings([...missing, { file: '', missing: ofSeveral.list() }]),
      ...ungrouped,
      ...interruptionWarning(sessions, finished.length, missing),
    ],
  };
}

/** Who groups the failures of a run can find some of them worse than the gates of their sessions knew. */
function regateSessions(
  sessions: readonly EvaluatedSessionState[],
  groups: readonly AgentProblemGroup[],
  thresholds: readonly GateThreshold[],
  configuration: Configuration,
): EvaluatedSessionState[] {
  const bySession = Map.groupBy(
    groups.flatMap((group) => group.problems),
    ({ occurrence }) => occurrence.session,
  );
  return sessions.map((one) => {
    const failures = bySession.get(one.report.id) ?? [];
    const gated = evaluateSessionGates(one.results, failures, thresholds, configuration);
    return { ...one, report: toSessionReport(one.results, one.report.turns, gated), gates: gated.gates };
  });
}

/** Null when the run was stopped before all rules had looked. */
async function checkSession(
  session: Session,
  { configuration, turn, signal }: Pick<EvaluationInput, 'configuration' | 'turn' | 'signal'>,
  pause: () => Promise<void> | undefined,
): Promise<readonly Finding[] | null> {
  const { judge, rules, stateChangingTools } = configuration;
  if (judge.provider === 'none') return [];
  const looking = runRules(session, { settings: rules, changesState: toolNameMatcher(stateChangingTools) });
  for (;;) {
    const { done, value } = looking.next();
    if (done) {
      return value
        .filter((finding) => turn === undefined || finding.turn === turn)
        .map((finding) => withConfiguredSeverity(finding, configuration));
    }
    await pause();
    if (signal.aborted) return null;
  }
}

/** A level that is configured for the rule stands; else one that is configured for its label. */
function withConfiguredSeverity(finding: Finding, { rules, severities }: Configuration): Finding {
  if (finding.label === null || hasConfiguredLevel(finding.rule, rules)) return finding;
  return {
    ...finding,
    severity: (Object.hasOwn(severities, finding.label) ? severities[finding.label] : undefined) ?? finding.severity,
  };
}

/** What is known of a session as if this turn were all of it. */
function turnScope(
  session: Session,
  index: number,
  findings: readonly Finding[],
  metrics: ResultsByMetric,
): ProblemScope {
  return { session, findings, turns: [[index, metrics]] };
}

function toSessionReport(
  { session, metrics }: SessionResults,
  turns: readonly TurnReport[],
  { verdict, undecided }: Pick<ReturnType<typeof evaluateSessionGates>, 'verdict' | 'undecided'>,
): SessionReport {
  const { id, source, task } = session;
  return {
    id,
    source,
    task: task
      ? { id: task.id, trial: task.trial ?? null, dataset: task.dataset ?? null, agent: task.agent ?? null }
      : null,
    verdict,
    ...(undecided.length > 0 ? { undecided } : {}),
    metrics,
    turns,
  };
}

/** Sorts by time and is unique on one machine. */
function createRunId(startedAt: Date): string {
  return `${startedAt.toISOString().replace(/[-:.]/g, '')}-${globalThis.crypto.randomUUID().slice(0, 8)}`;
}
