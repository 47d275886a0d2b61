import { describe, expect, it } from 'vitest';
import { missingKeys, requiredModels, requiresModels } from '../../../src/app/required-models.ts';
import { checkConfiguration } from '../../../src/config/check.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import type { Configuration, ConfigurationInput } from '../../../src/config/schema.ts';

function configured(input: ConfigurationInput): Configuration {
  const { configuration, issues: complaints } = checkConfiguration(input, REGISTRY);
  expect(complaints).toEqual([]);
  if (!configuration) throw new Error('The configuration is wrong.');
  return configuration;
}

const wanted = (input: ConfigurationInput) => requiredModels(configured(input));

describe('requiredModels', () => {
  it.each<ConfigurationInput>([
    {},
    { judge: { provider: 'none' }, embedder: { provider: 'none' } },
    // A metric that does not run asks no model.
    {
      metrics: { helpfulness: { enabled: false, judge: 'openai:m' }, response_evaluation_score: { judge: 'openai:m' } },
    },
  ])('finds no model in %j', (input) => {
    expect(requiresModels(wanted(input))).toBe(false);
  });

  it('uses the hosts of the providers, unless others are configured', () => {
    expect(wanted({ judge: { provider: 'openai', model: 'a' }, embedder: { provider: 'ollama', model: 'b' } })).toEqual(
      {
        judge: { provider: 'openai', model: 'a', baseUrl: 'https://api.openai.com/v1' },
        byMetric: new Map(),
        embedder: { provider: 'ollama', model: 'b', baseUrl: 'http://127.0.0.1:11434' },
      },
    );
    const baseUrl = 'http://localhost:8000/v1';
    expect(wanted({ judge: { provider: 'openai', model: 'a', baseUrl } }).judge).toMatchObject({ baseUrl });
  });

  it("uses the default judge's server for a metric's own model only if it has the same provider", () => {
    const judge = { model: 'a', baseUrl: 'https://gateway.example/v1', headers: { 'x-team': 'evals' } };
    const metrics = { helpfulness: { judge: 'openai:b' }, task_completion: { judge: 'ollama/c:1b' } };
    const { byMetric } = wanted({ judge: { provider: 'openai', ...judge }, metrics });
    expect(byMetric.get('helpfulness')).toEqual({ provider: 'openai', ...judge, model: 'b' });
    expect(byMetric.get('task_completion')).toEqual({
      provider: 'ollama',
      model: 'c:1b',
      baseUrl: 'http://127.0.0.1:11434',
    });
  });

  it('knows metrics by their own names', () => {
    const alias = REGISTRY.metrics.find(
      ({ aliases = [], needs, optIn, scope }) =>
        aliases.length > 0 && needs.includes('judge') && !optIn && scope === 'turn',
    );
    const key = alias?.aliases?.[0] ?? 'helpfulness';
    expect([...wanted({ metrics: { [key]: { judge: 'openai:m' } } }).byMetric.keys()]).toEqual([
      alias?.name ?? 'helpfulness',
    ]);
  });
});

describe('missingKeys', () => {
  const openai = wanted({
    judge: { provider: 'openai', model: 'a' },
    metrics: { helpfulness: { judge: 'openai:b' } },
    embedder: { provider: 'openai', model: 'e', baseUrl: 'http://localhost:1234/v1' },
  });

  it('names the missing key of OpenAI once', () => {
    expect(missingKeys(openai, { TURNWISE_API_KEY: 'x' })).toEqual([
      'api.openai.com requires an API key: set OPENAI_API_KEY in the environment, or name another server by its base URL.',
    ]);
    expect(missingKeys(openai, { OPENAI_API_KEY: ' ' })).toHaveLength(1);
  });

  it('accepts a key, and servers that may need none', () => {
    expect(missingKeys(openai, { OPENAI_API_KEY: 'sk' })).toEqual([]);
    expect(missingKeys(wanted({ judge: { provider: 'ollama', model: 'a' } }), {})).toEqual([]);
  });
});
