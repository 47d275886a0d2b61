import { getObject, type JsonObject } from '../core/json.ts';
import type { ChatPrompt } from './chat-model.ts';
import { estimateTokens } from './token-estimate.ts';

/** What an answer to one question takes: a reason of one or two sentences, and a few ids. */
const TOKENS_PER_ANSWER = 150;

interface PricedCall {
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
}

/** About how many tokens a call sends. Servers that take a schema put it into the prompt as well. */
export function estimatePromptTokens({ prompt, schema }: PricedCall): number {
  return [prompt.system, ...prompt.parts, JSON.stringify(schema)].reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** About how many tokens come back. */
export function estimateAnswerTokens({ schema }: PricedCall): number {
  return TOKENS_PER_ANSWER * Object.keys(getObject(schema, 'properties') ?? {}).length;
}
