import type { Report } from '../../../../src/core/report.ts';
import type { Result } from '../../../../src/core/result.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, report } from '../report-fixture.ts';

export const FILE = '/traces/a.trace.json';
export const URI = 'file:///traces/a.trace.json';

/** One-based: `[line, column, endLine, endColumn]`. */
export type Positions = Readonly<Record<string, readonly [number, number, number, number]>>;

/** What an evaluation of one file would leave. */
export function createResults(parts: Partial<Report>, positions: Positions = {}): EvaluationResults {
  const results = new EvaluationResults();
  results.replace([FILE], buildRows(report(parts), new FakeLocator(positions), []));
  return results;
}

export function score(score: number | null, parts: Partial<Result> = {}): Result {
  return {
    status: 'scored',
    score,
    label: null,
    labels: [],
    scale: [0, 1],
    threshold: 0.5,
    passed: score === null ? null : score >= 0.5,
    band: null,
    reason: null,
    source: 'rules',
    evidence: [],
    metadata: {},
    ...parts,
  };
}
