import { getString } from '../../core/json.ts';
import type { Metadata, Result } from '../../core/result.ts';
import { ESTIMATORS } from '../../core/statuses.ts';
import { passAtK, validateQuery } from '../attempts/pass-at-k.ts';
import { fairForgeEstimate } from '../shared/fair-forge-estimate.ts';

/**
 * Fair Forge's pass@k and pass^k over the conversations of each assistant: n conversations, c of which are correct in
 * every turn.
 *
 * @param results of `agentic`, one per session, which name the assistant, k and the estimator.
 */
export function conversationEstimates(results: readonly Result[]): Metadata[] {
  const decided = results.filter(({ metadata }) => 'is_fully_correct' in metadata);
  const byAssistant = Map.groupBy(decided, ({ metadata }) => getString(metadata, 'assistant_id') ?? null);
  return [...byAssistant].flatMap(([assistant, own]) => {
    const { k, estimator: name } = own[0]?.metadata ?? {};
    const estimator = ESTIMATORS.find((known) => known === name);
    const correct = own.filter(({ metadata }) => metadata.is_fully_correct === true).length;
    const query = { n: own.length, c: correct, k: Number(k), estimator };
    const counts = { assistant_id: assistant, total_conversations: query.n, correct_conversations: correct, k };
    return [validateQuery(query) === null ? { ...counts, ...fairForgeEstimate(passAtK(query)) } : counts];
  });
}
