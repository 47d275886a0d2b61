import type { ChatModel } from '../llm/chat-model.ts';
import { estimateTokens } from '../llm/token-estimate.ts';
import { sampleFromSchema } from './sample-from-schema.ts';

/**
 * Replaces a model in an estimate: answers at once with text of about the right length, and counts tokens as a server
 * would.
 */
export function estimatingModel(model: ChatModel): ChatModel {
  return {
    ...model,
    async complete({ system, parts, schema }) {
      const text = JSON.stringify(sampleFromSchema(schema));
      const prompt = [system, ...parts, JSON.stringify(schema)];
      const promptTokens = prompt.reduce((sum, part) => sum + estimateTokens(part), 0);
      return { text, finish: 'stop', usage: { promptTokens, completionTokens: estimateTokens(text) } };
    },
  };
}
