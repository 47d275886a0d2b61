import { describe, expect, it } from 'vitest';
import { modelsIn } from '../../../src/extension/ollama.ts';

describe('the models of Ollama', () => {
  it('are those that can judge, in its order', () => {
    const answer = {
      models: [
        { name: 'qwen3:8b', size: 1, details: { family: 'qwen3', families: ['qwen3'] } },
        { name: 'nomic-embed-text:latest', details: { families: ['nomic-bert'] } },
        { name: 'old:latest', details: { families: null } },
        { name: 'bare' },
      ],
    };
    expect(modelsIn(answer)).toEqual(['qwen3:8b', 'old:latest', 'bare']);
    expect(modelsIn({ models: [] })).toEqual([]);
  });

  it.each([null, [], {}, { models: [{}] }, '<html>'])('are not in what another server answers: %j', (answer) => {
    expect(modelsIn(answer)).toBeNull();
  });
});
