import * as z from 'zod';
import type { Evidence, Metadata, MetricOutcome } from '../../core/result.ts';
import { round } from '../../core/scale.ts';
import type { Turn } from '../../core/session.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import type { SessionView } from '../metric.ts';
import { evidenceAt } from '../shared/evidence.ts';

/** The turn metrics from which PandaProbe computes its session metrics. */
export const SIGNALS = ['confidence', 'loop_detection', 'tool_correctness', 'coherence'] as const;
export type Signal = (typeof SIGNALS)[number];

/** The scores of one turn, 0 to 1; a signal that is missing has no key. */
export type TurnSignals = Readonly<Partial<Record<Signal, number>>>;
export type SignalWeights = Readonly<Record<Signal, number>>;

const weight = z.number().min(0).max(10);

/** Weights are overridden key by key. */
export const weightsOptions = z.strictObject({
  weights: z
    .strictObject({
      confidence: weight.default(1),
      loop_detection: weight.default(1),
      tool_correctness: weight.default(0.8),
      coherence: weight.default(1),
    })
    .prefault({}),
});

export const DEFAULT_WEIGHTS: SignalWeights = weightsOptions.parse({}).weights;

/** The signals of a session's turns, in order, and how many there are of each kind. */
export interface CollectedSignals {
  readonly turns: readonly TurnSignals[];
  readonly counts: { readonly scored: number; readonly vacuous: number; readonly missing: number };
}

/**
 * A vacuous signal counts with its score, as in the source system. Every other signal without a score is missing.
 */
export function collectSignals(view: SessionView): CollectedSignals {
  const turns: Partial<Record<Signal, number>>[] = view.session.turns.map(() => ({}));
  const counts = { scored: 0, vacuous: 0, missing: 0 };
  for (const signal of SIGNALS) {
    const results = view.turnResults(signal);
    for (const [index, signals] of turns.entries()) {
      const result = results[index];
      if (!result || result.score === null) {
        counts.missing += 1;
        continue;
      }
      signals[signal] = result.score;
      counts[result.status === 'vacuous' ? 'vacuous' : 'scored'] += 1;
    }
  }
  return { turns, counts };
}

/**
 * The outcome of an outage: some of these signals were requested, and no turn has a score for any of them. Other signals
 * cannot replace them.
 */
export function signalOutage(view: SessionView, signals: readonly Signal[]): MetricOutcome | null {
  const results = signals.flatMap((signal) => view.turnResults(signal));
  if (results.some((result) => result !== undefined && result.score !== null)) return null;
  for (const status of ['error', 'cancelled'] as const) {
    const broken = results.find((result) => result?.status === status);
    if (broken)
      return { status, reason: `No turn has a score for ${joinWithAnd(signals)}. ${broken.reason ?? ''}`.trim() };
  }
  return null;
}

/** Empty when every signal of every turn is scored. */
export function describeCounts({ scored, vacuous, missing }: CollectedSignals['counts']): string {
  return vacuous + missing === 0 ? '' : ` Signals: ${scored} scored, ${vacuous} vacuous, ${missing} missing.`;
}

const RISK_KEYS = {
  confidence: 'confidence_risk',
  loop_detection: 'loop_risk',
  tool_correctness: 'tool_risk',
  coherence: 'coherence_risk',
} as const satisfies Record<Signal, string>;

/** The risks of one turn under the source system's names. */
export function riskMetadata(signals: TurnSignals): Metadata {
  const risks: Record<string, number> = {};
  for (const signal of SIGNALS) {
    const score = signals[signal];
    if (score !== undefined) risks[RISK_KEYS[signal]] = round(1 - score);
  }
  return risks;
}

/** Keys for the turns of a session: their ids, and the position beside an id that occurs again. */
export function turnKeys(turns: readonly Pick<Turn, 'id'>[]): string[] {
  const seen = new Set<string>();
  return turns.map((turn, index) => {
    const key = seen.has(turn.id) ? `${turn.id}#${index}` : turn.id;
    seen.add(key);
    return key;
  });
}

/** Turns in the evidence. */
const MAX_WORST_TURNS = 5;

/** Evidence for the turns with the highest figures above 0, the worst first. */
export function worstTurnEvidence(
  turns: readonly Turn[],
  figures: readonly { readonly turn: number; readonly figure: number; readonly note: string }[],
): Evidence[] {
  return figures
    .filter(({ figure }) => figure > 0)
    .sort((a, b) => b.figure - a.figure)
    .slice(0, MAX_WORST_TURNS)
    .flatMap(({ turn: index, note }) => {
      const turn = turns[index];
      return turn ? [evidenceAt(turn, turn.pointer, note)] : [];
    });
}
