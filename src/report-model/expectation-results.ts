import type { UnmetExpectation } from '../core/expectations.ts';
import type { ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { unmetExpectationsSchema } from '../core/schemas/unmet-expectation.ts';
import { sessionExpectations } from '../metrics/reference/session-expectations.ts';
import { turnExpectations } from '../metrics/reference/turn-expectations.ts';

export interface ExpectationResult {
  readonly metric: string;
  readonly result: Result;
}

/** The results on the expectations of a session: those of its turns in their order, then its own. */
export function expectationResults(turns: Iterable<ResultsByMetric>, metrics: ResultsByMetric): ExpectationResult[] {
  const ofTurns = Array.from(turns, (turn) => ({ metric: turnExpectations.name, result: turn[turnExpectations.name] }));
  const own = { metric: sessionExpectations.name, result: metrics[sessionExpectations.name] };
  return [...ofTurns, own].flatMap(({ metric, result }) =>
    result && result.status !== 'not_applicable' ? [{ metric, result }] : [],
  );
}

/** What is not as expected; empty for a score that the file brings. */
export function unmetOf({ passed, metadata }: Result): readonly UnmetExpectation[] {
  if (passed !== false) return [];
  return unmetExpectationsSchema.safeParse(metadata.unmet).data ?? [];
}
