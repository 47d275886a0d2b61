import { mapConcurrent } from '../core/async/concurrency.ts';
import { memoizeRecent } from '../core/cache/memoize.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Finding } from '../core/finding.ts';
import type { ResultsByMetric } from '../core/report.ts';
import { type MetricOutcome, type Result, withFiniteScore } from '../core/result.ts';
import type { Session, Turn } from '../core/session.ts';
import type { JudgeUsage, MissingResult } from '../core/session-outcome.ts';
import type { Embedder } from '../embed/embedder.ts';
import { aggregateOutcome } from '../metrics/aggregate/aggregate.ts';
import type { BoundJudge, Metric, SessionView, TurnView } from '../metrics/metric.ts';
import type { RiskCoefficients } from '../metrics/shared/risk-model.ts';
import { wordSet } from '../metrics/shared/text.ts';
import { EmbeddingBatcher } from './embedding-batcher.ts';
import { bindJudges, type Judges, mostTurnsPerCall } from './judges.ts';
import { MissingResults, STOPPED } from './missing-results.ts';
import {
  CANCELLED,
  errorOutcome,
  importedOutcome,
  metricNames,
  resultBuilder,
  unknownImportedResults,
} from './outcomes.ts';
import type { MetricPlan, PlannedMetric } from './plan.ts';

/** The results of one session. */
export interface SessionResults {
  readonly session: Session;
  readonly findings: readonly Finding[];
  /** One entry per turn; empty for turns that are not evaluated. */
  readonly turns: readonly ResultsByMetric[];
  readonly metrics: ResultsByMetric;
  /** A session with missing results cannot pass. */
  readonly missing: readonly MissingResult[];
  readonly embeddedTexts: number;
  readonly judgeUsage: readonly JudgeUsage[];
}

export interface SessionMetricsEvaluator {
  /** @param only the index of the only turn to evaluate; the others remain its context. */
  evaluate(
    session: Session,
    findings: readonly Finding[],
    only: number | undefined,
    onTurn: (index: number, metrics: ResultsByMetric) => void,
  ): Promise<SessionResults>;
}

export interface SessionMetricsOptions {
  readonly plan: MetricPlan;
  readonly judges: Judges;
  readonly embedder: Embedder | null;
  /** Turns of a session that may wait for a model concurrently. */
  readonly maxConcurrentTurns: number;
  /** Ids of the rules that check the sessions. */
  readonly ruleIds: readonly string[];
  /** Weights of `session_risk`; by default those that ship. */
  readonly risk?: RiskCoefficients;
  readonly signal: AbortSignal;
  /** Called between turns; the result is awaited. */
  readonly yieldIfDue: () => Promise<void> | undefined;
}

