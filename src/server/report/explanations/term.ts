import { get, getNumber, isObject } from '../../../core/json.ts';
import type { Metadata } from '../../../core/result.ts';
import { SIGNALS, turnKeys } from '../../../metrics/session/signals.ts';
import type { Explanation, ExplanationTerm } from '../../../protocol/report.ts';
import type { SessionModel } from '../../../report-model/session-model.ts';
import { limitSentence } from '../values.ts';

/** What a metric's score is made of. */
export type MetricBreakdown = Pick<Explanation, 'sentences'> & { readonly terms: readonly ExplanationTerm[] };

/** Explains a score from its result's metadata; null where they do not. Computes no score. */
export type ExplainMetric = (metadata: Metadata, model: SessionModel) => MetricBreakdown | null;

/** Turns that one term lists. */
const MAX_TURNS = 100;

export function term(
  parts: Pick<ExplanationTerm, 'of' | 'name' | 'sentence'> & Partial<ExplanationTerm>,
): ExplanationTerm {
  const { turns = [] } = parts;
  return {
    amount: null,
    unit: null,
    parts: [],
    marks: [],
    ...parts,
    sentence: limitSentence(parts.sentence),
    turns: turns.slice(0, MAX_TURNS),
    turnsOmitted: Math.max(0, turns.length - MAX_TURNS),
  };
}

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
} as const satisfies Record<(typeof SIGNALS)[number], string>;

/** The weighted risks of a turn by signal, the highest first. */
export function weightedRisks(noted: unknown, metadata: Metadata): ExplanationTerm['parts'] {
  const weights = get(metadata, 'signal_weights');
  const risks = SIGNALS.flatMap((signal) => {
    const risk = getNumber(noted, RISKS[signal]);
    return risk === undefined ? [] : [{ name: signal, amount: risk * (getNumber(weights, signal) ?? 1) }];
  });
  return risks.sort((a, b) => b.amount - a.amount);
}

/** Two decimals. */
export function formatFigure(value: number): string {
  return value.toFixed(2);
}
