import { get, getArray, getObject, isObject, type JsonObject } from '../core/json.ts';
import type { Result } from '../core/result.ts';

/** The answers of a judge that was asked several times, from the metadata of a result. */
export interface JudgeSamples {
  readonly times: number;
  readonly answers:
    | { readonly kind: 'votes'; readonly counts: readonly (readonly [answer: string, count: number])[] }
    /** The verdicts on each statement; undefined where a sample has none. */
    | {
        readonly kind: 'statements';
        readonly statements: readonly { readonly id: string; readonly verdicts: readonly unknown[] }[];
      }
    /** In the order of the samples: a score, a label, or neither. */
    | { readonly kind: 'answers'; readonly answers: readonly (number | string | null)[] };
}

/** Null where the judge was asked once. */
export function judgeSamples({ source, metadata }: Pick<Result, 'source' | 'metadata'>): JudgeSamples | null {
  if (source !== 'judge') return null;
  const samples = getArray(metadata, 'samples');
  const votes = getObject(metadata, 'votes');
  const voteCount = Object.values(votes ?? {}).reduce<number>((sum, count) => sum + toNumber(count), 0);
  const times = samples?.length ?? voteCount;
  if (times < 2) return null;
  return { times, answers: (votes && countVotes(votes)) ?? compareSamples(samples ?? []) };
}

/** Null without votes. */
function countVotes(votes: JsonObject): JudgeSamples['answers'] | null {
  const counts = Object.entries(votes).flatMap(([answer, count]): [string, number][] =>
    toNumber(count) > 0 ? [[answer, toNumber(count)]] : [],
  );
  return counts.length === 0 ? null : { kind: 'votes', counts };
}

function compareSamples(samples: readonly unknown[]): JudgeSamples['answers'] {
  const objects = samples.filter(isObject);
  if (objects.length > 0) {
    const ids = [...new Set(objects.flatMap((sample) => Object.keys(sample)))];
    return {
      kind: 'statements',
      statements: ids.map((id) => ({ id, verdicts: objects.map((sample) => get(sample, id)) })),
    };
  }
  return {
    kind: 'answers',
    answers: samples.map((sample) => (typeof sample === 'number' || typeof sample === 'string' ? sample : null)),
  };
}

function toNumber(count: unknown): number {
  return typeof count === 'number' ? count : 0;
}
