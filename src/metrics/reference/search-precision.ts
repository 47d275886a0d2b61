import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';
import { countRetrieved, scoreRetrieval } from '../shared/retrieval-counts.ts';

/** Relevant documents returned / documents returned. */
export const searchPrecision = sessionMetric({
  name: 'search_precision',
  question: 'What share of the returned documents is relevant?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['reference'],

  evaluate({ session }): MetricOutcome {
    const search = countRetrieved(session);
    if ('status' in search) return search;
    const { found, returned } = search;
    if (returned === 0) return NOTHING_RETURNED;
    return scoreRetrieval(found / returned, `${found} of ${returned} returned documents are relevant.`, search);
  },
});

const NOTHING_RETURNED = notApplicable('The retrievals returned no documents.');
