import { type MetricOutcome, type Result, type ResultTemplate, type Status, toResult } from '../../core/result.ts';
import { coverage } from '../../core/scoring.ts';
import { NO_FAILURE, severityOfLabel, severityRank } from '../../core/severity.ts';
import { meanRubrics, rubricVerdicts } from './rubric-verdicts.ts';

/** The status of an aggregate without a scored result: the first of these that occurs. */
const PRECEDENCE: readonly Status[] = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'needs_attempts',
  'vacuous',
  'not_applicable',
];

/**
 * The result of a metric for a whole session or run: the mean of the scored turns or sessions, or the worst label.
 */
export function aggregateResults(
  results: readonly Result[],
  frame: ResultTemplate,
  unit: 'turn' | 'session' = 'turn',
): Result {
  return toResult(aggregateOutcome(results, unit), frame);
}

export function aggregateOutcome(results: readonly Result[], unit: 'turn' | 'session'): MetricOutcome {
  return hasLabel(results) ? worstLabel(results, unit) : meanOutcome(results, unit);
}

/** The mean of scored results; of vacuous ones only if there is nothing else, and then the mean is vacuous. */
export function meanOutcome(results: readonly Result[], unit: 'turn' | 'session'): MetricOutcome {
  const scores = scoresWithStatus(results, 'scored');
  const { scored, of } = coverage(results);
  if (scores.length > 0) {
    const score = meanScore(results);
    const rubrics = meanRubrics(results);
    const verdicts = rubrics ? `the rubrics' verdicts in ` : '';
    return {
      status: 'scored',
      score,
      source: 'aggregate',
      reason: `mean of ${verdicts}${scores.length} scored ${unit}${scores.length === 1 ? '' : 's'} of ${of}`,
      metadata: {
        scored,
        of,
        coverage: scored / of,
        min: Math.min(...minAndMax(scores)),
        max: Math.max(...minAndMax(scores)),
        ...(rubrics ? { rubrics } : {}),
      },
    };
  }
  const status = PRECEDENCE.find((candidate) => results.some((result) => result.status === candidate));
  const reason = results.find((result) => result.status === status)?.reason ?? `There is no ${unit} to score.`;
  if (status === 'vacuous') {
    return {
      status,
      score: mean(scoresWithStatus(results, 'vacuous')),
      source: 'aggregate',
      reason,
      metadata: { scored, of },
    };
  }
  return { status: status === undefined || status === 'scored' ? 'not_applicable' : status, reason };
}

function worstLabel(results: readonly Result[], unit: 'turn' | 'session'): MetricOutcome {
  const scoredOnes = results.filter(({ status }) => status === 'scored');
  const counts = countLabels(scoredOnes.flatMap((result) => result.labels));
  const headlines = countLabels(scoredOnes.flatMap((result) => result.label ?? []));
  const rank = (label: string) => {
    const severity = severityOfLabel(label);
    return severity ? severityRank(severity) : -1;
  };
  // A label that accompanies the headline of every turn, such as clarity, is not the headline of the session.
  const often = (label: string) => [headlines.get(label) ?? 0, counts.get(label) ?? 0] as const;
  const byCounts = (a: string, b: string) => often(b)[0] - often(a)[0] || often(b)[1] - often(a)[1];
  const labels = [...counts.keys()].sort((a, b) => rank(b) - rank(a) || byCounts(a, b));
  const label = labels[0];
  const { scored, of } = coverage(results);
  if (label === undefined) return meanOutcome(results, unit);
  // Labels of a style, or of a metric of the user's own, are no failures.
  const which = rank(label) < 0 && label !== NO_FAILURE ? 'most frequent' : 'most severe';
  return {
    status: 'scored',
    label,
    labels,
    source: 'aggregate',
    reason: `${which} label of ${scored} answered of ${of} ${unit}s`,
    metadata: { scored, of, counts: Object.fromEntries(counts) },
  };
}

function countLabels(labels: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

function hasLabel(results: readonly Result[]): boolean {
  return results.some((result) => result.status === 'scored' && result.label !== null);
}

function scoresWithStatus(results: readonly Result[], status: 'scored' | 'vacuous'): number[] {
  const scores: number[] = [];
  for (const { status: actual, score } of results) if (actual === status && score !== null) scores.push(score);
  return scores;
}

/**
 * The mean of scored results. If a score is itself the mean of rubric verdicts, each verdict counts once, as in ADK: a
 * turn with one decided rubric weighs less than a turn with all rubrics decided.
 *
 * @param results at least one of them scored.
 */
export function meanScore(results: readonly Result[]): number {
  return mean(
    results.flatMap((result) => (result.status === 'scored' ? (rubricVerdicts(result) ?? result.score ?? []) : [])),
  );
}

/** Smallest and largest value, without spreading an array of any length onto the stack. */
function minAndMax(scores: readonly number[]): [number, number] {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < min) min = score;
    if (score > max) max = score;
  }
  return [min, max];
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sum = values.reduce((total, value) => total + value, 0);
  // A sum of finite values may not be finite, and their mean always is.
  return Number.isFinite(sum) ? sum / values.length : values.reduce((total, value) => total + value / values.length, 0);
}
