import { memoizeWeak } from '../core/cache/memoize.ts';
import type { Finding } from '../core/finding.ts';
import { feedbackOutcome, recordedOutcome } from '../core/recorded-outcome.ts';
import type { FailureGroup, Observation, ResultsByMetric, TurnReport } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import { type Pointer, type Session, turnFile } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { type Embedder, isLocalEmbedder } from '../embed/embedder.ts';
import type { Metric } from '../metrics/metric.ts';
import { endedInError } from '../metrics/shared/expectation-outcome.ts';
import { sessionFacts } from '../metrics/shared/session-facts.ts';
import { taskWords } from '../metrics/shared/task-words.ts';
import { decideOutcome } from '../report-model/agent-outcome.ts';
import { activeRules, findRule, isSameRule, RULES, runRules } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import { toolNameMatcher } from '../rules/shared/tool-effect.ts';
import { collectObservations, collectProblems, goalProblem, hasConfiguredLevel } from './agent-problems.ts';
import { expectationProblems } from './expectations.ts';
import { hasRecordedTurns, isTestCase } from './gates.ts';
import type { Judges } from './judges.ts';
import type { EvidenceRange } from './locations.ts';
import { bindAllMetrics, type MetricPlan } from './plan.ts';
import { groupProblems, toFailureGroup } from './problem-groups.ts';
import { createSessionMetricsEvaluator } from './session-metrics.ts';
import { applySuppressions, attemptSuppressions, unusedSuppressions } from './suppression.ts';

/** The functions and models that a plan names. */
export interface RunBindings {
  /** All available metrics, including the configuration's own. */
  readonly metrics: readonly Metric[];
  /** All available rules; by default the built-in ones. */
  readonly rules?: readonly Rule[];
  readonly judges: Judges;
  readonly embedder: Embedder | null;
}

export interface SessionEvaluatorOptions extends RunBindings {
  readonly signal: AbortSignal;
  /** Awaited regularly, so that the event loop keeps running. */
  readonly yieldIfDue: () => Promise<void> | undefined;
}

/** An evaluated turn, with its problems as if it were the whole session. */
export interface EvaluatedTurn {
  readonly turn: TurnReport;
  /** Without lines. */
  failures(): FailureGroup[];
  observations(): Observation[];
}

/** Where turns begin, by file and pointer. */
export type LinesByFile = ReadonlyMap<string, ReadonlyMap<Pointer, Pick<EvidenceRange, 'line'>>>;

/**
 * Evaluates one session under a plan: rules, metrics, problems. Gates and verdicts are decided when the outcomes of all
 * sessions are reduced. Null when the run was aborted before all rules had run.
 */
export type EvaluateSession = (
  session: Session,
  lines: LinesByFile,
  onTurn?: (evaluated: EvaluatedTurn) => void,
) => Promise<SessionOutcome | null>;

/** Whether sessions wait for a model elsewhere, so that several are worth evaluating at once. */
export function usesRemoteModels({ judges, embedder }: Pick<RunBindings, 'judges' | 'embedder'>): boolean {
  return judges.defaultJudge !== null || judges.byMetric.size > 0 || (embedder !== null && !isLocalEmbedder(embedder));
}

