import { get, getArray, getNumber } from '../../core/json.ts';
import type { Metadata } from '../../core/result.ts';
import type { SessionModel } from '../session-model.ts';
import { type SignalPart, turnMetadata, turnsByKey, weightedRisks } from './turn-signals.ts';

/** `agent_reliability`: the worst turns, and which of them have a high risk by themselves. */
export interface ReliabilityBreakdown {
  /** The share of the turns that count. */
  readonly share: number;
  /** How many turns that is. */
  readonly counting: number;
  /** Mean and highest risk of the turns that count. */
  readonly mean: number;
  readonly highest: number;
  /** The weight of the highest risk against the mean. */
  readonly weight: number;
  /** How many turns are flagged. */
  readonly flagged: number;
  /** The highest risk first. */
  readonly turns: readonly TurnRisk[];
}

interface TurnRisk {
  readonly turn: number;
  readonly risk: number;
  readonly parts: readonly SignalPart[];
  readonly isCounted: boolean;
  readonly isFlagged: boolean;
}

/** Null where the metadata do not explain the score. */
export function reliabilityBreakdown(metadata: Metadata, model: SessionModel): ReliabilityBreakdown | null {
  const aggregation = get(metadata, 'aggregation');
  const share = getNumber(aggregation, 'top_k_percentile');
  const mean = getNumber(aggregation, 'mean_top_k_risk');
  const highest = getNumber(aggregation, 'max_risk');
  const weight = getNumber(aggregation, 'ensemble_weight');
  if (share === undefined || mean === undefined || highest === undefined || weight === undefined) return null;

  const keys = turnsByKey(model);
  const flagged = new Set((getArray(metadata, 'flagged_traces') ?? []).map((key) => keys.get(String(key))));
  const risks = turnMetadata(metadata, model)
    .flatMap(({ turn, metadata: noted }) => {
      const risk = getNumber(noted, 'step_risk');
      return risk === undefined ? [] : [{ turn, risk, parts: weightedRisks(noted, metadata) }];
    })
    .sort((a, b) => b.risk - a.risk);
  const counting = Math.max(1, Math.ceil(risks.length * share));
  return {
    share,
    counting,
    mean,
    highest,
    weight,
    flagged: flagged.size,
    turns: risks.map((risk, rank) => ({ ...risk, isCounted: rank < counting, isFlagged: flagged.has(risk.turn) })),
  };
}
