import type { ResultsByMetric, SessionReport } from '../core/report.ts';
import type { Status } from '../core/result.ts';

/** Statuses of results that only say that there is nothing to say. */
const OMITTED: ReadonlySet<Status> = new Set<Status>([
  'not_applicable',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'needs_attempts',
]);

/** A session without the results that say nothing: their metrics are named by status, per turn and for the session. */
export function compactSession({ turns, ...session }: SessionReport): SessionReport {
  return { ...withoutEmptyResults(session), turns: turns.map(withoutEmptyResults) };
}

function withoutEmptyResults<Part extends { readonly metrics: ResultsByMetric }>(part: Part): Part {
  const results = Object.entries(part.metrics);
  const empty = results.filter(([, { status }]) => OMITTED.has(status));
  if (empty.length === 0) return part;
  const omitted = Map.groupBy(empty, ([, { status }]) => status);
  return {
    ...part,
    metrics: Object.fromEntries(results.filter(([, { status }]) => !OMITTED.has(status))),
    omitted: Object.fromEntries(Array.from(omitted, ([status, of]) => [status, of.map(([name]) => name)])),
  };
}