/** Evaluates sessions under one plan. After an abort, the remaining results are `cancelled`. */
export function createSessionMetricsEvaluator({
  plan,
  judges,
  embedder,
  maxConcurrentTurns: width,
  ruleIds,
  risk,
  signal,
  yieldIfDue: pause,
}: SessionMetricsOptions): SessionMetricsEvaluator {
  const turnSteps = plan.turn.map((planned) => ({ planned, toResult: resultBuilder(planned) }));
  const sessionSteps = plan.session.map((planned) => ({ planned, toResult: resultBuilder(planned) }));
  const turnNames = metricNames(plan.turn);
  const turnsPerCall = mostTurnsPerCall(judges);
  const sessionNames = metricNames([...plan.turn, ...plan.session]);
  const emptyTurn = createEmptyResults(plan.turn.map(({ metric }) => metric.name));
  const cancelledTurn = Object.freeze(
    Object.fromEntries(turnSteps.map(({ planned, toResult }) => [planned.metric.name, toResult(CANCELLED)])),
  );

  async function evaluate(
    session: Session,
    findings: readonly Finding[],
    only: number | undefined,
    onTurn: (index: number, metrics: ResultsByMetric) => void,
  ): Promise<SessionResults> {
    const embeddings = new EmbeddingBatcher(embedder, signal);
    const askers = bindJudges(session, findings, judges);
    const unanswered = new MissingResults();
    const context = {
      session,
      embedder,
      signal,
      embed: (texts: readonly string[]) => embeddings.embed(texts),
      words: memoizeRecent(wordSet, MAX_WORD_SETS),
      ruleIds,
      risk,
    };
    const findingsOfTurn = groupByTurn(findings);
    const turns: ResultsByMetric[] = session.turns.map(() => NOT_EVALUATED);
    let cancelledTurns = 0;
    const finish = (index: number, metrics: ResultsByMetric) => {
      turns[index] = metrics;
      onTurn(index, metrics);
      return pause();
    };
    const evaluateTurn = ([index, turn]: [number, Turn]) => {
      if (only !== undefined && index !== only) return;
      if (signal.aborted && !turn.scores) {
        cancelledTurns += 1;
        return finish(index, cancelledTurn);
      }
      const metrics: Record<string, Result> = { ...emptyTurn };
      const view: TurnView = {
        ...context,
        turn,
        index,
        findings: findingsOfTurn.get(index) ?? NO_FINDINGS,
        judge: null,
        result: (name) => metrics[name] ?? undefined,
      };
      const results = evaluateMetrics(
        turnSteps,
        metrics,
        { subject: turn, signal, missingResults: unanswered },
        ({ metric, options }) => metric.evaluate(withJudge(view, askers.turn(metric.name, index)), options),
      );
      const done = () => {
        addUnknownImported(metrics, turn, turnNames);
        return finish(index, metrics);
      };
      return results ? results.then(done) : done();
    };
    if (turnsPerCall === 1) {
      await mapConcurrent(session.turns.entries(), width, evaluateTurn);
    } else {
      // Turns that can share a call are asked about at the same time.
      const together = chunks(session.turns.entries(), turnsPerCall);
      await mapConcurrent(together, width / turnsPerCall, (turns) => Promise.all(turns.map(evaluateTurn)));
    }
    if (cancelledTurns > 0) {
      for (const { planned } of turnSteps) unanswered.add('interrupted', planned.metric.name, STOPPED, cancelledTurns);
    }

    const metrics: Record<string, Result> = {};
    const pending = new Map<string, Promise<void>>();
    const view: SessionView = {
      ...context,
      findings,
      judge: null,
      turnResults: (name) => turns.map((results) => results[name]),
      result: (name) => metrics[name],
      async laterResult(name) {
        // By then all metrics have started.
        await Promise.resolve();
        await pending.get(name);
        return metrics[name];
      },
    };
    await evaluateMetrics(
      sessionSteps,
      metrics,
      { subject: session, signal, missingResults: unanswered },
      ({ metric, options }) => metric.evaluate(withJudge(view, askers.session(metric.name)), options),
      pending,
    );
    for (const { planned, toResult } of turnSteps) {
      const { name } = planned.metric;
      const carried = importedOutcome(planned, session);
      const results = turns.flatMap((turn) => turn[name] ?? []);
      metrics[name] = toResult(carried ?? aggregateOutcome(results, 'turn'));
    }
    addUnknownImported(metrics, session, sessionNames);
    return {
      session,
      findings,
      turns,
      metrics,
      missing: unanswered.list(),
      embeddedTexts: embeddings.embeddedTexts,
      judgeUsage: askers.usage(),
    };
  }

  return { evaluate };
}

/**
 * An object with a key for each metric, to be copied and filled. Copies share one hidden class; objects that are filled
 * key by key become hash tables of several times the size.
 */
function createEmptyResults(names: readonly string[]): Readonly<Record<string, Result>> {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));
}

/** Without a judge, all metrics of a turn share one view. */
function withJudge<View extends TurnView | SessionView>(view: View, judge: BoundJudge | null): View {
  return judge ? { ...view, judge } : view;
}

/** Metrics look back a few turns, never over a whole session. */
const MAX_WORD_SETS = 64;

const NO_FINDINGS: readonly Finding[] = Object.freeze([]);
const NOT_EVALUATED: ResultsByMetric = Object.freeze({});

/** A metric, and the conversion of its outcomes to results. */
interface MetricStep<M extends Metric> {
  readonly planned: PlannedMetric<M>;
  readonly toResult: (outcome: MetricOutcome) => Result;
}

/** The state shared by the metrics of one turn or session. */
interface EvaluationState {
  /** What may carry scores. */
  readonly subject: Session | Turn;
  readonly signal: AbortSignal;
  /** Collects missing results. */
  readonly missingResults: MissingResults;
}

