import type { Evidence, MetricOutcome } from '../../core/result.ts';
import type { Session, Turn } from '../../core/session.ts';
import { allSteps } from '../../core/steps.ts';
import { notApplicable } from '../judged-metric.ts';
import { evidenceAt } from './evidence.ts';
import { type DocumentNames, normalizeName, returnedDocuments } from './returned-documents.ts';

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
 * Compares what was retrieved with the relevant documents of the reference: of the whole session if it has one, else the
 * sum over turns. Returns an outcome if there is nothing to compare.
 */
export function countRetrieved(session: Session): RetrievalCounts | MetricOutcome {
  const whole = session.reference?.documents;
  const parts = whole
    ? [{ relevant: documentSet(whole), turns: session.turns }]
    : session.turns.flatMap((turn) => {
        const relevant = turn.reference?.documents;
        return relevant ? [{ relevant: documentSet(relevant), turns: [turn] }] : [];
      });
  if (parts.every(({ relevant }) => relevant.size === 0)) return parts.length === 0 ? NO_REFERENCE : NONE_RELEVANT;
  const recorded = session.turns.flatMap(retrievalSteps);
  const retrievals =
    recorded.length > 0 ? recorded : searchCalls(session, new Set(parts.flatMap((part) => [...part.relevant])));
  const byTurn = Map.groupBy(retrievals, ({ turn }) => turn);
  const searches = parts.map(({ relevant, turns }) =>
    countDocuments(
      relevant,
      turns.flatMap((turn) => byTurn.get(turn) ?? []),
    ),
  );
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

function documentSet(documents: readonly string[]): ReadonlySet<string> {
  return new Set(documents.map(normalizeName));
}

/** Documents that one step returned. */
interface Retrieval {
  readonly turn: Turn;
  readonly pointer: string;
  readonly documents: readonly DocumentNames[];
}

function retrievalSteps(turn: Turn): Retrieval[] {
  return [...allSteps(turn)].flatMap((step) => {
    if (step.type !== 'retrieval') return [];
    const documents = step.documents.map(({ id }) => (id === undefined ? [] : [normalizeName(id)]));
    return [{ turn, pointer: step.pointer, documents }];
  });
}

/** Names of tools that search documents, and not orders or flights. */
const SEARCH_TOOL =
  /retriev|knowledge|document|article|passage|wiki|(^|[^a-z])(docs?|kb|rag|web_?search|search_?web)([^a-z]|$)|^search$/i;

/**
 * The calls of search tools, for traces without retrieval steps. A tool searches documents if its name says so, or if one of
 * its results lists a relevant document.
 */
function searchCalls(session: Session, relevant: ReadonlySet<string>): Retrieval[] {
  const calls = session.turns.flatMap((turn) =>
    [...allSteps(turn)].flatMap((step) => {
      if (step.type !== 'tool' || step.outcome !== 'ok') return [];
      const documents = returnedDocuments(step.result);
      return documents === null ? [] : [{ turn, step, documents }];
    }),
  );
  const hasRelevant = ({ documents }: Pick<Retrieval, 'documents'>) =>
    documents.some((names) => names.some((name) => relevant.has(name)));
  const searching = new Set(calls.filter(hasRelevant).map(({ step }) => step.name));
  return calls
    .filter(({ step: { name } }) => searching.has(name) || SEARCH_TOOL.test(name))
    .map(({ turn, step, documents }) => ({ turn, pointer: step.resultPointer ?? step.pointer, documents }));
}

function countDocuments(relevant: ReadonlySet<string>, retrievals: readonly Retrieval[]): RetrievalCounts {
  const returned = new Set<string>();
  let withoutId = 0;
  const evidence = retrievals.map(({ turn, pointer, documents }) => {
    let hits = 0;
    for (const names of documents) {
      const hit = names.find((name) => relevant.has(name));
      const name = hit ?? names[0];
      if (hit !== undefined) hits += 1;
      if (name === undefined) withoutId += 1;
      else returned.add(name);
    }
    return evidenceAt(turn, pointer, `${hits} of ${documents.length} returned documents are relevant`);
  });
  const both = [...relevant].filter((id) => returned.has(id)).length;
  return { relevant: relevant.size, returned: returned.size + withoutId, found: both, withoutId, evidence };
}

/** A scored outcome of one of the search metrics. */
export function scoreRetrieval(score: number, reason: string, { evidence, ...counts }: RetrievalCounts): MetricOutcome {
  const unknown = counts.withoutId === 0 ? '' : ` ${counts.withoutId} returned documents carry no id.`;
  return { status: 'scored', score, source: 'reference', reason: reason + unknown, evidence, metadata: counts };
}
