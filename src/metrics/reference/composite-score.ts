import * as z from 'zod';
import { getNumber } from '../../core/json.ts';
import type { MetricOutcome, Status } from '../../core/result.ts';
import type { ScoreRange } from '../../core/scale.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import { NEEDS_JUDGE } from '../judged-metric.ts';
import { type TurnView, turnMetric } from '../metric.ts';

const PARTS = ['trajectory', 'accuracy', 'relevance', 'efficiency'] as const;
type ScorePart = (typeof PARTS)[number];

/** The metrics for each part: the first one with a score counts. */
const SOURCES: Readonly<Record<ScorePart, readonly string[]>> = {
  trajectory: ['tool_trajectory_avg_score', 'tool_correctness'],
  accuracy: ['final_response_match_v2', 'task_completion'],
  relevance: ['relevance'],
  efficiency: ['step_efficiency'],
};

const weight = z.number().min(0).max(1);
const weights = z
  .strictObject({
    trajectory: weight.default(0.4),
    accuracy: weight.default(0.3),
    relevance: weight.default(0.2),
    efficiency: weight.default(0.1),
  })
  .refine((weights) => Math.abs(Object.values(weights).reduce((sum, weight) => sum + weight, 0) - 1) < 1e-6, {
    error: 'the four weights must sum to 1 (defaults: trajectory 0.4, accuracy 0.3, relevance 0.2, efficiency 0.1)',
  });

/**
 * A weighted mean of four parts: 0.4 trajectory + 0.3 accuracy + 0.2 relevance + 0.1 efficiency. Parts that a turn does not
 * have, such as the trajectory without tools, are left out.
 */
export const compositeScore = turnMetric({
  name: 'composite_score',
  question: 'All in all, how good was this turn?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: 0.8,
  needs: ['judge'],
  uses: PARTS.flatMap((part) => SOURCES[part]),
  options: z.strictObject({ weights: weights.prefault({}) }),

  evaluate(view, { weights }): MetricOutcome {
    const weighted = PARTS.filter((part) => weights[part] > 0);
    const all = weighted.map((part) => ({ part, ...scorePart(part, view) }));
    const absent = all.filter(({ status }) => ABSENT.has(status));
    const fed = absent.length < all.length ? all.filter((part) => !absent.includes(part)) : all;
    if (fed.every(({ status }) => status === 'needs_judge')) return NEEDS_JUDGE;
    const metadata = {
      weights,
      parts: Object.fromEntries(all.map(({ part, metric, status, score }) => [part, { metric, status, score }])),
    };
    const missing = WORST_FIRST.find((state) => fed.some(({ status }) => status === state));
    if (missing) {
      const named = fed.filter(({ score }) => score === null).map(({ part, metric }) => `${part} (${metric})`);
      return {
        status: missing,
        reason: `No score, because ${joinWithAnd(named)} ${named.length === 1 ? 'has' : 'have'} none.`,
        metadata,
      };
    }
    const total = (of: (part: PartScore) => number) =>
      fed.reduce((sum, part) => sum + weights[part.part] * of(part), 0);
    const without =
      absent.length === 0
        ? ''
        : `; without ${joinWithAnd(absent.map(({ part }) => part))}, which the turn does not have`;
    return {
      status: fed.some(({ status }) => status === 'scored') ? 'scored' : 'vacuous',
      score: total(({ score }) => score ?? 0) / total(() => 1),
      source: 'aggregate',
      reason: `${fed.map(({ part, score }) => `${part} ${score?.toFixed(2)}`).join(', ')}${without}.`,
      metadata,
    };
  },
});

/** Statuses of a part that the turn does not have. */
const ABSENT: ReadonlySet<Status> = new Set(['not_applicable', 'needs_reference']);

/** The status if a part has no score: the most severe one. */
const WORST_FIRST = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'needs_attempts',
  'not_applicable',
] as const;

interface PartScore {
  readonly metric: string;
  readonly status: Status;
  /** 0 to 1. */
  readonly score: number | null;
}

function scorePart(part: ScorePart, view: TurnView): PartScore {
  const candidates = SOURCES[part].flatMap((metric): PartScore[] => {
    const source = view.result(metric);
    if (!source) return importedPart(metric, view);
    const { status, score, scale } = source;
    return [{ metric, status, score: score === null ? null : toUnit(score, scale) }];
  });
  const order: readonly Status[] = ['scored', 'vacuous', ...WORST_FIRST];
  const best = candidates.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))[0];
  // None of them runs.
  return best ?? { metric: SOURCES[part].at(-1) ?? part, status: 'needs_judge', score: null };
}

/** The file's own score of a metric that does not run. */
function importedPart(metric: string, { turn }: TurnView): PartScore[] {
  const score = getNumber(turn.scores, metric);
  return score === undefined || score < 0 || score > 1 ? [] : [{ metric, status: 'scored', score }];
}

/** A likert score x is (x - 1) / 4. */
function toUnit(score: number, scale: ScoreRange | null): number {
  const [min, max] = scale ?? [0, 1];
  return max === null ? score : (score - min) / (max - min);
}
