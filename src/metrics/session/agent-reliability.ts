import type { MetricOutcome } from '../../core/result.ts';
import { clamp, round } from '../../core/scale.ts';
import { sessionMetric } from '../metric.ts';
import {
  collectSignals,
  describeCounts,
  riskMetadata,
  SIGNALS,
  type Signal,
  type SignalWeights,
  signalOutage,
  type TurnSignals,
  turnKeys,
  weightsOptions,
  worstTurnEvidence,
} from './signals.ts';

const TOP_SHARE = 0.15;
const MAX_SHARE = 0.1;
const FLAGGED_ABOVE = 0.5;

/** The signals that need a judge. */
const JUDGED_SIGNALS = ['confidence', 'tool_correctness'] as const;

/** Worst-case risk: the highest weighted risk of each turn, and of those the worst 15%. */
export const agentReliability = sessionMetric({
  name: 'agent_reliability',
  question: 'Did the agent ever fail badly in this session?',
  source: 'PandaProbe, session metrics',
  scale: 'unit',
  threshold: 0.5,
  bands: [
    { from: 0.9, name: 'highly reliable', meaning: 'No elevated risk in any turn' },
    { from: 0.7, name: 'generally reliable', meaning: 'Minor risk in a few turns' },
    { from: 0.5, name: 'moderate risk', meaning: 'Some turns show concerning behaviour' },
    { from: 0.3, name: 'elevated risk', meaning: 'Several turns with significant issues' },
    { from: 0, name: 'high risk', meaning: 'The session contains catastrophic failures' },
  ],
  needs: [],
  uses: SIGNALS,
  options: weightsOptions,

  evaluate(view, { weights }): MetricOutcome {
    const outage = signalOutage(view, JUDGED_SIGNALS);
    if (outage) return outage;
    const { turns } = view.session;
    const { turns: signals, counts } = collectSignals(view);
    const { score, reason, details } = reliability(signals, weights);
    const keys = turnKeys(turns);
    const keyOf = (index: number) => keys[index] ?? '';
    return {
      status: details && counts.scored > 0 ? 'scored' : 'vacuous',
      score,
      source: 'aggregate',
      reason: reason + describeCounts(counts),
      evidence: worstTurnEvidence(
        turns,
        (details?.risks ?? []).map(({ turn, risk, signal }) => ({
          turn,
          figure: risk,
          note: `risk ${round(risk, 2)} by ${signal}`,
        })),
      ),
      metadata: {
        total_traces_in_session: turns.length,
        traces_evaluated: details?.risks.length ?? 0,
        raw_risk: details && round(details.rawRisk),
        signal_weights: weights,
        per_trace_signals: Object.fromEntries(
          (details?.risks ?? []).map(({ turn, risk }) => [
            keyOf(turn),
            { ...riskMetadata(signals[turn] ?? {}), step_risk: round(risk) },
          ]),
        ),
        flagged_traces: (details?.flagged ?? []).map(keyOf),
        aggregation: details && {
          method: 'max_compose_top_k',
          top_k_percentile: TOP_SHARE,
          ensemble_weight: MAX_SHARE,
          mean_top_k_risk: round(details.meanTopRisk),
          max_risk: round(details.maxRisk),
        },
        signals: counts,
      },
      verdictInMetadata: true,
    };
  },
});

export interface ReliabilityRisk {
  /** Zero-based position of the turn. */
  readonly turn: number;
  readonly risk: number;
  /** The signal that gives the risk. */
  readonly signal: Signal;
}

export interface Reliability {
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  /** Null when no turn has a signal. */
  readonly details: {
    readonly rawRisk: number;
    readonly meanTopRisk: number;
    readonly maxRisk: number;
    /** Of the turns that have a signal, in order. */
    readonly risks: readonly ReliabilityRisk[];
    /** Positions of the turns whose risk is above 0.5. */
    readonly flagged: readonly number[];
  } | null;
}

/**
 * PandaProbe's agent_reliability: risk of a turn = max of weight x (1 - signal) over the signals it has; over turns,
 * 0.9 x mean of the top max(1, ceil(0.15 n)) risks + 0.1 x the highest; score = 1 - that, within 0 to 1.
 */
export function reliability(turns: readonly TurnSignals[], weights: SignalWeights): Reliability {
  if (turns.length === 0) return { score: 1, reason: 'No traces or signals to evaluate.', details: null };
  const risks = turns.flatMap((signals, turn) => worstRisk(turn, signals, weights) ?? []);
  const sorted = risks.map(({ risk }) => risk).sort((a, b) => b - a);
  const maxRisk = sorted[0];
  if (maxRisk === undefined) return { score: 1, reason: 'No evaluable traces.', details: null };

  const top = sorted.slice(0, Math.max(1, Math.ceil(risks.length * TOP_SHARE)));
  const meanTopRisk = top.reduce((sum, risk) => sum + risk, 0) / top.length;
  const rawRisk = (1 - MAX_SHARE) * meanTopRisk + MAX_SHARE * maxRisk;
  const flagged = risks.filter(({ risk }) => risk > FLAGGED_ABOVE).map(({ turn }) => turn);
  return {
    score: clamp(1 - rawRisk, 0, 1),
    reason:
      flagged.length > 0
        ? `Elevated risk in ${flagged.length} of ${risks.length} traces.`
        : `No elevated risk across ${risks.length} traces.`,
    details: { rawRisk, meanTopRisk, maxRisk, risks, flagged },
  };
}

function worstRisk(turn: number, signals: TurnSignals, weights: SignalWeights): ReliabilityRisk | null {
  let worst: ReliabilityRisk | null = null;
  for (const signal of SIGNALS) {
    const score = signals[signal];
    if (score === undefined) continue;
    const risk = weights[signal] * (1 - score);
    if (!worst || risk > worst.risk) worst = { turn, risk, signal };
  }
  return worst;
}
