import type { Result } from '../../core/result.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { DEFAULT_WEIGHTS, SIGNALS, type Signal } from '../session/signals.ts';
import { type RiskTerm, termOfSignal } from './risk-model.ts';

/**
 * A term for each signal of `agent_reliability` that somebody gave, by its lowest score: a judge, a real embedder, the
 * file. What the rules gave stands in their findings already, and word overlap is no signal: on labelled data it makes
 * the risk no better (`docs/validity.md`).
 */
export function termsOfSignals(
  resultsOf: (signal: Signal) => readonly (Result | undefined)[],
  embedder: Embedder | null,
): RiskTerm[] {
  return SIGNALS.flatMap((signal) => {
    const given = resultsOf(signal).filter((result) => result !== undefined && speaks(result, embedder));
    const lowest = given.reduce((low, result) => (scoreOf(result) < scoreOf(low) ? result : low), given[0]);
    return lowest ? termOfSignal(signal, lowest, DEFAULT_WEIGHTS[signal]) : [];
  });
}

function speaks({ status, score, source }: Result, embedder: Embedder | null): boolean {
  if (status !== 'scored' || score === null || source === 'rules') return false;
  return !(source === 'embedding' && embedder?.provider === 'lexical');
}

function scoreOf(result: Result | undefined): number {
  return result?.score ?? 1;
}
