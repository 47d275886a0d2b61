import type { Configuration } from '../config/schema.ts';
import type { Gate, Results } from '../core/report.ts';
import { coverage, type Result } from '../core/result.ts';
import type { Session } from '../core/session.ts';
import { atLeast, severityOfLabel, worst } from '../core/severity.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Failure } from './failures.ts';
import type { SessionResults } from './session-evaluation.ts';
import { type Threshold, thresholdGate } from './threshold.ts';
import { scopeOf } from './thresholds.ts';

/** The results of a turn or session metric in one session. */
export function resultsOf({ turns, metrics }: SessionResults, metric: Metric): Result[] {
  const found = metric.scope === 'turn' ? turns.map((turn) => turn[metric.name]) : [metrics[metric.name]];
  return found.flatMap((result) => result ?? []);
}

/** The severity gate of one session; null when the level is `never`: then there is no such gate. */
function severityGate(
  { session, turns }: SessionResults,
  failures: readonly Failure[],
  configuration: Configuration,
): Gate | null {
  const { gates, judge } = configuration;
  const level = gates.failOnErrorSeverity;
  if (level === 'never') return null;
  const names = failureMetrics(configuration);
  const failureLabels = (metrics: Results): Result[] => names.flatMap((name) => metrics[name] ?? []);
  const labels = turns.flatMap(failureLabels);
  const actual = worst(failures.map(({ occurrence }) => occurrence.severity));
  const unanswered = labels.filter(({ status }) => status === 'error' || status === 'cancelled').length;
  const judged = turns.filter((metrics) => failureLabels(metrics).some(({ source }) => source === 'judge')).length;
  const who = judge.provider === 'none' ? 'the rules are off' : judged > 0 ? 'rules and a judge' : 'rules only';
  const looked = `${who}, ${judged} of ${turns.length} turns judged`;
  const found = (): Pick<Gate, 'met' | 'reason'> => {
    if (actual !== null && atLeast(actual, level)) {
      return { met: false, reason: `a ${actual} failure was found, ${level} fails` };
    }
    if (!isRecorded(session)) {
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

/** Whether anything of a session was recorded that could be looked at: without it, nothing passes. */
export function isRecorded({ turns }: Session): boolean {
  return turns.some(({ captured }) => captured !== false);
}

/** The metrics that answer with failure labels: of the configuration's own, those with a label that it gives a severity. */
function failureMetrics({ custom, severities }: Configuration): string[] {
  const own = custom.filter(({ labels = [] }) => labels.some((label) => severityOfLabel(label, severities) !== null));
  return ['agent_behavior_failure', 'tool_call_behavior_failure', ...own.map(({ name }) => name)];
}

/**
 * A session's own verdict, by all thresholds that can be applied to it and by severity; and those of its gates that
 * count for the run as well.
 *
 * @param failures of the session, each with the severity that it is reported with.
 */
export function sessionGates(
  results: SessionResults,
  failures: readonly Failure[],
  thresholds: readonly Threshold[],
  configuration: Configuration,
): { readonly verdict: Verdict; readonly gates: readonly Gate[] } {
  const { id } = results.session;
  const own = thresholds
    .filter(({ metric }) => metric.scope === 'turn' || metric.scope === 'session')
    .map((threshold) => ({
      gate: thresholdGate(threshold, 'session', id, resultsOf(results, threshold.metric), configuration),
      counts: scopeOf(threshold, configuration) === 'session',
    }));
  const severity = severityGate(results, failures, configuration);
  const all = severity ? [...own, { gate: severity, counts: true }] : own;
  const verdict = verdictOf(all.map(({ gate }) => gate.met));
  return {
    verdict: verdict === 'passed' && !isRecorded(results.session) ? 'undecided' : verdict,
    gates: all.flatMap(({ gate, counts }) => (counts ? [gate] : [])),
  };
}
