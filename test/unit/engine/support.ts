import { type ConfigurationInput, configurationSchema } from '../../../src/config/schema.ts';
import type { MetricOutcome } from '../../../src/core/result.ts';
import type { Session, Turn } from '../../../src/core/session.ts';
import { hasRecordedTurns } from '../../../src/engine/gates.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import { createRunPlan, planMetrics } from '../../../src/engine/plan.ts';
import { createSessionMetricsEvaluator, type SessionResults } from '../../../src/engine/session-metrics.ts';
import { type Metric, sessionMetric, type TurnMetric, turnMetric } from '../../../src/metrics/metric.ts';

export function turn(id: string, more: Partial<Turn> = {}): Turn {
  return { id, pointer: `/turns/${id}`, input: 'hello', output: 'hi', steps: [], ...more };
}

export function session(id: string, turns: readonly Turn[], more: Partial<Session> = {}): Session {
  return { id, source: { file: `${id}.json`, format: 'turnwise', pointer: '' }, turns, ...more };
}

export const scored = (score: number): MetricOutcome => ({ status: 'scored', score, source: 'rules', reason: null });
export const needsJudge: MetricOutcome = Object.freeze({ status: 'needs_judge', reason: 'a model must answer' });

/** A turn metric that answers from a table by turn id. */
export function scripted(
  name: string,
  answers: Readonly<Record<string, MetricOutcome>>,
  more: Partial<TurnMetric> = {},
): TurnMetric {
  return turnMetric({
    name,
    question: '?',
    source: 'test',
    scale: 'unit',
    threshold: 0.5,
    needs: [],
    evaluate: ({ turn: { id } }) => answers[id] ?? needsJudge,
    ...more,
  });
}

export function counting(name: string, uses: readonly string[], more: Partial<Metric> = {}): Metric {
  return sessionMetric({
    name,
    question: '?',
    source: 'test',
    scale: 'unit',
    threshold: 0.5,
    needs: [],
    uses,
    evaluate: (view) =>
      scored(view.turnResults(uses[0] ?? '').filter((result) => result?.status === 'scored').length / 10),
    ...(more as object),
  });
}

export const configuration = (input: ConfigurationInput = {}) => configurationSchema.parse(input);

export async function evaluated(
  table: readonly Metric[],
  input: ConfigurationInput,
  subject: Session,
  { signal = new AbortController().signal, only }: { signal?: AbortSignal; only?: number } = {},
) {
  const plan = planMetrics(table, configuration(input));
  const results = await createSessionMetricsEvaluator({
    plan,
    judges: NO_JUDGES,
    embedder: null,
    maxConcurrentTurns: 1,
    ruleIds: [],
    signal,
    yieldIfDue: () => undefined,
  }).evaluate(subject, [], only, () => {});
  return { plan, results };
}

export const runPlan = (metrics: readonly Metric[], input: ConfigurationInput) =>
  createRunPlan({ configuration: configuration(input), metrics, judges: NO_JUDGES, embedder: null, version: '' });

/** What gates look at; all turns were evaluated, or the only one. */
export function outcomeOf(
  { session: { id, turns: all, ...rest }, turns, metrics, missing }: SessionResults,
  only?: number,
) {
  return {
    id,
    isRecorded: hasRecordedTurns({ id, turns: all, ...rest }),
    isTestCase: false,
    turns: turns.flatMap((results, index) =>
      only === undefined || only === index
        ? [{ id: `t${index}`, index, pointer: '', line: null, metrics: results }]
        : [],
    ),
    metrics,
    missing,
  };
}
