import type { ResultsByMetric } from '../../core/report.ts';
import type { Result, ResultTemplate } from '../../core/result.ts';
import type { ScoreRange } from '../../core/scale.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { studentT95 } from '../../stats/student.ts';
import { agentic } from '../session/agentic.ts';
import { aggregateResults, mean } from './aggregate.ts';
import { conversationEstimates } from './conversations.ts';

/** The results of one metric over a run. */
interface MetricResults {
  /** `turn` if at least one session has it by turn. */
  unit: 'turn' | 'session';
  /** By session: turns of one session resemble each other. Sessions with the same results share a list. */
  readonly bySession: (readonly Result[])[];
}

/** How the results of the metrics of a run are made. */
export interface MetricTemplates {
  readonly turn: readonly MetricTemplate[];
  readonly session: readonly MetricTemplate[];
}

interface MetricTemplate {
  readonly metric: { readonly name: string };
  readonly template: ResultTemplate;
}

type EvaluatedSession = Pick<SessionOutcome, 'turns' | 'metrics'>;

/**
 * The mean over the run of every turn and session metric that was scored, imported scores included. A mean over the turns of
 * one session is not counted beside its turns.
 */
export function runMeans(sessions: readonly EvaluatedSession[], plan: MetricTemplates): ResultsByMetric {
  const templates = new Map([...plan.turn, ...plan.session].map(({ metric, template }) => [metric.name, template]));
  const means: Record<string, Result> = {};
  for (const [name, { unit, bySession }] of collectResults(sessions)) {
    const results = bySession.flat();
    const first = results.find(({ status }) => status === 'scored');
    if (!first) continue;
    const template = templates.get(name) ?? templateOf(first);
    const whole = aggregateResults(results, template, unit);
    const more = name === agentic.name ? { conversations: conversationEstimates(results) } : firstContact(results);
    means[name] = { ...whole, metadata: { ...whole.metadata, ...spread(bySession, whole), ...more } };
  }
  return means;
}

/** Keeps of each result what means read, and equal ones once: a run has many sessions. */
function collectResults(sessions: readonly EvaluatedSession[]): Map<string, MetricResults> {
  const found = new Map<string, MetricResults>();
  const share = sharedLists();
  const add = (name: string, unit: MetricResults['unit'], results: readonly Result[]) => {
    const own = results.filter(({ implied }) => !implied);
    if (own.length === 0) return;
    const counted = share(own);
    const known = found.get(name);
    if (!known) {
      found.set(name, { unit, bySession: [counted] });
      return;
    }
    if (unit === 'turn') known.unit = unit;
    known.bySession.push(counted);
  };
  for (const { turns, metrics } of sessions) {
    const ofTurns = new Map<string, Result[]>();
    for (const turn of turns) {
      for (const [name, result] of Object.entries(turn.metrics)) {
        const known = ofTurns.get(name);
        if (known) known.push(result);
        else ofTurns.set(name, [result]);
      }
    }
    for (const [name, results] of ofTurns) add(name, 'turn', results);
    for (const [name, result] of Object.entries(metrics)) if (!ofTurns.has(name)) add(name, 'session', [result]);
  }
  return found;
}

/** Metadata that means read, of rubrics, first contact and `agentic`. */
const MEAN_METADATA: ReadonlySet<string> = new Set([
  'rubrics',
  'first_contact',
  'is_fully_correct',
  'assistant_id',
  'k',
  'estimator',
]);

/** Lists of what means read of results, the same list for equal results. */
function sharedLists(): (results: readonly Result[]) => readonly Result[] {
  const numbers = new Map<Result, number>();
  const byContent = new Map<string, Result>();
  const lists = new Map<string, readonly Result[]>();
  const numberOf = (result: Result) => {
    const number = numbers.get(result) ?? numbers.size;
    numbers.set(result, number);
    return number;
  };
  const shared = (result: Result) => {
    if (Object.isFrozen(result)) return result;
    const { status, score, label, labels, scale, threshold, metadata } = result;
    // The reason of a score says nothing about a mean.
    const reason = status === 'scored' ? null : result.reason;
    const ofMeans = Object.fromEntries(Object.entries(metadata).filter(([name]) => MEAN_METADATA.has(name)));
    const key = JSON.stringify([status, score, label, labels, scale, threshold, reason, ofMeans]);
    const kept: Result = { ...result, reason, evidence: [], metadata: ofMeans };
    const known = byContent.get(key) ?? kept;
    byContent.set(key, known);
    return known;
  };
  return (results) => {
    const own = results.map(shared);
    const key = own.map(numberOf).join();
    const list = lists.get(key) ?? own;
    lists.set(key, list);
    return list;
  };
}

/** Of scores in the trace that are no metric of the run. */
function templateOf({ scale, threshold }: Result): ResultTemplate {
  return { range: scale, threshold, bands: [], lowerIsBetter: false, implied: false };
}

/**
 * n, the standard deviation of the scores, and the 95% interval of the mean. The interval takes sessions as independent, and
 * not their turns: the variance of the mean is that of the sums of the sessions' deviations.
 */
function spread(
  bySession: readonly (readonly Result[])[],
  { score, scale }: Result,
): Readonly<Record<string, unknown>> {
  const scores = bySession.map(scoresOf).filter((own) => own.length > 0);
  const all = scores.flat();
  const n = all.length;
  if (n === 0 || score === null) return { n: bySession.flat().filter(({ status }) => status === 'scored').length };
  const center = mean(all);
  const squares = all.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const groups = scores.length;
  const sums = scores.reduce((sum, own) => sum + own.reduce((part, value) => part + value - center, 0) ** 2, 0);
  const half = groups < 2 ? null : (studentT95(groups - 1) * Math.sqrt((sums * groups) / (groups - 1))) / n;
  return {
    n,
    sd: n < 2 ? null : Math.sqrt(squares / (n - 1)),
    ci95: half === null ? null : withinScale([score - half, score + half], scale),
  };
}

function scoresOf(results: readonly Result[]): number[] {
  return results.flatMap(({ status, score }) => (status === 'scored' && score !== null ? [score] : []));
}

function withinScale([low, high]: readonly [number, number], scale: ScoreRange | null): [number, number] {
  if (!scale) return [low, high];
  const [min, max] = scale;
  return [Math.max(min, low), max === null ? high : Math.min(max, high)];
}

/** The share of the sessions that were resolved at first contact, of those for which a judge says it. */
function firstContact(results: readonly Result[]): Readonly<Record<string, unknown>> {
  const known = results.flatMap(({ status, metadata: { first_contact } }) =>
    status === 'scored' && typeof first_contact === 'boolean' ? [first_contact] : [],
  );
  if (known.length === 0) return {};
  return { first_contact_rate: known.filter(Boolean).length / known.length };
}
