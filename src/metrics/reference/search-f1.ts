import type { MetricOutcome } from '../../core/result.ts';
import { sessionMetric } from '../metric.ts';
import { countRetrieved, scoreRetrieval } from '../shared/retrieval-counts.ts';

/** The harmonic mean of search_precision and search_recall: 2 x found / (returned + relevant). */
export const searchF1 = sessionMetric({
  name: 'search_f1',
  question: 'How well do the returned documents match the relevant ones?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['reference'],

  evaluate({ session }): MetricOutcome {
    const search = countRetrieved(session);
    if ('status' in search) return search;
    const { found, returned, relevant } = search;
    const reason = `${found} documents are both returned (${returned}) and relevant (${relevant}).`;
    return scoreRetrieval((2 * found) / (returned + relevant), reason, search);
  },
});
