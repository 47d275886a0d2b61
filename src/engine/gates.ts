import type { Gate, ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { GateThreshold, RunPlan } from '../core/run-plan.ts';
import { coverage } from '../core/scoring.ts';
import type { Session } from '../core/session.ts';
import type { AgentProblem, SessionOutcome } from '../core/session-outcome.ts';
import { isAtLeast, worstSeverity } from '../core/severity.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import { evaluateThreshold } from './threshold.ts';
import { undecidedReasons } from './undecided.ts';

/** The part of an outcome that gates read. */
type GatedSession = Pick<SessionOutcome, 'id' | 'isRecorded' | 'turns' | 'metrics' | 'missing'>;

/** The results of a turn or session metric in one session. */
export function metricResults({ turns, metrics }: GatedSession, { name, scope }: GateThreshold['metric']): Result[] {
  const results = scope === 'turn' ? turns.map((turn) => turn.metrics[name]) : [metrics[name]];
  return results.flatMap((result) => result ?? []);
}

/** The severity gate of one session; null when the level is `never`. */
function severityGate(session: GatedSession, problems: readonly AgentProblem[], plan: RunPlan): Gate | null {
  const level = plan.gates.failOnErrorSeverity;
  if (level === 'never') return null;
  const failureLabels = (metrics: ResultsByMetric): Result[] =>
    plan.failureMetrics.flatMap((name) => metrics[name] ?? []);
  const labelsByTurn = session.turns.map(({ metrics }) => failureLabels(metrics));
  const labels = labelsByTurn.flat();
  const actual = worstSeverity(problems.map(({ occurrence }) => occurrence.severity));
  const missing = labels.filter(({ status }) => status === 'error' || status === 'cancelled').length;
  const judged = labelsByTurn.filter((ofTurn) => ofTurn.some(({ source }) => source === 'judge')).length;
  const checks = describeChecks(judged, session.turns.length, plan);
  const outcome = (): Pick<Gate, 'met' | 'reason'> => {
    if (actual !== null && isAtLeast(actual, level)) {
      return { met: false, reason: `a ${actual} failure was found, ${level} fails` };
    }
    if (!session.isRecorded) {
      return { met: null, reason: 'nothing of this session was recorded, so nothing could be found in it' };
    }
    if (missing > 0) {
      const questions = missing === 1 ? '1 question about failures was' : `${missing} questions about failures were`;
      return { met: null, reason: `${questions} not answered; ${checks}` };
    }
    return { met: true, reason: `nothing at or above ${level}; ${checks}` };
  };
  return {
    scope: 'session',
    subject: session.id,
    metric: 'severity',
    threshold: level,
    actual,
    ...coverage(labels),
    ...outcome(),
  };
}

/**
 * Describes what checked the session for failures. Only a judge's answers about failures count.
 *
 * @param judged turns in which a judge answered whether there are failures.
 */
function describeChecks(judged: number, turns: number, { rulesEnabled, judge, judges }: RunPlan): string {
  if (judged > 0) return `rules and a judge, ${judged} of ${turns} turns judged for failures`;
  if (!rulesEnabled) return `the rules are off, 0 of ${turns} turns judged`;
  const hasJudge = judge !== null || Object.keys(judges).length > 0;
  return hasJudge ? 'rules only, no turn judged for failures' : `rules only, 0 of ${turns} turns judged`;
}

/** Whether anything of a session was recorded. Without content, nothing passes. */
export function hasRecordedTurns({ turns }: Session): boolean {
  return turns.some(({ captured }) => captured !== false);
}

/**
 * The verdict of a session: by all thresholds that apply to it and by severity, and never `passed` if a result is
 * missing. Also why it is undecided, and those of its gates that count for the run.
 *
 * @param problems of the session, each with the severity that it is reported with.
 */
export function evaluateSessionGates(
  session: GatedSession,
  problems: readonly AgentProblem[],
  plan: RunPlan,
): SessionGateResults {
  const own = plan.thresholds
    .filter(({ metric }) => metric.scope === 'turn' || metric.scope === 'session')
    .map((threshold) => ({
      gate: evaluateThreshold(threshold, 'session', session.id, metricResults(session, threshold.metric), plan),
      counts: threshold.gateScope === 'session',
    }));
  const severity = severityGate(session, problems, plan);
  const all = severity ? [...own, { gate: severity, counts: true }] : own;
  const gates = all.map(({ gate }) => gate);
  const undecided = undecidedReasons(session.missing, gates, session.isRecorded);
  return {
    verdict: verdictOf([...gates.map(({ met }) => met), ...undecided.map(() => null)]),
    undecided,
    gates: all.flatMap(({ gate, counts }) => (counts ? [gate] : [])),
  };
}

export interface SessionGateResults {
  readonly verdict: Verdict;
  /** Sentences; empty if the verdict is decided. */
  readonly undecided: readonly string[];
  readonly gates: readonly Gate[];
}
