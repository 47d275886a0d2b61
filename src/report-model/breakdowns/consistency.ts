import { getNumber } from '../../core/json.ts';
import type { Metadata } from '../../core/result.ts';
import type { SessionModel } from '../session-model.ts';
import { type SignalPart, turnMetadata, weightedRisks } from './turn-signals.ts';

/** `agent_consistency`: how uncertain each turn was, and which other signals increased that. */
export interface ConsistencyBreakdown {
  /** The root mean square of the uncertainties. */
  readonly instability: number;
  /** The most uncertain first. */
  readonly turns: readonly TurnUncertainty[];
}

interface TurnUncertainty {
  readonly turn: number;
  readonly uncertainty: number;
  /** The part from the turn's own confidence. */
  readonly fromConfidence: number;
  readonly penalty: number;
  /** What the other signals contribute to the penalty. */
  readonly parts: readonly SignalPart[];
}

/** Null where the metadata do not explain the score. */
export function consistencyBreakdown(metadata: Metadata, model: SessionModel): ConsistencyBreakdown | null {
  const instability = getNumber(metadata, 'raw_instability');
  if (instability === undefined) return null;
  const turns = turnMetadata(metadata, model)
    .flatMap(({ turn, metadata: noted }): TurnUncertainty[] => {
      const uncertainty = getNumber(noted, 'weighted_uncertainty');
      const penalty = getNumber(noted, 'situational_penalty');
      if (uncertainty === undefined || penalty === undefined) return [];
      const parts = weightedRisks(noted, metadata);
      return [
        {
          turn,
          uncertainty,
          fromConfidence: parts.find(({ name }) => name === 'confidence')?.amount ?? 0,
          penalty,
          parts: parts.filter(({ name, amount }) => name !== 'confidence' && amount > 0),
        },
      ];
    })
    .sort((a, b) => b.uncertainty - a.uncertainty);
  return { instability, turns };
}
