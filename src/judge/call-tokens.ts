import { getObject, type JsonObject } from '../core/json.ts';
import type { Prompt } from './chat-model.ts';
import { estimateTokens } from './tokens.ts';

/** What an answer to one question takes: a reason of one or two sentences, and a few ids. */
const ANSWER = 150;

interface Call {
  readonly prompt: Pick<Prompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
}

/** About how many tokens a call sends. Servers that take a schema put it into the prompt as well. */
export function promptTokensOf({ prompt, schema }: Call): number {
  return [prompt.system, ...prompt.parts, JSON.stringify(schema)].reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** About how many tokens come back. */
export function answerTokensOf({ schema }: Call): number {
  return ANSWER * Object.keys(getObject(schema, 'properties') ?? {}).length;
}
