import type { ImportedScores } from '../../core/session.ts';
import type { Span } from './span.ts';

/** The scores of a span, next to it or as events by OpenTelemetry's conventions; undefined if there are none. */
export function spanScores({ events, scores: beside }: Span): ImportedScores | undefined {
  const scores = events.flatMap(({ name, attributes }): [string, number | string][] => {
    const metric = name === 'gen_ai.evaluation.result' ? attributes.text('gen_ai.evaluation.name') : undefined;
    const value = attributes.count('gen_ai.evaluation.score.value') ?? attributes.text('gen_ai.evaluation.score.label');
    return metric !== undefined && value !== undefined ? [[metric, value]] : [];
  });
  return scores.length > 0 ? { ...beside, ...Object.fromEntries(scores) } : beside;
}

/** The scores in a list, each with a name and a number, a label or a boolean; undefined if there are none. */
export function listedScores(
  list: readonly unknown[],
  nameOf: (entry: unknown) => unknown,
  valuesOf: (entry: unknown) => readonly unknown[],
): ImportedScores | undefined {
  const scores = list.flatMap((entry): [string, number | string][] => {
    const name = nameOf(entry);
    const value = valuesOf(entry).find((candidate) => candidate !== undefined && candidate !== null);
    const score = typeof value === 'boolean' ? Number(value) : value;
    const isScore = (typeof score === 'number' && Number.isFinite(score)) || typeof score === 'string';
    return typeof name === 'string' && isScore ? [[name, score]] : [];
  });
  return scores.length > 0 ? Object.fromEntries(scores) : undefined;
}
