import type { Turn } from '../core/session.ts';
import { trimEnd } from '../core/text/trim-end.ts';

/** Numbers, dates, ids: words with a digit. */
const VALUES = /[\p{L}\d][\p{L}\d._:/-]+/gu;
const MAX_FACTS = 3;

/** The first values of the turn's tool results that its answer states. */
export function answerFacts({ output, steps }: Pick<Turn, 'output' | 'steps'>): string[] {
  const results = steps.flatMap((step) => (step.type === 'tool' && step.outcome === 'ok' ? [step.result] : []));
  const known = new Set(results.flatMap((result) => valuesIn(JSON.stringify(result) ?? '')));
  const stated = new Set(valuesIn(output ?? '').filter((value) => known.has(value)));
  return [...stated].slice(0, MAX_FACTS);
}

function valuesIn(text: string): string[] {
  const words = Array.from(text.matchAll(VALUES), ([word]) => trimEnd(word, /[._:/-]/));
  return words.filter((word) => word.length > 1 && /\d/.test(word));
}
