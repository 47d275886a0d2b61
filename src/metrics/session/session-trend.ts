import type { MetricOutcome, Result } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import { NEEDS_JUDGE, notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';
import { evidenceAt } from '../shared/evidence.ts';

const GAIN = 0.02;
const PATIENCE = 5;
const GOOD_ENOUGH = 0.5;
const FALL = 0.15;
/** Alerts in the reason; the metadata have all of them. */
const MAX_ALERTS = 5;
/** Tolerance for rounding errors in differences of scores. */
const EPSILON = 1e-9;

/** Where the agent stopped getting better, and where it got worse, by the task scores of its turns. */
export const sessionTrend = sessionMetric({
  name: 'session_trend',
  question: 'Does the agent keep getting closer to what the user wants?',
  source: 'Turnwise, after the later practice of the authors of PandaProbe',
  scale: 'label',
  threshold: null,
  needs: ['judge'],
  uses: ['task_completion'],

  evaluate(view): MetricOutcome {
    const { turns } = view.session;
    const results = view.turnResults('task_completion');
    const scores = results.map((result) => (result?.status === 'scored' ? result.score : null));
    const scored = scores.filter((score) => score !== null).length;
    if (scored < 2) return noTrendOutcome(results);

    const alerts = trendAlerts(scores);
    const kinds = (['regressed', 'stalled'] as const).filter((kind) => alerts.some((alert) => alert.kind === kind));
    const label = kinds[0] ?? 'steady';
    const listed = alerts.slice(0, MAX_ALERTS);
    const more = alerts.length > MAX_ALERTS ? ` And ${alerts.length - MAX_ALERTS} more.` : '';
    return {
      status: 'scored',
      label,
      labels: kinds.length > 0 ? kinds : [label],
      source: 'aggregate',
      reason: alerts.length > 0 ? listed.map(describeAlert).join(' ') + more : `Steady over ${scored} scored turns.`,
      evidence: listed.flatMap((alert) => {
        const turn = turns[alert.turn];
        return turn ? [evidenceAt(turn, turn.pointer, describeAlert(alert))] : [];
      }),
      metadata: { alerts, turns_scored: scored, turns_missing: turns.length - scored },
    };
  },
});

export interface TrendAlert {
  /** Zero-based position of the turn. */
  readonly turn: number;
  readonly kind: 'stalled' | 'regressed';
  readonly score: number;
  /** The best score before it, since the last alert. */
  readonly best: number;
}

/**
 * Stalled: no gain above 0.02 for 5 scored turns while the best score is below 0.5. Regressed: a score 0.15 or more
 * below the best. After each alert, counting restarts from the current score. Turns without a score are skipped.
 */
export function trendAlerts(scores: readonly (number | null)[]): TrendAlert[] {
  const alerts: TrendAlert[] = [];
  let best: number | null = null;
  /** The score that the last gain reached, and the scored turns since. */
  let reached = 0;
  let idle = 0;
  for (const [turn, score] of scores.entries()) {
    if (score === null) continue;
    if (best === null || score > reached + GAIN + EPSILON) {
      best = Math.max(best ?? score, score);
      reached = score;
      idle = 0;
      continue;
    }
    idle += 1;
    const fell = best - score >= FALL - EPSILON;
    if (fell || (idle >= PATIENCE && best < GOOD_ENOUGH)) {
      alerts.push({ turn, kind: fell ? 'regressed' : 'stalled', score, best });
      best = score;
      reached = score;
      idle = 0;
    } else {
      best = Math.max(best, score);
    }
  }
  return alerts;
}

function describeAlert({ turn, kind, score, best }: TrendAlert): string {
  return kind === 'stalled'
    ? `Stalled at turn ${turn + 1}: no gain for ${PATIENCE} turns, best ${round(best, 2)}.`
    : `Regressed at turn ${turn + 1}: ${round(score, 2)} after ${round(best, 2)}.`;
}

/** The outcome with fewer than two task scores: an error, a missing judge, or too few turns. */
function noTrendOutcome(results: readonly (Result | undefined)[]): MetricOutcome {
  for (const status of ['error', 'cancelled'] as const) {
    const broken = results.find((result) => result?.status === status);
    if (broken) return { status, reason: `Too few turns have a task score. ${broken.reason ?? ''}`.trim() };
  }
  const unjudged = results.length > 1 && results.some((result) => !result || result.status === 'needs_judge');
  return unjudged ? NEEDS_JUDGE : TOO_FEW;
}

const TOO_FEW = notApplicable('A trend needs the task scores of at least two turns.');
