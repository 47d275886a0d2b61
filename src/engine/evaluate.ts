import type { Configuration } from '../config/schema.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { createYielder } from '../core/async/yielding.ts';
import type { Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { METRICS } from '../metrics/index.ts';
import type { Metric } from '../metrics/metric.ts';
import {
  createSessionEvaluator,
  type EvaluatedTurn,
  type EvaluateSession,
  type RunBindings,
  usesRemoteModels,
} from './evaluate-session.ts';
import { usageBeside } from './judges.ts';
import { type SessionWithLines, withTurnLines } from './locations.ts';
import { OutcomeCollector, type OutcomeCollectorOptions } from './outcome-collector.ts';
import { createRunPlan, type RunPlanOptions } from './plan.ts';
import { type EvaluationTotals, type ReduceOptions, reduceOutcomes } from './reduce.ts';
import { batchSessions, type SessionWorkers, takeFor } from './session-workers.ts';

export type Sessions = readonly Session[] | AsyncIterable<Session> | Iterable<Session>;

export interface EvaluateOutcomesOptions extends RunBindings, OutcomeCollectorOptions {
  /** Session ids are unique. Sessions of a stream are released as soon as they are evaluated. */
  readonly sessions: Sessions;
  /** How many sessions are evaluated at once; by default as many as suit the models. */
  readonly sessionsAtOnce?: number;
  /** Other threads, which evaluate sessions where no model is asked. */
  readonly workers?: SessionWorkers | undefined;
}

/** Sessions that wait for a model concurrently: enough to keep it busy if sessions are short. */
const MAX_CONCURRENT_SESSIONS = 8;

/** The outcomes in input order, and the totals of the run. */
export interface EvaluatedSessions {
  readonly outcomes: readonly SessionOutcome[];
  /** Those of an interrupted run that is continued. */
  readonly known: ReadonlySet<SessionOutcome>;
  /** Errors of sessions that could not be evaluated. */
  readonly problems: readonly Problem[];
  readonly totals: EvaluationTotals;
}

/**
 * Evaluates sessions under a plan. Nothing of a session is kept but its outcome. Never rejects for what the sessions contain;
 * aborting gives the outcomes that are finished.
 */
export async function evaluateOutcomes(plan: RunPlan, options: EvaluateOutcomesOptions): Promise<EvaluatedSessions> {
  const { sessions, locate, signal, workers } = options;
  const startedAt = performance.now();
  const evaluateSession = createSessionEvaluator(plan, { ...options, yieldIfDue: createYielder() });
  const collector = new OutcomeCollector(plan, options);
  const count = (session: Session) => collector.count(session);
  if (Array.isArray(sessions)) sessions.forEach(count);
  collector.start();

  const evaluateHere = async ({ session, lines }: SessionWithLines, index: number) => {
    const known = collector.begin(session);
    if (known) return collector.addKnown(known);
    const onTurn = (turn: EvaluatedTurn) => collector.turn(session, turn);
    const evaluated = signal.aborted ? null : await evaluateSession(session, lines, onTurn);
    return collector.add(evaluated, { session, index });
  };
  const atOnce = options.sessionsAtOnce ?? (usesRemoteModels(options) ? MAX_CONCURRENT_SESSIONS : 1);
  const read = withTurnLines(Array.isArray(sessions) ? sessions : tap(sessions, count), locate, signal);
  const evaluated = workers
    ? await evaluateInWorkers(plan, read, { workers, collector, evaluateHere, evaluateSession, signal })
    : await mapConcurrent(read, atOnce, evaluateHere);
  const { lost } = collector;
  return {
    outcomes: evaluated.flatMap((outcome) => outcome ?? []),
    known: collector.known,
    problems: lost,
    totals: {
      sessions: collector.sessions,
      lost: lost.length,
      unfinishedFile: collector.unfinishedFile,
      complete: !signal.aborted && lost.length === 0,
      durationMs: Math.round(performance.now() - startedAt),
    },
  };
}

interface WorkerEvaluation {
  readonly workers: SessionWorkers;
  readonly collector: OutcomeCollector;
  readonly evaluateHere: (session: SessionWithLines, index: number) => Promise<SessionOutcome | null>;
  readonly evaluateSession: EvaluateSession;
  readonly signal: AbortSignal;
}

/** Evaluates the sessions of the first moment in this thread, and the others in batches in other threads. */
async function evaluateInWorkers(
  plan: RunPlan,
  read: AsyncGenerator<SessionWithLines, void>,
  { workers, collector, evaluateHere, evaluateSession, signal }: WorkerEvaluation,
): Promise<readonly (SessionOutcome | null)[]> {
  const first = await mapConcurrent(takeFor(read, workers.startAfterMs), 1, evaluateHere);
  const batches = batchSessions(read, first.length, collector, workers);
  // One more than there are threads: it waits for the first thread that is done.
  const others = await mapConcurrent(batches, workers.threads + 1, async (batch) => {
    const texts = batch.flatMap(({ known, text }) => (known ? [] : [text]));
    const results = await workers.evaluate(plan, texts, signal);
    const outcomes: (SessionOutcome | null)[] = [];
    let next = 0;
    for (const item of batch) {
      const { session, lines, known } = item;
      if (known) {
        outcomes.push(collector.addKnown(known));
        continue;
      }
      const result = results?.[next++];
      if (result?.lost) {
        collector.addLost(session, result.lost);
        continue;
      }
      const evaluated = results || signal.aborted ? (result?.outcome ?? null) : await evaluateSession(session, lines);
      outcomes.push(await collector.add(evaluated, item, evaluated?.turns.length));
    }
    return outcomes;
  });
  return [...first, ...others.flat()];
}

async function* tap(
  sessions: AsyncIterable<Session> | Iterable<Session>,
  look: (session: Session) => void,
): AsyncGenerator<Session, void> {
  for await (const session of sessions) {
    look(session);
    yield session;
  }
}

export interface EvaluationInput
  extends Omit<EvaluateOutcomesOptions, 'metrics'>,
    Omit<RunPlanOptions, 'metrics' | 'judges' | 'embedder'> {
  readonly configuration: Configuration;
  /** All available metrics, including the configuration's own; by default the built-in ones. */
  readonly metrics?: readonly Metric[];
  /** Other sessions of the run are evaluated elsewhere: what depends on all of them is decided when they are together. */
  readonly isPart?: boolean;
  /** What reading gave besides sessions; called when the last one was read. */
  readonly summary?: () => ReadingSummary;
}

interface ReadingSummary extends Pick<ReduceOptions, 'problems'> {
  /** Files that an abort left unread. */
  readonly unreadFiles?: number;
}

/** Plans, evaluates and reduces. Never rejects for what the sessions contain; aborting gives an incomplete report. */
export async function evaluateSessions(input: EvaluationInput): Promise<Report> {
  const { recorder } = input;
  const options = { ...input, metrics: input.metrics ?? METRICS };
  const plan = { ...createRunPlan(options), ...recorder?.continued };
  await recorder?.begin(plan);
  const { outcomes: read, known, totals, problems: lost } = await evaluateOutcomes(plan, options);
  // A run that is continued and stopped again, before all is read, has still found what it found.
  const unread = options.signal.aborted ? (recorder?.unread() ?? []) : [];
  const outcomes = [...read, ...unread];
  const { problems, unreadFiles = 0 } = options.summary?.() ?? { problems: [] };
  const report = await reduceOutcomes(plan, outcomes, {
    ...options,
    problems: [...problems, ...lost],
    totals: { ...totals, sessions: totals.sessions + unread.length, unreadFiles },
    earlier: await recorder?.earlierAttempts(outcomes),
    judge: input.isPart ? null : input.judges.defaultJudge,
    usageBeside: () =>
      usageBeside(
        input.judges,
        read.filter((outcome) => !known.has(outcome)),
      ),
  });
  return recorder ? await recorder.finish(report, outcomes) : report;
}
