import { getArray, getNumber, getString } from '../../core/json.ts';
import type { Metadata } from '../../core/result.ts';

/** `session_trend`: where the agent stalled, and where it regressed. */
export interface TrendBreakdown {
  /** Turns with and without a task score. */
  readonly scored: number;
  readonly missing: number;
  readonly alerts: readonly TrendAlert[];
  /** How often it stalled or regressed, including alerts that name no turn. */
  readonly alertCount: number;
}

interface TrendAlert {
  readonly kind: 'stalled' | 'regressed';
  readonly turn: number;
  readonly score: number;
  /** The best score so far. */
  readonly best: number;
}

/** Null where the metadata do not explain the score. */
export function trendBreakdown(metadata: Metadata): TrendBreakdown | null {
  const alerts = getArray(metadata, 'alerts');
  const scored = getNumber(metadata, 'turns_scored');
  if (!alerts || scored === undefined) return null;
  return {
    scored,
    missing: getNumber(metadata, 'turns_missing') ?? 0,
    alertCount: alerts.length,
    alerts: alerts.flatMap((alert): TrendAlert[] => {
      const turn = getNumber(alert, 'turn');
      const [score, best] = [getNumber(alert, 'score'), getNumber(alert, 'best')];
      if (turn === undefined || score === undefined || best === undefined) return [];
      return [{ kind: getString(alert, 'kind') === 'stalled' ? 'stalled' : 'regressed', turn, score, best }];
    }),
  };
}