/**
 * Evaluates metrics in the order of the plan into `metrics`. A metric that reads others waits for those that are still
 * pending; all others go on. @param waiting gets the pending metrics. @returns what to wait for, if anything.
 */
function evaluateMetrics<M extends Metric>(
  steps: readonly MetricStep<M>[],
  metrics: Record<string, Result>,
  answering: EvaluationState,
  evaluate: (planned: PlannedMetric<M>) => MetricOutcome | Promise<MetricOutcome>,
  waiting = new Map<string, Promise<void>>(),
): Promise<unknown> | undefined {
  for (const { planned, toResult } of steps) {
    const { name, uses = [] } = planned.metric;
    const before = waiting.size === 0 ? [] : uses.flatMap((used) => waiting.get(used) ?? []);
    const start = () => evaluateMetric(planned, answering, () => evaluate(planned));
    const outcome = before.length === 0 ? start() : Promise.all(before).then(start);
    const settle = (settled: MetricOutcome) => {
      metrics[name] = toResult(settled);
    };
    if (outcome instanceof Promise) waiting.set(name, outcome.then(settle));
    else settle(outcome);
  }
  return waiting.size === 0 ? undefined : Promise.all(waiting.values());
}

/**
 * Imported scores win; a metric that throws becomes an `error` and affects no other result. Most metrics are
 * synchronous: a promise for each of them would cost more than they do.
 */
function evaluateMetric(
  planned: PlannedMetric,
  answering: EvaluationState,
  evaluate: () => MetricOutcome | Promise<MetricOutcome>,
): MetricOutcome | Promise<MetricOutcome> {
  const carried = importedOutcome(planned, answering.subject);
  if (carried) return carried;
  if (answering.signal.aborted) return cancelledOutcome(planned, answering);
  try {
    const outcome = evaluate();
    if (!(outcome instanceof Promise)) return recordIfMissing(outcome, planned, answering);
    return outcome.then(
      (answered) => recordIfMissing(answered, planned, answering),
      (error: unknown) => outcomeOfError(error, planned, answering),
    );
  } catch (error) {
    return outcomeOfError(error, planned, answering);
  }
}

/**
 * Passes an outcome on, and records it if it is missing. Results computed from other results are missing only where
 * those are.
 */
function recordIfMissing(
  given: MetricOutcome,
  { metric }: PlannedMetric,
  { signal, missingResults: unanswered }: EvaluationState,
): MetricOutcome {
  const outcome = withFiniteScore(given);
  const { status, reason } = outcome;
  if (outcome !== given) {
    unanswered.add('metric-failed', metric.name, reason ?? '');
    return outcome;
  }
  if (status !== 'error' && status !== 'cancelled') return outcome;
  if (!metric.usesJudge && !metric.isUserFunction) return outcome;
  if (status === 'cancelled' && signal.aborted) unanswered.add('interrupted', metric.name, STOPPED);
  else unanswered.add(metric.usesJudge ? 'judge-unanswered' : 'function-failed', metric.name, reason);
  return outcome;
}

function outcomeOfError(error: unknown, planned: PlannedMetric, answering: EvaluationState): MetricOutcome {
  if (answering.signal.aborted) return cancelledOutcome(planned, answering);
  const { name } = planned.metric;
  answering.missingResults.add('metric-failed', name, errorMessage(error));
  return errorOutcome(name, error);
}

function cancelledOutcome(
  { metric: { name } }: PlannedMetric,
  { missingResults: unanswered }: EvaluationState,
): MetricOutcome {
  unanswered.add('interrupted', name, STOPPED);
  return CANCELLED;
}

/** The names come from a file: they are defined rather than assigned, so that none of them is special. */
function addUnknownImported(
  metrics: Record<string, Result>,
  { scores }: Session | Turn,
  known: ReadonlySet<string>,
): void {
  for (const [name, value] of unknownImportedResults(scores, known)) {
    Object.defineProperty(metrics, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

function groupByTurn(findings: readonly Finding[]): Map<number, Finding[]> {
  const groups = new Map<number, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.turn);
    if (group) group.push(finding);
    else groups.set(finding.turn, [finding]);
  }
  return groups;
}

function* chunks<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
