import type { MetricOutcome } from '../../core/result.ts';
import { clamp, round } from '../../core/scale.ts';
import { sessionMetric } from '../metric.ts';
import {
  collectSignals,
  describeCounts,
  riskMetadata,
  SIGNALS,
  type SignalWeights,
  signalOutage,
  type TurnSignals,
  turnKeys,
  weightsOptions,
  worstTurnEvidence,
} from './signals.ts';

const MODERATE = 0.3;
const HIGH = 0.5;

/** Stability: how uncertain the turns were, each amplified by its other risks, as a root mean square. */
export const agentConsistency = sessionMetric({
  name: 'agent_consistency',
  question: 'Did the agent perform smoothly over the whole session?',
  source: 'PandaProbe, session metrics',
  scale: 'unit',
  threshold: 0.5,
  bands: [
    { from: 0.9, name: 'highly consistent', meaning: 'Smooth operation across all turns' },
    { from: 0.7, name: 'generally consistent', meaning: 'Minor fluctuations' },
    { from: 0.5, name: 'moderate instability', meaning: 'Some turns deviate noticeably' },
    { from: 0.3, name: 'high instability', meaning: 'Frequent or severe deviations' },
    { from: 0, name: 'unstable', meaning: 'Several signals compound across turns' },
  ],
  needs: [],
  uses: SIGNALS,
  options: weightsOptions,

  evaluate(view, { weights }): MetricOutcome {
    // Only this signal is required.
    const outage = signalOutage(view, ['confidence']);
    if (outage) return outage;
    const { turns } = view.session;
    const { turns: signals, counts } = collectSignals(view);
    const { score, reason, details } = consistency(signals, weights);
    const keys = turnKeys(turns);
    return {
      status: details && counts.scored > 0 ? 'scored' : 'vacuous',
      score,
      source: 'aggregate',
      reason: reason + describeCounts(counts),
      evidence: worstTurnEvidence(
        turns,
        (details?.uncertainties ?? []).map(({ turn, uncertainty }) => ({
          turn,
          figure: uncertainty,
          note: `uncertainty ${round(uncertainty, 2)}`,
        })),
      ),
      metadata: {
        total_traces_in_session: turns.length,
        traces_evaluated: details?.uncertainties.length ?? 0,
        raw_instability: details && round(details.rawInstability),
        signal_weights: weights,
        per_trace_signals: Object.fromEntries(
          (details?.uncertainties ?? []).map(({ turn, penalty, uncertainty }) => [
            keys[turn] ?? '',
            {
              ...riskMetadata(signals[turn] ?? {}),
              situational_penalty: round(penalty),
              weighted_uncertainty: round(uncertainty),
            },
          ]),
        ),
        aggregation: details && { method: 'weighted_rms', rms_value: round(details.rawInstability) },
        signals: counts,
      },
      verdictInMetadata: true,
    };
  },
});

export interface TurnUncertainty {
  /** Zero-based position of the turn. */
  readonly turn: number;
  readonly penalty: number;
  readonly uncertainty: number;
}

export interface Consistency {
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  /** Null when no turn has a confidence. */
  readonly details: {
    readonly rawInstability: number;
    /** For the turns that have a confidence, in order. */
    readonly uncertainties: readonly TurnUncertainty[];
  } | null;
}

/**
 * PandaProbe's agent_consistency: over the turns that have a confidence, uncertainty = (1 + the weighted risks of the
 * other signals) x weight x (1 - confidence); score = 1 - the root mean square of those, within 0 to 1.
 */
export function consistency(turns: readonly TurnSignals[], weights: SignalWeights): Consistency {
  if (turns.length === 0) return { score: 1, reason: 'No traces or signals to evaluate.', details: null };
  const uncertainties = turns.flatMap((signals, turn) => uncertaintyOf(turn, signals, weights) ?? []);
  const n = uncertainties.length;
  if (n === 0) return { score: 1, reason: 'No evaluable traces.', details: null };

  // Summed in order of size, so that the order of turns does not change the result.
  const squares = uncertainties.map(({ uncertainty }) => uncertainty ** 2).sort((a, b) => a - b);
  const rawInstability = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / n);
  return {
    score: clamp(1 - rawInstability, 0, 1),
    reason: describeInstability(rawInstability, n),
    details: { rawInstability, uncertainties },
  };
}

function uncertaintyOf(turn: number, signals: TurnSignals, weights: SignalWeights): TurnUncertainty | null {
  const { confidence } = signals;
  if (confidence === undefined) return null;
  let penalty = 0;
  for (const signal of SIGNALS) {
    const score = signals[signal];
    if (signal !== 'confidence' && score !== undefined) penalty += weights[signal] * (1 - score);
  }
  return { turn, penalty, uncertainty: (1 + penalty) * weights.confidence * (1 - confidence) };
}

function describeInstability(instability: number, traces: number): string {
  if (instability < MODERATE) return `Consistent performance across ${traces} traces.`;
  if (instability < HIGH) return `Moderate instability detected across ${traces} traces.`;
  return `High instability across ${traces} traces; multiple signals compound.`;
}
