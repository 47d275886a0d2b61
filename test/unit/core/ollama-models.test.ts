import { describe, expect, it } from 'vitest';
import { parseOllamaModels } from '../../../src/core/ollama-models.ts';

describe('Ollama models', () => {
  it('are those that can judge, or those that embed, in Ollama’s order', () => {
    const answer = {
      models: [
        { name: 'qwen3:8b', size: 1, details: { family: 'qwen3', families: ['qwen3'] } },
        { name: 'nomic-embed-text:latest', details: { families: ['nomic-bert'] } },
        { name: 'old:latest', details: { families: null } },
        { name: 'qwen3-embedding:0.6b', details: { families: ['qwen3'] } },
        { name: 'bare' },
      ],
    };
    expect(parseOllamaModels(answer, 'judge')).toEqual(['qwen3:8b', 'old:latest', 'bare']);
    expect(parseOllamaModels(answer, 'embedder')).toEqual(['nomic-embed-text:latest', 'qwen3-embedding:0.6b']);
    expect(parseOllamaModels({ models: [] }, 'judge')).toEqual([]);
  });

  it.each([null, [], {}, { models: [{}] }, '<html>'])('are none in the response of another server: %j', (answer) => {
    expect(parseOllamaModels(answer, 'judge')).toBeNull();
  });
});
