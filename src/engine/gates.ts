import type { Configuration } from '../config/schema.ts';
import type { Gate, ResultsByMetric } from '../core/report.ts';
import { coverage, type Result } from '../core/result.ts';
import type { Session } from '../core/session.ts';
import { isAtLeast, severityOfLabel, worstSeverity } from '../core/severity.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import type { Metric } from '../metrics/metric.ts';
import type { AgentProblem } from './agent-problems.ts';
import type { SessionResults } from './session-evaluation.ts';
import { evaluateThreshold, type GateThreshold } from './threshold.ts';
import { gateScope } from './thresholds.ts';
import { undecidedReasons } from './undecided.ts';

/** The results of a turn or session metric in one session. */
export function metricResults({ turns, metrics }: SessionResults, metric: Metric): Result[] {
  const found = metric.scope === 'turn' ? turns.map((turn) => turn[metric.name]) : [metrics[metric.name]];
  return found.flatMap((result) => result ?? []);
}

/** The severity gate of one session; null when the level is `never`: then there is no such gate. */
function severityGate(
  { session, turns, turnsEvaluated }: SessionResults,
  failures: readonly AgentProblem[],
  configuration: Configuration,
): Gate | null {
  const { gates } = configuration;
  const level = gates.failOnErrorSeverity;
  if (level === 'never') return null;
  const names = failureLabelMetrics(configuration);
  const failureLabels = (metrics: ResultsByMetric): Result[] => names.flatMap((name) => metrics[name] ?? []);
  const labels = turns.flatMap(failureLabels);
  const actual = worstSeverity(failures.map(({ occurrence }) => occurrence.severity));
  const unanswered = labels.filter(({ status }) => status === 'error' || status === 'cancelled').length;
  const judged = turns.filter((metrics) => failureLabels(metrics).some(({ source }) => source === 'judge')).length;
  const looked = describeChecks(judged, turnsEvaluated, configuration);
  const found = (): Pick<Gate, 'met' | 'reason'> => {
    if (actual !== null && isAtLeast(actual, level)) {
      return { met: false, reason: `a ${actual} failure was found, ${level} fails` };
    }
    if (!hasRecordedTurns(session)) {
      return { met: null, reason: 'nothing of this session was recorded, so nothing could be found in it' };
    }
    if (unanswered > 0) {
      const questions =
        unanswered === 1 ? '1 question about failures was' : `${unanswered} questions about failures were`;
      return { met: null, reason: `${questions} not answered; ${looked}` };
    }
    return { met: true, reason: `nothing at or above ${level}; ${looked}` };
  };
  return {
    scope: 'session',
    subject: session.id,
    metric: 'severity',
    threshold: level,
    actual,
    ...coverage(labels),
    ...found(),
  };
}

/**
 * Who looked for failures. A judge may have judged much else, so that it is said of what there.
 *
 * @param judged turns in which a judge was asked for failures, and answered.
 */
function describeChecks(judged: number, turns: number, { judge, metrics }: Configuration): string {
  if (judged > 0) return `rules and a judge, ${judged} of ${turns} turns judged for failures`;
  if (judge.provider === 'none') return `the rules are off, 0 of ${turns} turns judged`;
  const own = Array.isArray(metrics) ? [] : Object.values(metrics).flatMap((settings) => settings.judge ?? []);
  const isAsked = judge.provider !== 'rules' || own.length > 0;
  return isAsked ? 'rules only, no turn judged for failures' : `rules only, 0 of ${turns} turns judged`;
}

/** Whether anything of a session was recorded that could be looked at: without it, nothing passes. */
export function hasRecordedTurns({ turns }: Session): boolean {
  return turns.some(({ captured }) => captured !== false);
}

/** The metrics that answer with failure labels: of the configuration's own, those with a label that it gives a severity. */
function failureLabelMetrics({ custom, severities }: Configuration): string[] {
  const own = custom.filter(({ labels = [] }) => labels.some((label) => severityOfLabel(label, severities) !== null));
  return ['agent_behavior_failure', 'tool_call_behavior_failure', ...own.map(({ name }) => name)];
}

/**
 * A session's own verdict, by all thresholds that can be applied to it and by severity, and never `passed` where anything
 * went without an answer; why it is undecided; and those of its gates that count for the run as well.
 *
 * @param failures of the session, each with the severity that it is reported with.
 */
export function evaluateSessionGates(
  results: SessionResults,
  failures: readonly AgentProblem[],
  thresholds: readonly GateThreshold[],
  configuration: Configuration,
): SessionGateResults {
  const { id } = results.session;
  const own = thresholds
    .filter(({ metric }) => metric.scope === 'turn' || metric.scope === 'session')
    .map((threshold) => ({
      gate: evaluateThreshold(threshold, 'session', id, metricResults(results, threshold.metric), configuration),
      counts: gateScope(threshold, configuration) === 'session',
    }));
  const severity = severityGate(results, failures, configuration);
  const all = severity ? [...own, { gate: severity, counts: true }] : own;
  const gates = all.map(({ gate }) => gate);
  const undecided = undecidedReasons(results.missing, gates, hasRecordedTurns(results.session));
  return {
    verdict: verdictOf([...gates.map(({ met }) => met), ...undecided.map(() => null)]),
    undecided,
    gates: all.flatMap(({ gate, counts }) => (counts ? [gate] : [])),
  };
}

interface SessionGateResults {
  readonly verdict: Verdict;
  /** Sentences; empty where nothing leaves it undecided. */
  readonly undecided: readonly string[];
  readonly gates: readonly Gate[];
}
