import type { MetricOutcome } from '../../core/result.ts';
import { sessionMetric } from '../metric.ts';
import { countRetrieved, scoreRetrieval } from '../shared/retrieval-counts.ts';

/** Relevant documents returned / relevant documents. */
export const searchRecall = sessionMetric({
  name: 'search_recall',
  question: 'What share of the relevant documents was returned?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['reference'],

  evaluate({ session }): MetricOutcome {
    const search = countRetrieved(session);
    if ('status' in search) return search;
    const { found, relevant } = search;
    return scoreRetrieval(found / relevant, `${found} of ${relevant} relevant documents were returned.`, search);
  },
});
