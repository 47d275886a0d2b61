import { get, getNumber, isObject } from '../../../core/json.ts';
import type { Metadata } from '../../../core/result.ts';
import { SIGNALS, turnKeys } from '../../../metrics/session/signals.ts';
import type { Explanation, ExplanationTerm } from '../../../protocol/report.ts';
import type { SessionModel } from '../../../report-model/session-model.ts';
import { limitSentence } from '../values.ts';

/** What a metric's figure is made of, and how it comes to be. */
export type MetricBreakdown = Pick<Explanation, 'sentences'> & { readonly terms: readonly ExplanationTerm[] };

/** Reads in a result's metadata why its figure is what it is; null where they do not say it. Nothing is computed anew. */
export type ExplainMetric = (metadata: Metadata, model: SessionModel) => MetricBreakdown | null;

/** Turns that one term names. */
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

/** What a metric noted of one turn. */
export interface TurnMetadata {
  /** Zero-based. */
  readonly turn: number;
  readonly metadata: unknown;
}

/** `per_trace_signals`, which is by the keys of turns. */
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

/** The risks of a turn by its signals, each with its weight; the highest first. */
export function weightedRisks(noted: unknown, metadata: Metadata): ExplanationTerm['parts'] {
  const weights = get(metadata, 'signal_weights');
  const risks = SIGNALS.flatMap((signal) => {
    const risk = getNumber(noted, RISKS[signal]);
    return risk === undefined ? [] : [{ name: signal, amount: risk * (getNumber(weights, signal) ?? 1) }];
  });
  return risks.sort((a, b) => b.amount - a.amount);
}

/** As it stands in a sentence: two decimals. */
export function formatFigure(value: number): string {
  return value.toFixed(2);
}
