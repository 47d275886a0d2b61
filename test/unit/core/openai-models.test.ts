import { describe, expect, it } from 'vitest';
import { parseOpenaiModels } from '../../../src/core/openai-models.ts';

const list = (...ids: unknown[]) => ({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

describe('a list of models in the form of OpenAI', () => {
  it('gives the names of those that answer in text', () => {
    const named = list(
      'gpt-5-mini',
      'text-embedding-3-small',
      'whisper-1',
      'tts-1',
      'omni-moderation-latest',
      'dall-e-3',
    );
    expect(parseOpenaiModels(named, 'judge')).toEqual(['gpt-5-mini']);
    expect(parseOpenaiModels(list('models/gemini-2.5-flash', 'qwen/qwen3-8b', ''), 'judge')).toEqual([
      'models/gemini-2.5-flash',
      'qwen/qwen3-8b',
    ]);
    expect(parseOpenaiModels(list(), 'judge')).toEqual([]);
  });

  it('gives the names of those that embed', () => {
    const names = ['gpt-5-mini', 'text-embedding-3-small', 'BAAI/bge-m3', 'intfloat/e5-large', 'bge-reranker-v2'];
    expect(parseOpenaiModels(list(...names), 'embedder')).toEqual([
      'text-embedding-3-small',
      'BAAI/bge-m3',
      'intfloat/e5-large',
    ]);
  });

  it.each([null, 'text', [], {}, { data: {} }, { models: [] }, list(1), list('a', null), { data: ['a'] }])(
    'is not what another server answers: %j',
    (answer) => {
      expect(parseOpenaiModels(answer, 'judge')).toBeNull();
    },
  );
});
