import type { ModelStep } from '../core/session.ts';

/** As providers spell it: OpenAI, Anthropic, Bedrock, Gemini, Mistral, Cohere, the AI SDK, Inspect. */
const LIMITS = new Set([
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

const FILTERS = new Set([
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

/** Why a model stopped before it was done, as its provider says; null where it was done, or where nothing says so. */
export function cutShortBy({ finishReason }: ModelStep): 'limit' | 'filter' | null {
  if (finishReason === undefined) return null;
  // `max_tokens`, `content-filter` and `FinishReason.MAX_TOKENS`.
  const reason = finishReason
    .slice(0, 100)
    .toLowerCase()
    .replace(/^.*\./, '')
    .replace(/[^a-z]/g, '');
  if (LIMITS.has(reason)) return 'limit';
  return FILTERS.has(reason) ? 'filter' : null;
}
