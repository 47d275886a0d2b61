import { estimateTokens } from '../core/text/estimate-tokens.ts';
import { type ChatModel, schemaText } from '../llm/chat-model.ts';
import { sampleFromSchema } from './sample-from-schema.ts';

/**
 * Replaces a model in an estimate: answers at once with text of about the right length, and counts tokens as a server
 * would.
 */
export function estimatingModel(model: ChatModel): ChatModel {
  return {
    ...model,
    async complete({ system, parts, schema, exactSchema }) {
      const text = JSON.stringify(sampleFromSchema(exactSchema()));
      const prompt = [system, ...parts, schemaText(schema)];
      const promptTokens = prompt.reduce((sum, part) => sum + estimateTokens(part), 0);
      return { text, finish: 'stop', usage: { promptTokens, completionTokens: estimateTokens(text) } };
    },
  };
}
