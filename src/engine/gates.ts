import { GATES_OFF } from '../core/gates-off.ts';
import type { AgentOutcome, Gate, Headline, ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { GateThreshold, RunPlan } from '../core/run-plan.ts';
import { coverage } from '../core/scoring.ts';
import type { Session } from '../core/session.ts';
import type { AgentProblem, SessionOutcome } from '../core/session-outcome.ts';
import { DEFAULT_FAIL_ON, isAtLeast, type Severity, worstSeverity } from '../core/severity.ts';
import { failureLevelFor, type GateSubject, gateSource, metricsFor, thresholdsFor } from '../core/task-gates.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import { decideOutcome, expectedOutcome, judgedOutcome } from '../report-model/agent-outcome.ts';
import { ENDING_GATE, sessionHeadline } from '../report-model/session-headline.ts';
import { inlineText } from '../rules/shared/message-format.ts';
import { expectationGate } from './expectations.ts';
import { groupByCause } from './missing-results.ts';
import { evaluateThreshold } from './threshold.ts';
import { undecidedReasons } from './undecided.ts';

/** Raised by one whenever the same results and settings give another outcome or verdict: other versions are not compared. */
export const VERDICT_VERSION = 1;

/** The part of an outcome that gates read. */
type GatedSession = Pick<
  SessionOutcome,
  | 'id'
  | 'task'
  | 'tags'
  | 'isRecorded'
  | 'isTestCase'
  | 'turns'
  | 'metrics'
  | 'missing'
  | 'recorded'
  | 'user'
  | 'endingError'
>;

/** The results of a turn or session metric in one session. */
export function metricResults({ turns, metrics }: GatedSession, { name, scope }: GateThreshold['metric']): Result[] {
  const results = scope === 'turn' ? turns.map((turn) => turn.metrics[name]) : [metrics[name]];
  return results.flatMap((result) => result ?? []);
}

/** The severity gate of one session; null when the level is `never`. */
function severityGate(session: GatedSession, problems: readonly AgentProblem[], plan: RunPlan): Gate | null {
  const { level, subject } = failureLevelFor(plan, session);
  if (level === 'never') return null;
  const failureLabels = (metrics: ResultsByMetric): Result[] =>
    plan.failureMetrics.flatMap((name) => metrics[name] ?? []);
  const labelsByTurn = session.turns.map(({ metrics }) => failureLabels(metrics));
  const labels = labelsByTurn.flat();
  const gating = problems.filter(({ occurrence }) => !informsOnly(occurrence, plan));
  const actual = worstSeverity(gating.map(({ occurrence }) => occurrence.severity));
  const missing = labels.filter(({ status }) => status === 'error' || status === 'cancelled').length;
  const judged = labelsByTurn.filter((ofTurn) => ofTurn.some(({ source }) => source === 'judge')).length;
  const checks = describeChecks(judged, session.turns.length, plan);
  const outcome = (): Pick<Gate, 'met' | 'reason'> => {
    if (actual !== null && isAtLeast(actual, level)) {
      return { met: false, reason: describeWorst(actual, level, subject) };
    }
    if (!session.isRecorded) {
      return { met: null, reason: describeUnrecorded(actual) };
    }
    if (missing > 0) {
      const questions = missing === 1 ? '1 question about failures was' : `${missing} questions about failures were`;
      return { met: null, reason: `${questions} not answered; ${checks}` };
    }
    return { met: true, reason: `nothing at or above ${level}${gateSource(subject)}; ${checks}` };
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

/** Whether a judge alone found a problem that may not gate, because nobody knows how often it is right. */
function informsOnly({ rule, metric }: AgentProblem['occurrence'], { gates: { informing = [] } }: RunPlan): boolean {
  return rule === null && metric !== null && informing.includes(metric);
}

/** Calls may be recorded without their content, so that rules find something. */
function describeUnrecorded(actual: Severity | null): string {
  const found = actual === null ? 'nothing could be found in it' : `only ${actual} problems could be found in it`;
  return `the content of this session was not recorded, so ${found}`;
}

/** Names the way back to the gate of 0.1.0, which failed on critical problems only. */
function describeWorst(actual: Severity, level: Severity, subject: GateSubject | null): string {
  if (subject !== null) return `a ${actual} problem was found, ${level} fails${gateSource(subject)}`;
  const wayBack = actual === 'high' && level === DEFAULT_FAIL_ON ? `; ${GATES_OFF.severity.setting} ignores it` : '';
  return `a ${actual} problem was found, ${level} fails${wayBack}`;
}

/**
 * Fails a session whose recorded outcome is a failure; null where none is recorded, or the gate is off. Expectations and
 * judged scores have gates of their own.
 */
function outcomeGate(session: GatedSession, outcome: AgentOutcome, plan: RunPlan): Gate | null {
  if (!plan.gates.outcome || (outcome.source !== 'recorded' && outcome.source !== 'user')) return null;
  const met = outcome.status === 'succeeded';
  return {
    scope: 'session',
    subject: session.id,
    metric: 'outcome',
    threshold: 'succeeded',
    actual: outcome.status,
    scored: 1,
    of: 1,
    met,
    reason: met ? outcome.reason : `${outcome.reason}; ${GATES_OFF.outcome.setting} ignores it`,
  };
}

/**
 * Leaves a session undecided whose run ended in an error, which need not be the agent's: it could not finish, so that nothing
 * found is no success. Null where something says how it went.
 */
function endingGate({ id, endingError }: GatedSession, outcome: AgentOutcome): Gate | null {
  if (endingError === undefined || outcome.source === 'recorded' || outcome.source === 'user') return null;
  return {
    scope: 'session',
    subject: id,
    metric: ENDING_GATE,
    threshold: 'succeeded',
    actual: 'unknown',
    scored: 0,
    of: 1,
    met: null,
    reason: `the run ended in an error: ${inlineText(endingError, MAX_ERROR)}`,
  };
}

const MAX_ERROR = 140;

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

/** Whether a session is a test case: nothing was recorded, and something is expected. */
export function isTestCase(session: Session): boolean {
  const { turns, reference } = session;
  return !hasRecordedTurns(session) && (reference !== undefined || turns.some((turn) => turn.reference !== undefined));
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
  const { level } = failureLevelFor(plan, session);
  const own = thresholdsFor(plan, session)
    .filter(({ metric }) => metric.scope === 'turn' || metric.scope === 'session')
    .map((threshold) => ({
      gate: evaluateThreshold(threshold, 'session', session.id, metricResults(session, threshold.metric), plan),
      // A session of no task is gated itself: no other gate would have its results.
      counts: threshold.gateScope === 'session' || (threshold.gateScope === 'scenario' && !session.task),
    }));
  const expectations = expectationGate(session);
  const outcome = decideOutcome({
    recorded: session.recorded,
    user: session.user,
    expected: expectedOutcome([...(expectations ? [expectations] : []), ...own.map(({ gate }) => gate)]),
    judge: judgedOutcome(session.metrics, session.turns),
  });
  const ofSession = [
    severityGate(session, problems, plan),
    outcomeGate(session, outcome, plan),
    ...(plan.gates.outcome ? [expectations, endingGate(session, outcome)] : []),
  ];
  const all = [...own, ...ofSession.flatMap((gate) => (gate ? [{ gate, counts: true }] : []))];
  const gates = all.map(({ gate }) => gate);
  const undecided = undecidedReasons(session.missing, gates, session.isRecorded);
  const verdict = verdictOf([...gates.map(({ met }) => met), ...undecided.map(() => null)]);
  return {
    verdict,
    undecided,
    outcome,
    headline: sessionHeadline({
      outcome,
      problems: problems.map(({ title, occurrence: { severity, turn } }) => ({ title, severity, turn })),
      report: { verdict, metrics: session.metrics, turns: session.turns },
      gates,
      missing: groupByCause(session.missing),
      limit: level === 'never' ? DEFAULT_FAIL_ON : level,
      ownThresholds: new Set(metricsFor(plan, session).flatMap((entry) => (entry.hasOwnThreshold ? [entry.name] : []))),
      isRecorded: session.isRecorded,
      isTestCase: session.isTestCase,
    }),
    gates: all.flatMap(({ gate, counts }) => (counts ? [gate] : [])),
  };
}

export interface SessionGateResults {
  readonly verdict: Verdict;
  readonly outcome: AgentOutcome;
  readonly headline: Headline;
  /** Sentences; empty if the verdict is decided. */
  readonly undecided: readonly string[];
  readonly gates: readonly Gate[];
}
