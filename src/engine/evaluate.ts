import type { Configuration } from '../config/schema.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { createYielder } from '../core/async/yielding.ts';
import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { METRICS } from '../metrics/index.ts';
import type { Metric } from '../metrics/metric.ts';
import { isCorrectAttempt } from '../report-model/attempt-correctness.ts';
import { createSessionEvaluator, type RunBindings, usesRemoteModels } from './evaluate-session.ts';
import type { RunEvent } from './events.ts';
import { evaluateSessionGates } from './gates.ts';
import { usageBeside } from './judges.ts';
import { type LocationLookup, withLocations, withTurnLines } from './locations.ts';
import type { OutcomeStorage } from './outcome-storage.ts';
import { createRunPlan, type RunPlanOptions } from './plan.ts';
import { type EvaluationTotals, type ReduceOptions, reduceOutcomes, toSessionReport } from './reduce.ts';
import type { RunRecorder } from './run-recorder.ts';

export type Sessions = readonly Session[] | AsyncIterable<Session> | Iterable<Session>;

export interface EvaluateOutcomesOptions extends RunBindings {
  /** Session ids are unique. Sessions of a stream are released as soon as they are evaluated. */
  readonly sessions: Sessions;
  readonly locate: LocationLookup;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Called before each session is evaluated. */
  readonly onSessionStart?: (session: Session) => void;
  /** How many sessions are evaluated at once; by default as many as suit the models. */
  readonly sessionsAtOnce?: number;
  readonly recorder?: RunRecorder;
  /** Where outcomes of many sessions are put aside; the report can be read as long as it is there. Without it, they stay in memory. */
  readonly storage?: OutcomeStorage | undefined;
}

/** Sessions that wait for a model concurrently: enough to keep it busy if sessions are short. */
const MAX_CONCURRENT_SESSIONS = 8;

/** The outcomes in input order, and the totals of the run. */
export interface EvaluatedSessions {
  readonly outcomes: readonly SessionOutcome[];
  /** Those of an interrupted run that is continued. */
  readonly known: ReadonlySet<SessionOutcome>;
  readonly totals: EvaluationTotals;
}

/**
 * Evaluates sessions under a plan. Nothing of a session is kept but its outcome. Never rejects for what the sessions contain;
 * aborting gives the outcomes that are finished.
 */
export async function evaluateOutcomes(plan: RunPlan, options: EvaluateOutcomesOptions): Promise<EvaluatedSessions> {
  const { sessions, signal, onEvent, onSessionStart, recorder, storage } = options;
  const startedAt = performance.now();
  const evaluateSession = createSessionEvaluator(plan, { ...options, yieldIfDue: createYielder() });
  const size = { sessions: 0, turns: 0 };
  const countSession = ({ turns }: Session) => {
    size.sessions += 1;
    size.turns += plan.turn === null ? turns.length : Number(plan.turn < turns.length);
  };
  const continued = new Set<SessionOutcome>();
  let done = 0;
  let pulled = 0;
  let unfinishedFile: string | null = null;
  if (Array.isArray(sessions)) for (const session of sessions) countSession(session);
  onEvent?.({ type: 'started', ...size });

  const atOnce = options.sessionsAtOnce ?? (usesRemoteModels(options) ? MAX_CONCURRENT_SESSIONS : 1);
  const evaluated = await mapConcurrent(
    withTurnLines(Array.isArray(sessions) ? sessions : tap(sessions, countSession), options.locate, signal),
    atOnce,
    async ({ session, lines }, index) => {
      pulled += 1;
      onSessionStart?.(session);
      const known = recorder?.known(session) ?? null;
      const evaluated =
        known || signal.aborted
          ? null
          : await evaluateSession(session, lines, (turn) => {
              if (signal.aborted) return;
              done += 1;
              onEvent?.({
                type: 'turn',
                session: session.id,
                turn: turn.turn,
                failures: turn.failures(),
                observations: turn.observations(),
                done,
                of: size.turns,
              });
            });
      const located = evaluated && locateEarly(evaluated, options.locate);
      const outcome = known ?? (located && recorder ? await recorder.session(located, session, index) : located);
      if (!outcome) {
        unfinishedFile ??= session.source.file;
        return null;
      }
      if (known) done += known.turns.length;
      if (onEvent) {
        const gated = evaluateSessionGates(outcome, outcome.problems, plan);
        const report = toSessionReport(outcome, gated);
        const isCorrect = isCorrectAttempt(report, outcome, plan);
        onEvent({ type: 'session', session: report, gates: gated.gates, isCorrect });
      }
      const kept = storage?.put(outcome) ?? outcome;
      if (known) continued.add(kept);
      return kept;
    },
  );
  return {
    outcomes: evaluated.flatMap((outcome) => outcome ?? []),
    known: continued,
    totals: {
      sessions: pulled,
      unfinishedFile,
      complete: !signal.aborted,
      durationMs: Math.round(performance.now() - startedAt),
    },
  };
}

/** Finds the lines of an outcome while they are at hand, where this takes no pass over its file. */
function locateEarly(outcome: SessionOutcome, locate: LocationLookup): SessionOutcome {
  if (!locate.isIndexed?.(outcome.source.file)) return outcome;
  return withLocations([outcome], locate)[0] ?? outcome;
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
  const { outcomes, known, totals } = await evaluateOutcomes(plan, options);
  const { problems, unreadFiles = 0 } = options.summary?.() ?? { problems: [] };
  const report = await reduceOutcomes(plan, outcomes, {
    ...options,
    problems,
    totals: { ...totals, unreadFiles },
    earlier: await recorder?.earlierAttempts(outcomes),
    judge: input.judges.defaultJudge,
    usageBeside: () =>
      usageBeside(
        input.judges,
        outcomes.filter((outcome) => !known.has(outcome)),
      ),
  });
  return recorder ? await recorder.finish(report, outcomes) : report;
}
