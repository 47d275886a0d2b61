import type { ModelStep } from '../../core/session.ts';

/** The values of OpenAI, Anthropic, Bedrock, Gemini, Mistral, Cohere, the AI SDK and Inspect. */
const LIMIT_REASONS = new Set([
  'length',
  'maxtokens',
  'maxoutputtokens',
  'maxcompletiontokens',
  'maxlength',
  'modellength',
  'tokenlimit',
  'incomplete',
  'modelcontextwindowexceeded',
]);

const FILTER_REASONS = new Set([
  'contentfilter',
  'contentfiltered',
  'refusal',
  'safety',
  'prohibitedcontent',
  'blocklist',
  'spii',
  'guardrailintervened',
  'guardrails',
]);

/** Why a model stopped early, according to its provider; null if it did not, or if the provider does not say. */
export function stopCause({ finishReason }: ModelStep): 'limit' | 'filter' | null {
  if (finishReason === undefined) return null;
  // Normalizes `max_tokens`, `content-filter` and `FinishReason.MAX_TOKENS`.
  const reason = finishReason
    .slice(0, 100)
    .toLowerCase()
    .replace(/^.*\./, '')
    .replace(/[^a-z]/g, '');
  if (LIMIT_REASONS.has(reason)) return 'limit';
  return FILTER_REASONS.has(reason) ? 'filter' : null;
}
