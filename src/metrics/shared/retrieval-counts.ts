import type { Evidence, MetricOutcome } from '../../core/result.ts';
import type { RetrievalStep, Session, Turn } from '../../core/session.ts';
import { allSteps } from '../../core/steps.ts';
import { notApplicable } from '../judged-metric.ts';
import { evidenceAt } from './evidence.ts';

/** Numbers of distinct documents: relevant, returned and both. */
export interface RetrievalCounts {
  readonly relevant: number;
  /** Documents without an id count as returned and not relevant. */
  readonly returned: number;
  /** Relevant and returned. */
  readonly found: number;
  readonly withoutId: number;
  readonly evidence: readonly Evidence[];
}

/**
 * Compares what retrieval steps returned with the relevant documents of the reference: of the whole session if it has
 * one, else the sum over turns. Returns an outcome if there is nothing to compare.
 */
export function countRetrieved(session: Session): RetrievalCounts | MetricOutcome {
  const whole = session.reference?.documents;
  const parts = whole
    ? [{ relevant: whole, turns: session.turns }]
    : session.turns.flatMap((turn) => {
        const relevant = turn.reference?.documents;
        return relevant ? [{ relevant, turns: [turn] }] : [];
      });
  if (parts.every(({ relevant }) => relevant.length === 0)) return parts.length === 0 ? NO_REFERENCE : NONE_RELEVANT;
  const searches = parts.map(({ relevant, turns }) => countDocuments(new Set(relevant), turns));
  if (searches.every(({ evidence }) => evidence.length === 0)) return NO_RETRIEVAL;
  const sum = (count: (search: RetrievalCounts) => number) =>
    searches.reduce((total, search) => total + count(search), 0);
  return {
    relevant: sum(({ relevant }) => relevant),
    returned: sum(({ returned }) => returned),
    found: sum(({ found }) => found),
    withoutId: sum(({ withoutId }) => withoutId),
    evidence: searches.flatMap(({ evidence }) => evidence),
  };
}

const NO_REFERENCE = notApplicable(
  'Nothing says which documents are relevant; write their ids as `reference.documents` of the session or of turns, in the trace or in a sidecar X.turnwise.json beside it.',
);
const NONE_RELEVANT = notApplicable('The reference lists no relevant documents.');
const NO_RETRIEVAL = notApplicable(
  'The trace records no retrieval that could be compared with the relevant documents.',
);

function countDocuments(relevant: ReadonlySet<string>, turns: readonly Turn[]): RetrievalCounts {
  const returned = new Set<string>();
  const evidence: Evidence[] = [];
  let withoutId = 0;
  for (const turn of turns) {
    for (const step of allSteps(turn)) {
      if (step.type !== 'retrieval') continue;
      for (const { id } of step.documents) {
        if (id === undefined) withoutId += 1;
        else returned.add(id);
      }
      evidence.push(evidenceAt(turn, step.pointer, noteOf(step, relevant)));
    }
  }
  const both = [...relevant].filter((id) => returned.has(id)).length;
  return { relevant: relevant.size, returned: returned.size + withoutId, found: both, withoutId, evidence };
}

function noteOf({ documents }: RetrievalStep, relevant: ReadonlySet<string>): string {
  const hits = documents.filter(({ id }) => id !== undefined && relevant.has(id)).length;
  return `${hits} of ${documents.length} returned documents are relevant`;
}

/** A scored outcome of one of the search metrics. */
export function scoreRetrieval(score: number, reason: string, { evidence, ...counts }: RetrievalCounts): MetricOutcome {
  const unknown = counts.withoutId === 0 ? '' : ` ${counts.withoutId} returned documents carry no id.`;
  return { status: 'scored', score, source: 'reference', reason: reason + unknown, evidence, metadata: counts };
}
