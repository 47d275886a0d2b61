import type { Explanation, ExplanationTerm } from '../../protocol/report.ts';
import { limitSentence } from '../values.ts';

/** How a score is computed and what it is made of, in the form that the panel gets. */
export type ExplanationText = Pick<Explanation, 'sentences'> & { readonly terms: readonly ExplanationTerm[] };

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

/** Two decimals. */
export function formatFigure(value: number): string {
  return value.toFixed(2);
}
