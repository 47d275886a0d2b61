import type { Configuration } from '../config/schema.ts';
import type { Attempts, Gate, Results, ScenarioReport, SessionReport } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import { passAtK } from '../metrics/attempts/pass-at-k.ts';
import { statisticsOf } from './attempt-statistics.ts';
import {
  type Attempt,
  type Correctness,
  chooseK,
  correctness,
  countCorrect,
  groupAttempts,
  type Scenario,
  tabulate,
} from './attempts.ts';
import { resultsOf } from './gates.ts';
import type { Plan } from './plan.ts';
import { failed, framer, messageOf } from './results.ts';
import type { SessionResults } from './session-evaluation.ts';
import { type Threshold, thresholdGate } from './threshold.ts';
import { scopeOf } from './thresholds.ts';
import type { Unanswered } from './unanswered.ts';

export interface FinishedSession {
  readonly report: SessionReport;
  readonly results: SessionResults;
}

export interface Summary {
  readonly metrics: Results;
  readonly gates: readonly Gate[];
  readonly scenarios: readonly ScenarioReport[];
  readonly attempts: Attempts | null;
}

/**
 * What is said of several sessions together: run metrics, scenarios and their attempts, and the gates on them.
 *
 * @param unanswered hears of metrics of several sessions that cannot be computed.
 */
export function summarise(
  finished: readonly FinishedSession[],
  plan: Plan,
  thresholds: readonly Threshold[],
  configuration: Configuration,
  asked: { readonly k?: readonly number[]; readonly correctBy?: string },
  unanswered: Unanswered,
): Summary {
  const sessions: Attempt[] = finished.map(({ report, results }) => ({
    session: results.session,
    report,
    verdict: report.verdict,
    result: (name) => results.metrics[name],
  }));
  const byId = new Map(finished.map(({ report, results }) => [report.id, results]));
  const groups = groupAttempts(sessions);
  const correct = correctness(
    asked.correctBy,
    groups.flatMap((group) => group.attempts),
  );
  const at = (scope: Gate['scope']) => thresholds.filter((threshold) => scopeOf(threshold, configuration) === scope);

  const scenarios = groups.map((group) => {
    const metrics = scenarioMetrics(group, plan, unanswered);
    const gates = at('scenario').map((threshold) => {
      const results = scenarioResults(threshold, group, metrics, byId);
      return thresholdGate(threshold, 'scenario', group.name, results, configuration);
    });
    return {
      metrics,
      gates,
      report: scenarioReport(group, { metrics, statistics: statisticsOf(group, plan), gates, correct, k: asked.k }),
    };
  });

  const metrics = runMetrics(sessions, plan, unanswered);
  const runGates = at('run').map((threshold) => {
    const results = runResults(threshold, metrics, scenarios, finished);
    return thresholdGate(threshold, 'run', null, results, configuration);
  });

  return {
    metrics,
    gates: [...runGates, ...scenarios.flatMap(({ gates }) => gates)],
    scenarios: scenarios.map(({ report }) => report),
    attempts: tabulate(
      groups.map((group) => countCorrect(group, correct)),
      correct.by,
      asked.k,
    ),
  };
}

function runResults(
  { metric }: Threshold,
  ofRun: Results,
  scenarios: readonly { readonly metrics: Results }[],
  finished: readonly FinishedSession[],
): Result[] {
  if (metric.scope === 'run') return [ofRun[metric.name]].flatMap((result) => result ?? []);
  if (metric.scope === 'scenario') return scenarios.flatMap(({ metrics }) => metrics[metric.name] ?? []);
  return finished.flatMap(({ results }) => resultsOf(results, metric));
}

function scenarioMetrics(scenario: Scenario, plan: Plan, unanswered: Unanswered): Record<string, Result> {
  const metrics: Record<string, Result> = {};
  for (const planned of plan.scenario) {
    metrics[planned.metric.name] = framer(planned)(
      guarded(planned.metric.name, unanswered, () =>
        planned.metric.evaluate({ attempts: scenario.attempts }, planned.options),
      ),
    );
  }
  return metrics;
}

function runMetrics(sessions: readonly Attempt[], plan: Plan, unanswered: Unanswered): Record<string, Result> {
  const metrics: Record<string, Result> = {};
  for (const planned of plan.run) {
    metrics[planned.metric.name] = framer(planned)(
      guarded(planned.metric.name, unanswered, () => planned.metric.evaluate({ sessions }, planned.options)),
    );
  }
  return metrics;
}

function guarded<T>(name: string, unanswered: Unanswered, evaluate: () => T): T | ReturnType<typeof failed> {
  try {
    return evaluate();
  } catch (error) {
    unanswered.add('metric-failed', name, messageOf(error));
    return failed(name, error);
  }
}

function scenarioResults(
  { metric }: Threshold,
  scenario: Scenario,
  metrics: Results,
  byId: ReadonlyMap<string, SessionResults>,
): Result[] {
  if (metric.scope === 'scenario') return [metrics[metric.name]].flatMap((result) => result ?? []);
  return scenario.attempts.flatMap((attempt) => {
    const results = byId.get(attempt.report.id);
    return results ? resultsOf(results, metric) : [];
  });
}

interface ScenarioFigures {
  readonly metrics: Results;
  readonly statistics: ScenarioReport['statistics'];
  readonly gates: readonly Gate[];
  readonly correct: Correctness;
  readonly k: readonly number[] | undefined;
}

function scenarioReport(
  scenario: Scenario,
  { metrics, statistics, gates, correct, k }: ScenarioFigures,
): ScenarioReport {
  const first = scenario.attempts[0];
  const counts = countCorrect(scenario, correct);
  const { ks, estimator } = counts.n > 0 ? chooseK([counts], k) : { ks: [], estimator: 'unbiased' as const };
  const estimates = ks.map((each) => passAtK({ ...counts, k: each, estimator }));
  return {
    name: scenario.name,
    file: first?.session.source.file ?? '',
    line: null,
    verdict: scenarioVerdict(scenario, gates),
    assessment: estimates.at(-1)?.assessment ?? null,
    attempts: scenario.attempts.length,
    correct: counts.c,
    leftOut: counts.leftOut,
    passAtK: estimates.map(({ k: each, passAtK: value }) => ({ k: each, value })),
    passPowK: estimates.map(({ k: each, passPowK: value }) => ({ k: each, value })),
    metrics,
    ...(statistics ? { statistics } : {}),
    sessions: scenario.attempts.map((attempt) => attempt.report.id),
    traceFiles: [...new Set(scenario.attempts.map((attempt) => attempt.session.source.file))],
  };
}

/** By its gates, and by the verdict of every attempt. */
function scenarioVerdict(scenario: Scenario, gates: readonly Gate[]): Verdict {
  const attempts = scenario.attempts.map(({ verdict }) => (verdict === 'undecided' ? null : verdict === 'passed'));
  return verdictOf([...gates.map((gate) => gate.met), ...attempts]);
}