export function createSessionEvaluator(plan: RunPlan, options: SessionEvaluatorOptions): EvaluateSession {
  const { metrics, rules = RULES, judges, embedder, signal, yieldIfDue } = options;
  const active = plan.rulesEnabled ? activeRules(plan.rules, rules) : [];
  const isOff = (id: string) =>
    findRule(id, rules) !== undefined && !active.some((rule) => isSameRule(rule.id, id) && !rule.checkAttempts);
  const plans = bindAllMetrics(plan, metrics);
  const evaluatorOf = memoizeWeak((metricPlan: MetricPlan) =>
    createSessionMetricsEvaluator({
      plan: metricPlan,
      judges,
      embedder,
      maxConcurrentTurns: usesRemoteModels(options) ? 2 * plan.concurrency : 1,
      ruleIds: active.filter((rule) => !rule.checkAttempts).map(({ id }) => id),
      risk: plan.risk ?? undefined,
      signal,
      yieldIfDue,
    }),
  );
  const only = plan.turn ?? undefined;
  const changesState = toolNameMatcher(plan.stateChangingTools);

  return async (session, lines, onTurn) => {
    const all = await checkSession(session, plan, rules, signal, yieldIfDue);
    if (!all) return null;
    const { findings, suppressed } = applySuppressions(session, all);
    const findingsByTurn = Map.groupBy(findings, ({ turn }) => turn);
    const turns: TurnReport[] = [];
    const evaluator = evaluatorOf(plans.forTask(session));
    const results = await evaluator.evaluate(session, findings, only, (index, metricsOfTurn) => {
      const turn = toTurnReport(session, index, metricsOfTurn, lines);
      if (!turn) return;
      turns.push(turn);
      const scope = {
        session,
        findings: findingsByTurn.get(index) ?? [],
        turns: [[index, metricsOfTurn]] as const,
      };
      onTurn?.({
        turn,
        failures: () => groupProblems(collectProblems(scope, plan, rules)).map(toFailureGroup),
        observations: () => collectObservations(scope, rules),
      });
    });
    const claims = outcomeClaims(session);
    // Answers of models arrive in any order.
    turns.sort((a, b) => a.index - b.index);
    return {
      id: session.id,
      source: session.source,
      ...(session.goal === undefined ? {} : { goal: session.goal }),
      ...(session.task === undefined ? {} : { task: session.task }),
      ...(session.scenario && { scenario: session.scenario }),
      ...(session.expectationFiles && { expectations: [...session.expectationFiles] }),
      ...(session.tags?.length ? { tags: [...session.tags] } : {}),
      facts: { ...sessionFacts(session, changesState), ...(session.task && { taskWords: taskWords(session) }) },
      ...claims,
      ...(endedInError(session) && { endingError: session.ending?.reason ?? '' }),
      isRecorded: hasRecordedTurns(session),
      isTestCase: isTestCase(session),
      turns,
      metrics: results.metrics,
      missing: results.missing,
      problems: [
        ...expectationProblems(session, results, plan),
        ...collectProblems({ session, findings, turns: results.turns.entries() }, plan, rules),
        ...(isSuccess(claims) ? [] : goalProblem(session, results.metrics, plan)),
      ],
      observations: collectObservations({ session, findings }, rules),
      suppressed,
      ...attemptSuppressions(session, rules),
      unusedSuppressions: only === undefined ? unusedSuppressions(session, all, isOff, rules) : [],
      embeddedTexts: results.embeddedTexts,
      judgeUsage: results.judgeUsage,
      // Labels of people are recognized by what they are of.
      ...(plan.calibrations && { hashes: sessionHashes(session) }),
    };
  };
}

function outcomeClaims(session: Session): Pick<SessionOutcome, 'recorded' | 'user'> {
  const recorded = recordedOutcome(session);
  const user = feedbackOutcome(session);
  return { ...(recorded && { recorded }), ...(user && { user }) };
}

/** Whether a stronger source than a judge says that the agent did its job. */
function isSuccess({ recorded, user }: Pick<SessionOutcome, 'recorded' | 'user'>): boolean {
  return decideOutcome({ recorded, user }).status === 'succeeded';
}

/** What the rules find, of the planned turn or of all. Null when the run was aborted before all rules had run. */
async function checkSession(
  session: Session,
  plan: RunPlan,
  all: readonly Rule[],
  signal: AbortSignal,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<readonly Finding[] | null> {
  if (!plan.rulesEnabled) return [];
  const { rules, stateChangingTools, turn } = plan;
  const running = runRules(session, {
    settings: rules,
    changesState: toolNameMatcher(stateChangingTools),
    rules: all,
  });
  for (;;) {
    const { done, value } = running.next();
    if (done) {
      return value
        .filter((finding) => turn === null || finding.turn === turn)
        .map((finding) => withConfiguredSeverity(finding, plan));
    }
    await yieldIfDue();
    if (signal.aborted) return null;
  }
}

/** A level that is configured for the rule stands; else one that is configured for its label. */
export function withConfiguredSeverity(
  finding: Finding,
  { rules, severities }: Pick<RunPlan, 'rules' | 'severities'>,
): Finding {
  if (finding.label === null || hasConfiguredLevel(finding.rule, rules)) return finding;
  const configured = Object.hasOwn(severities, finding.label) ? severities[finding.label] : undefined;
  return { ...finding, severity: configured ?? finding.severity };
}

function toTurnReport(
  session: Session,
  index: number,
  metrics: ResultsByMetric,
  lines: LinesByFile,
): TurnReport | undefined {
  const turn = session.turns[index];
  if (!turn) return undefined;
  const file = turnFile(session, turn);
  return {
    id: turn.id,
    index,
    pointer: turn.pointer,
    line: lines.get(file)?.get(turn.pointer)?.line ?? null,
    ...(file === session.source.file ? {} : { file }),
    metrics,
  };
}
