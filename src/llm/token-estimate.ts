import { getObject, type JsonObject } from '../core/json.ts';
import { estimateTokens } from '../core/text/estimate-tokens.ts';
import { type ChatPrompt, schemaText } from './chat-model.ts';

/** Of an answer to one question: a reason of one or two sentences, and a few ids. */
const TOKENS_PER_ANSWER = 150;

interface PricedCall {
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
}

/** Estimates the tokens that a call sends. Servers that take a schema put it into the prompt as well. */
export function estimatePromptTokens({ prompt, schema }: PricedCall): number {
  return [prompt.system, ...prompt.parts, schemaText(schema)].reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** Estimates the tokens of the answer. */
export function estimateAnswerTokens({ schema }: PricedCall): number {
  return TOKENS_PER_ANSWER * Object.keys(getObject(schema, 'properties') ?? {}).length;
}
