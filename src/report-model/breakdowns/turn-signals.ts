import { get, getNumber, isObject } from '../../core/json.ts';
import type { Metadata } from '../../core/result.ts';
import { SIGNALS, type Signal, turnKeys } from '../../metrics/session/signals.ts';
import type { SessionModel } from '../session-model.ts';

/** A metric's metadata about one turn. */
export interface TurnMetadata {
  /** Zero-based. */
  readonly turn: number;
  readonly metadata: unknown;
}

/** `per_trace_signals`, keyed by turn. */
export function turnMetadata(metadata: Metadata, model: SessionModel): TurnMetadata[] {
  const noted = get(metadata, 'per_trace_signals');
  if (!isObject(noted)) return [];
  return [...turnsByKey(model)].flatMap(([key, turn]) =>
    Object.hasOwn(noted, key) ? [{ turn, metadata: noted[key] }] : [],
  );
}

export function turnsByKey({ report }: SessionModel): Map<string, number> {
  const keys = turnKeys(report.turns);
  return new Map(report.turns.map(({ index }, at) => [keys[at] ?? '', index]));
}

const RISKS = {
  confidence: 'confidence_risk',
  loop_detection: 'loop_risk',
  tool_correctness: 'tool_risk',
  coherence: 'coherence_risk',
} as const satisfies Record<Signal, string>;

/** What one signal contributes to the figure of a turn. */
export interface SignalPart {
  readonly name: Signal;
  readonly amount: number;
}

/** The weighted risks of a turn by signal, the highest first. */
export function weightedRisks(noted: unknown, metadata: Metadata): SignalPart[] {
  const weights = get(metadata, 'signal_weights');
  const risks = SIGNALS.flatMap((signal) => {
    const risk = getNumber(noted, RISKS[signal]);
    return risk === undefined ? [] : [{ name: signal, amount: risk * (getNumber(weights, signal) ?? 1) }];
  });
  return risks.sort((a, b) => b.amount - a.amount);
}
