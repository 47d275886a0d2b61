import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../../src/config/check.ts';
import { applyFlags, type ConfigFlags } from '../../../src/config/flags.ts';
import { TEST_REGISTRY } from './test-registry.ts';

function configured(raw: unknown, flags: ConfigFlags) {
  const { value, flagAt } = applyFlags(raw, flags, TEST_REGISTRY.metrics);
  const { configuration, issues: complaints } = checkConfiguration(value, TEST_REGISTRY);
  return { configuration, complaints, flags: complaints.map(({ path }) => flagAt(path)) };
}

describe('applyFlags', () => {
  it('gives flags precedence over the file, key by key', () => {
    const raw = {
      judge: { provider: 'rules', concurrency: 2 },
      gates: { thresholds: { coherence: 0.1, loop_detection: 0.2 } },
    };
    const flags = { judge: 'none', thresholds: [{ metric: 'coherence', value: '70%' }], failOn: 'low', timeoutMs: 5 };
    expect(configured(raw, flags).configuration).toMatchObject({
      judge: { provider: 'none', concurrency: 2, timeoutMs: 5 },
      gates: { thresholds: { coherence: 0.7, loop_detection: 0.2 }, failOn: 'low' },
    });
  });

  it('replaces what the file says of tasks, and keeps its fields of trial and agent', () => {
    const raw = { tasks: { by: { session: '(?<task>x)' }, agent: 'metadata.model' } };
    expect(configured(raw, { taskBy: 'metadata.case' }).configuration?.tasks).toEqual({
      by: 'metadata.case',
      agent: 'metadata.model',
    });
  });

  it('restricts to the selected metrics and keeps their settings', () => {
    const raw = { metrics: { tool_trajectory_avg_score: { matchType: 'IN_ORDER' }, coherence: { threshold: 0.9 } } };
    const { configuration } = configured(raw, { metrics: ['tool_trajectory_avg_score', 'tool_call_count_v1'] });
    expect(configuration?.metrics).toEqual({
      tool_trajectory_avg_score: { matchType: 'IN_ORDER', enabled: true },
      tool_call_count: { enabled: true },
      coherence: { threshold: 0.9, enabled: false },
      conversation_coherence: { enabled: false },
      loop_detection: { enabled: false },
      agent_behavior_failure: { enabled: false },
      response_evaluation_score: { enabled: false },
      agentic: { enabled: false },
    });
  });

  it.each<[string, ConfigFlags, string]>([
    ['an unknown metric', { metrics: ['cohrence'] }, '--metrics cohrence'],
    [
      'a threshold of an unknown metric',
      { thresholds: [{ metric: 'cohrence', value: '1' }] },
      '--threshold cohrence=1',
    ],
    [
      'a threshold that is no number',
      { thresholds: [{ metric: 'coherence', value: 'high' }] },
      '--threshold coherence=high',
    ],
    ['a threshold that is empty', { thresholds: [{ metric: 'coherence', value: '' }] }, '--threshold coherence='],
    [
      'an endless threshold',
      { thresholds: [{ metric: 'tool_call_count', value: 'Infinity' }] },
      '--threshold tool_call_count=Infinity',
    ],
    ['a task by nothing', { taskBy: '' }, '--task-by '],
    ['agentic without k', { metrics: ['agentic'] }, '--metrics agentic'],
    ['an unknown judge', { judge: 'opena:gpt' }, '--judge opena:gpt'],
    ['a judge without a model', { judge: 'openai' }, '--judge openai'],
    ['a model of no judge', { judge: 'rules:gpt' }, '--judge rules:gpt'],
    ['a URL of no judge', { judgeUrl: 'http://localhost' }, '--judge-url'],
    ['a URL with a password', { judge: 'openai:m', judgeUrl: 'http://me:hunter2@x' }, '--judge-url'],
    ['an embedder without a model', { embedder: 'ollama/' }, '--embedder ollama/'],
    ['a static embedder without a folder', { embedder: 'static:' }, '--embedder static:'],
    ['a URL that is none', { embedder: 'ollama/m', embedderUrl: 'box' }, '--embedder-url'],
  ])('names the invalid flag: %s', (_, flags, flag) => {
    expect(configured({}, flags).flags).toEqual([flag]);
  });

  it('does not blame a flag for errors in the file', () => {
    const { flags } = configured({ metrics: { coherence: { threshold: 4 } } }, { metrics: ['coherence'] });
    expect(flags).toEqual([null]);
  });

  it.each([{ metrics: ['agentic'] }, { metrics: { agentic: { enabled: true } } }])(
    'uses --k 3 as the k of agentic: %j',
    (raw) => {
      expect(configured(raw, { k: [3] }).configuration?.metrics).toMatchObject({ agentic: { enabled: true, k: 3 } });
    },
  );

  it('neither picks one of several k for agentic nor overrides the k in the file', () => {
    expect(configured({ metrics: ['agentic'] }, { k: [1, 3] }).complaints).toHaveLength(1);
    expect(configured({ metrics: { agentic: { k: 5 } } }, { k: [3] }).configuration?.metrics).toEqual({
      agentic: { k: 5 },
    });
  });

  it.each([
    ['openai:gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['openai/gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['ollama:qwen3:8b', 'ollama', 'qwen3:8b'],
    [
      'ollama/hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M',
      'ollama',
      'hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M',
    ],
    ['openai:openai/gpt-oss-20b:free', 'openai', 'openai/gpt-oss-20b:free'],
  ])('reads %s', (name, provider, model) => {
    const { configuration } = configured({}, { judge: name, embedder: name });
    expect(configuration).toMatchObject({ judge: { provider, model }, embedder: { provider, model } });
  });

  describe('with a judge in the file', () => {
    const file = {
      judge: {
        provider: 'openai',
        model: 'm',
        baseUrl: 'https://gateway.example/v1',
        headers: { 'x-team': 'evals' },
        query: { version: '1' },
        extraBody: { top_k: 1 },
        price: { input: 1, output: 2 },
        concurrency: 3,
      },
      metrics: { coherence: { judge: 'openai:big' } },
    };
    const judge = (flags: ConfigFlags) => {
      const { configuration, complaints } = configured(file, flags);
      expect(complaints).toEqual([]);
      return configuration?.judge;
    };

    it('keeps settings for the same server and model', () => {
      expect(judge({ judge: 'openai' })).toMatchObject(file.judge);
      expect(judge({ judge: 'openai:m', judgeUrl: 'https://gateway.example/v2' })).toMatchObject({
        ...file.judge,
        baseUrl: 'https://gateway.example/v2',
      });
    });

    it('does not apply the prices of one model to another', () => {
      const { price, ...rest } = file.judge;
      expect(judge({ judge: 'openai:other' })).toMatchObject({ ...rest, model: 'other' });
      expect(judge({ judge: 'openai:other' })?.price).toBeUndefined();
    });

    it('does not send settings of one server to another', () => {
      const elsewhere = judge({ judgeUrl: 'https://other.example/v1' });
      expect(elsewhere).toMatchObject({ model: 'm', extraBody: { top_k: 1 }, baseUrl: 'https://other.example/v1' });
      expect([elsewhere?.headers, elsewhere?.query]).toEqual([undefined, undefined]);
      const ollama = judge({ judge: 'ollama:qwen3:8b' });
      expect(ollama).toMatchObject({ provider: 'ollama', model: 'qwen3:8b', concurrency: 3 });
      for (const key of ['baseUrl', 'headers', 'query', 'extraBody', 'price'] as const)
        expect(ollama?.[key]).toBeUndefined();
    });

    it.each(['rules', 'none'])('uses no model with --judge %s, regardless of the file and its metrics', (name) => {
      for (const flags of [{ judge: name }, { judge: name, metrics: ['coherence'] }]) {
        const { configuration, complaints } = configured(file, flags);
        expect(complaints).toEqual([]);
        expect(configuration).toMatchObject({ judge: { provider: name, concurrency: 3 } });
        expect(JSON.stringify(configuration)).not.toContain('big');
        expect(configuration?.judge.model).toBeUndefined();
      }
    });
  });

  it('sets limits', () => {
    const { configuration } = configured({ judge: { maxCalls: 9 } }, { questionsPerCall: 2, maxCalls: 3 });
    expect(configuration?.judge).toMatchObject({ questionsPerCall: 2, maxCalls: 3 });
  });

  it('leaves malformed values to validation', () => {
    expect(configured({ gates: 3 }, { failOn: 'low' }).complaints[0]?.message).toContain('gates is 3');
    expect(configured(null, { failOn: 'low' }).configuration).toBeNull();
    expect(configured({ judge: 3 }, { judge: 'openai:m' }).complaints[0]?.message).toContain('judge is 3');
  });
});
