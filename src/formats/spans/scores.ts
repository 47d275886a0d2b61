import type { ImportedScores, Pointer } from '../../core/session.ts';
import type { Span, SpanEvent, SpanScore } from './span.ts';

/** The scores of a span, next to it or as events by OpenTelemetry's conventions. */
export function spanScores({ events, scores = [] }: Span): readonly SpanScore[] {
  return [...scores, ...events.flatMap(eventScores)];
}

/** The score that an event records, if it records one. */
export function eventScores({ name, attributes }: SpanEvent): readonly SpanScore[] {
  const metric = name === 'gen_ai.evaluation.result' ? attributes.text('gen_ai.evaluation.name') : undefined;
  const value = attributes.count('gen_ai.evaluation.score.value') ?? attributes.text('gen_ai.evaluation.score.label');
  const { pointer = '' } = attributes.find('gen_ai.evaluation.score.value', 'gen_ai.evaluation.score.label') ?? {};
  return metric !== undefined && value !== undefined ? [{ name: metric, value, pointer }] : [];
}

/** By name; undefined if there are none. The last one of a name counts. */
export function importedScores(scores: readonly SpanScore[]): ImportedScores | undefined {
  return scores.length > 0 ? Object.fromEntries(scores.map(({ name, value }) => [name, value])) : undefined;
}

/** The scores in a list, each with a name and a number, a label or a boolean. */
export function listedScores(
  list: readonly unknown[],
  nameOf: (entry: unknown) => unknown,
  valuesOf: (entry: unknown) => readonly unknown[],
  pointerOf: (index: number) => Pointer,
): readonly SpanScore[] {
  return list.flatMap((entry, index): SpanScore[] => {
    const name = nameOf(entry);
    const value = valuesOf(entry).find((candidate) => candidate !== undefined && candidate !== null);
    const score = typeof value === 'boolean' ? Number(value) : value;
    const isScore = (typeof score === 'number' && Number.isFinite(score)) || typeof score === 'string';
    return typeof name === 'string' && isScore ? [{ name, value: score, pointer: pointerOf(index) }] : [];
  });
}
