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
import { createSessionEvaluator, type RunBindings, usesRemoteModels } from './evaluate-session.ts';
import type { RunEvent } from './events.ts';
import { evaluateSessionGates } from './gates.ts';
import { totalUsage } from './judges.ts';
import { type LocationLookup, withTurnLines } from './locations.ts';
import { createRunPlan, type RunPlanOptions } from './plan.ts';
import { type ReduceOptions, type RunTotals, reduceOutcomes, toSessionReport } from './reduce.ts';

export type Sessions = readonly Session[] | AsyncIterable<Session> | Iterable<Session>;

export interface EvaluateOutcomesOptions extends RunBindings {
  /** Session ids are unique. Sessions of a stream are released as soon as they are evaluated. */
  readonly sessions: Sessions;
  /** The size of a stream, if it is known. */
  readonly size?: RunSize;
  readonly locate: LocationLookup;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

export interface RunSize {
  readonly sessions: number;
  readonly turns: number;
}

/** Sessions that wait for a model concurrently: enough to keep it busy if sessions are short. */
const MAX_CONCURRENT_SESSIONS = 8;

/** The outcomes in input order, and the totals of the run. */
export interface EvaluatedSessions {
  readonly outcomes: readonly SessionOutcome[];
  readonly totals: RunTotals;
}

/**
 * Evaluates sessions under a plan. Nothing of a session is kept but its outcome. Never rejects for what the sessions contain;
 * aborting gives the outcomes that are finished.
 */
export async function evaluateOutcomes(plan: RunPlan, options: EvaluateOutcomesOptions): Promise<EvaluatedSessions> {
  const { sessions, signal, onEvent } = options;
  const startedAt = performance.now();
  const evaluateSession = createSessionEvaluator(plan, { ...options, yieldIfDue: createYielder() });
  const size = options.size ?? sizeOf(sessions, plan.turn);
  let done = 0;
  let pulled = 0;
  let unfinishedFile: string | null = null;
  onEvent?.({ type: 'started', sessions: size?.sessions ?? 0, turns: size?.turns ?? 0 });

  const atOnce = usesRemoteModels(options) ? MAX_CONCURRENT_SESSIONS : 1;
  const evaluated = await mapConcurrent(
    withTurnLines(sessions, options.locate, signal),
    atOnce,
    async ({ session, lines }) => {
      pulled += 1;
      const outcome = signal.aborted
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
              of: Math.max(done, size?.turns ?? 0),
            });
          });
      if (!outcome) {
        unfinishedFile ??= session.source.file;
        return null;
      }
      if (onEvent) {
        const gated = evaluateSessionGates(outcome, outcome.problems, plan);
        onEvent({ type: 'session', session: toSessionReport(outcome, gated), gates: gated.gates });
      }
      return outcome;
    },
  );
  return {
    outcomes: evaluated.flatMap((outcome) => outcome ?? []),
    totals: {
      sessions: pulled,
      unfinishedFile,
      complete: !signal.aborted,
      durationMs: Math.round(performance.now() - startedAt),
    },
  };
}

function sizeOf(sessions: Sessions, turn: number | null): RunSize | null {
  if (!Array.isArray(sessions)) return null;
  const all: readonly Session[] = sessions;
  const turns = all.reduce((sum, one) => sum + (turn === null ? one.turns.length : Number(turn < one.turns.length)), 0);
  return { sessions: all.length, turns };
}

export interface EvaluationInput
  extends Omit<EvaluateOutcomesOptions, 'metrics'>,
    Omit<RunPlanOptions, 'metrics' | 'judges' | 'embedder'>,
    Pick<ReduceOptions, 'problems'> {
  readonly configuration: Configuration;
  /** All available metrics, including the configuration's own; by default the built-in ones. */
  readonly metrics?: readonly Metric[];
  /** Problems of reading the sessions. */
  readonly problems: readonly Problem[];
}

/** Plans, evaluates and reduces. Never rejects for what the sessions contain; aborting gives an incomplete report. */
export async function evaluateSessions(input: EvaluationInput): Promise<Report> {
  const options = { ...input, metrics: input.metrics ?? METRICS };
  const plan = createRunPlan(options);
  const { outcomes, totals } = await evaluateOutcomes(plan, options);
  return reduceOutcomes(plan, outcomes, {
    ...options,
    totals: { ...totals },
    judge: input.judges.defaultJudge,
    usage: () => totalUsage(input.judges),
  });
}
