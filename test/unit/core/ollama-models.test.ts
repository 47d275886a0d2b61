import { describe, expect, it } from 'vitest';
import { parseOllamaModels } from '../../../src/core/ollama-models.ts';

describe('Ollama models', () => {
  it('are those that can judge, in Ollama’s order', () => {
    const answer = {
      models: [
        { name: 'qwen3:8b', size: 1, details: { family: 'qwen3', families: ['qwen3'] } },
        { name: 'nomic-embed-text:latest', details: { families: ['nomic-bert'] } },
        { name: 'old:latest', details: { families: null } },
        { name: 'bare' },
      ],
    };
    expect(parseOllamaModels(answer)).toEqual(['qwen3:8b', 'old:latest', 'bare']);
    expect(parseOllamaModels({ models: [] })).toEqual([]);
  });

  it.each([null, [], {}, { models: [{}] }, '<html>'])('are none in the response of another server: %j', (answer) => {
    expect(parseOllamaModels(answer)).toBeNull();
  });
});
