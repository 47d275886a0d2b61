import type { Configuration } from '../config/schema.ts';
import type { Gate, Results } from '../core/report.ts';
import { coverage, type Result } from '../core/result.ts';
import type { Session } from '../core/session.ts';
import { atLeast, isFailure, type Severity, severityOfLabel, worst } from '../core/severity.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import type { Metric } from '../metrics/metric.ts';
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
  subject: string,
  { session, findings, turns }: SessionResults,
  { gates, severities, judge }: Configuration,
): Gate | null {
  const level = gates.failOnErrorSeverity;
  if (level === 'never') return null;
  const labels = turns.flatMap(failureLabels);
  const actual = worst([
    ...findings.map((finding) => finding.severity).filter(isFailure),
    ...labels.flatMap((result) => severitiesOf(result, severities)),
  ]);
  const recorded = isRecorded(session);
  const reached = actual !== null && atLeast(actual, level);
  const unanswered = labels.filter(({ status }) => status === 'error' || status === 'cancelled').length;
  const judged = turns.filter((metrics) => failureLabels(metrics).some(({ source }) => source === 'judge')).length;
  const looked = `${judge.provider === 'none' ? 'the rules are off' : judged > 0 ? 'rules and a judge' : 'rules only'}, ${judged} of ${turns.length} turns judged`;
  return {
    scope: 'session',
    subject,
    metric: 'severity',
    threshold: level,
    actual,
    ...coverage(labels),
    met: reached ? false : unanswered > 0 || !recorded ? null : true,
    reason: reached
      ? `a ${actual} failure was found, ${level} fails`
      : !recorded
        ? 'nothing of this session was recorded, so nothing could be found in it'
        : unanswered > 0
          ? `${unanswered} questions about failures were not answered; ${looked}`
          : `nothing at or above ${level}; ${looked}`,
  };
}

/** Whether anything of a session was recorded that could be looked at: without it, nothing passes. */
export function isRecorded({ turns }: Session): boolean {
  return turns.some(({ captured }) => captured !== false);
}

/** The metrics that answer with failure labels. */
const FAILURE_METRICS = ['agent_behavior_failure', 'tool_call_behavior_failure'] as const;

function failureLabels(metrics: Results): Result[] {
  return FAILURE_METRICS.flatMap((name) => metrics[name] ?? []);
}

/** Of labels that no finding stands for already. */
function severitiesOf({ source, labels }: Result, overrides: Readonly<Record<string, Severity>>): Severity[] {
  return source === 'rules' ? [] : labels.flatMap((label) => severityOfLabel(label, overrides) ?? []);
}

/**
 * A session's own verdict, by all thresholds that can be applied to it and by severity; and those of its gates that
 * count for the run as well.
 */
export function sessionGates(
  results: SessionResults,
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
  const severity = severityGate(id, results, configuration);
  const all = severity ? [...own, { gate: severity, counts: true }] : own;
  const verdict = verdictOf(all.map(({ gate }) => gate.met));
  return {
    verdict: verdict === 'passed' && !isRecorded(results.session) ? 'undecided' : verdict,
    gates: all.flatMap(({ gate, counts }) => (counts ? [gate] : [])),
  };
}
