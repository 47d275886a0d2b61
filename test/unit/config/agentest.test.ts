import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { translateAgentest } from '../../../src/config/agentest.ts';
import { type LoadedConfiguration, type LoadRequest, loadConfiguration } from '../../../src/config/load.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import { readKey } from '../../../src/llm/api-keys.ts';
import { ModuleFunction } from '../../../src/sandbox/module-function.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const translate = (value: unknown, env = {}) => translateAgentest(value, REGISTRY, env);

const messages = (issues: LoadedConfiguration['problems'] | ReturnType<typeof translate>['issues']) =>
  issues.map(({ severity, message }) => `${severity}: ${message}`);

async function load(files: Record<string, string>, request: Partial<LoadRequest> = {}): Promise<LoadedConfiguration> {
  await using folder = await temporaryFolder(files);
  const cwd = join(folder.path, request.cwd ?? '.');
  return await loadConfiguration({ registry: REGISTRY, home: folder.path, ...request, cwd });
}

const one = ({ problems }: LoadedConfiguration) =>
  problems.map(({ severity, file, line, message }) => `${severity} ${file}:${line}: ${message}`);

describe('translateAgentest', () => {
  it('reads thresholds, metrics and the severity that fails', () => {
    const { value, issues } = translate({
      agent: { name: 'a', endpoint: 'http://localhost:1' },
      metrics: ['helpfulness', 'goal_completion'],
      thresholds: { helpfulness: 3.5, goal_completion: 0.8 },
      failOnErrorSeverity: 'medium',
      conversationsPerScenario: 2,
      reporters: ['json'],
    });
    expect(issues).toEqual([]);
    expect(value).toEqual({
      judge: null,
      metrics: ['helpfulness', 'goal_completion'],
      gates: { failOn: 'medium', thresholds: { helpfulness: 3.5, goal_completion: 0.8 } },
      custom: [],
      scenarios: undefined,
      simulation: { conversationsPerScenario: 2, agent: { name: 'a', endpoint: 'http://localhost:1' } },
      reporters: ['json'],
    });
  });

  it('keeps the default of Agentest, by which only critical problems fail', () => {
    expect(translate({}).value).toEqual({
      judge: null,
      metrics: null,
      gates: { failOn: 'critical', thresholds: {} },
      custom: [],
      scenarios: undefined,
      simulation: {},
      reporters: [],
    });
  });

  it('warns of a reporter that it does not know', () => {
    expect(messages(translate({ reporters: ['json', 'slack'] }).issues)).toEqual([
      'warning: Unknown reporter "slack" ignored. Known are "console" and "json"; --report writes other kinds.',
    ]);
  });

  it('reads coherence as conversation_coherence, and says so once', () => {
    const { value, issues } = translate({ metrics: ['coherence'], thresholds: { coherence: 4 } });
    expect(value?.metrics).toEqual(['conversation_coherence']);
    expect(value?.gates.thresholds).toEqual({ conversation_coherence: 4 });
    expect(messages(issues)).toEqual([
      expect.stringMatching(/^warning: Two metrics have the name "coherence".*gates\.thresholds of a turnwise\.config/),
    ]);
  });

  it.each([
    [
      'an unknown key',
      { failOnErrorSeverty: 'low' },
      'warning: Unknown key "failOnErrorSeverty" ignored. Did you mean "failOnErrorSeverity"?',
    ],
    ['an unknown metric', { thresholds: { helpfullness: 3 } }, 'error: Unknown metric "helpfullness".'],
    ['a metric of the list that is unknown', { metrics: ['helpfullness'] }, 'error: Unknown metric "helpfullness".'],
    [
      'a threshold above the scale',
      { thresholds: { goal_completion: 4 } },
      'error: thresholds.goal_completion is 4, but',
    ],
    [
      'a threshold that every score meets',
      { thresholds: { verbosity: 0.5 } },
      'warning: thresholds.verbosity is 0.5, but the scale',
    ],
    [
      'a threshold as text',
      { thresholds: { verbosity: '4' } },
      'error: thresholds.verbosity is "4"; it must be a number.',
    ],
    [
      'an unknown severity',
      { failOnErrorSeverity: 'hi' },
      'error: failOnErrorSeverity is "hi"; it must be one of low,',
    ],
    [
      'an unknown provider',
      { provider: 'mistral', model: 'm' },
      'error: provider is "mistral"; it must be one of "openai",',
    ],
    ['a provider without a model', { provider: 'openai' }, 'error: provider is "openai", but "model" is missing.'],
    [
      'a server without a URL',
      { provider: 'openai-compatible', model: 'm' },
      'error: provider is "openai-compatible", but "providerOptions.baseURL"',
    ],
    [
      'a URL that is none',
      { provider: 'openai', model: 'm', providerOptions: { baseURL: 'x' } },
      'error: providerOptions.baseURL must be',
    ],
    [
      'custom metrics as data',
      { customMetrics: [{ name: 'tone' }] },
      'warning: customMetrics[0] ignored: it extends none of',
    ],
    ['no object', 5, 'error: The configuration is 5; it must be an object.'],
  ])('reports %s', (_, written, expected) => {
    const { value, issues } = translate(written);
    expect(messages(issues)).toEqual([expect.stringContaining(expected)]);
    expect(value === null).toBe(expected.startsWith('error'));
  });

  it.each([
    [
      { provider: 'openai', model: 'm' },
      { provider: 'openai', model: 'm' },
    ],
    [
      { provider: 'anthropic' },
      {
        provider: 'openai',
        model: 'claude-sonnet-4-20250514',
        baseUrl: 'https://api.anthropic.com/v1',
        structuredOutput: 'text',
      },
    ],
    [{ model: 'claude-x' }, expect.objectContaining({ model: 'claude-x', baseUrl: 'https://api.anthropic.com/v1' })],
    [
      { provider: 'google', model: 'g', concurrency: 3 },
      {
        provider: 'openai',
        model: 'g',
        baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
        concurrency: 3,
      },
    ],
    [
      { provider: 'ollama', model: 'q', providerOptions: { baseURL: 'http://gpu:11434/v1' } },
      { provider: 'ollama', model: 'q', baseUrl: 'http://gpu:11434' },
    ],
    [
      { provider: 'openai-compatible', model: 'q', providerOptions: { baseURL: 'http://localhost:1234/v1' } },
      { provider: 'openai', model: 'q', baseUrl: 'http://localhost:1234/v1' },
    ],
  ])('translates the judge of %j', (written, judge) => {
    expect(translate(written).value?.judge).toEqual(judge);
  });

  it("takes a vendor's key from the vendor's own variable, for its own endpoint alone", () => {
    const env = { ANTHROPIC_API_KEY: 'sk-vendor' };
    const { keys } = translate({ provider: 'anthropic' }, env);
    expect(readKey('https://api.anthropic.com/v1', keys)).toBe('sk-vendor');
    expect(readKey('https://example.com/v1', keys)).toBeUndefined();
    const proxied = { provider: 'anthropic', providerOptions: { baseURL: 'https://example.com/v1' } };
    expect(translate(proxied, env).keys).toEqual({});
  });

  it('uses a key in the file for its server alone, and warns without repeating it', () => {
    const written = {
      provider: 'openai-compatible',
      model: 'q',
      providerOptions: { baseURL: 'https://example.com/v1', apiKey: 'sk-in-the-file' },
    };
    const { value, keys, issues } = translate(written);
    expect(readKey('https://example.com/v1', keys)).toBe('sk-in-the-file');
    expect(readKey('https://api.openai.com/v1', keys)).toBeUndefined();
    expect(JSON.stringify([value, issues])).not.toContain('sk-in-the-file');
    expect(messages(issues)).toEqual([expect.stringMatching(/^warning: providerOptions\.apiKey: .*example\.com/)]);
    expect(translate(written, { SOME_KEY: 'sk-in-the-file' }).issues).toEqual([]);
  });
});

describe('an Agentest configuration beside or above', () => {
  it('has the agents and the files of scenarios, and ours adds to them', async () => {
    const { configuration, problems } = await load({
      'agentest.config.ts': `
        export default {
          agent: { type: 'custom', name: 'mine', handler: async () => ({ role: 'assistant', content: '' }) },
          agents: { remote: { name: 'r', endpoint: 'http://localhost:1/v1' } },
          compare: [{ name: 'other', type: 'custom', handler: () => 1 }],
          include: ['tests/**/*.sim.ts'],
          exclude: ['tests/slow/**'],
          maxTurns: 4,
          requestTimeoutMs: 5000,
          unmockedTools: 'passthrough',
        };`,
      'turnwise.config.json':
        '{ "simulation": { "maxTurns": 6, "agents": { "local": { "endpoint": "http://localhost:2" } } } }',
    });
    expect(problems).toEqual([]);
    expect(configuration?.scenarios).toEqual(['tests/**/*.sim.ts', '!tests/slow/**']);
    expect(configuration?.simulation).toMatchObject({
      agent: 'mine',
      agents: {
        mine: { type: 'custom', handler: expect.any(ModuleFunction) },
        remote: { type: 'chat_completions', endpoint: 'http://localhost:1/v1' },
        other: { type: 'custom', handler: { path: ['compare', 0, 'handler'] } },
        local: { endpoint: 'http://localhost:2' },
      },
      maxTurns: 6,
      requestTimeoutMs: 5000,
      unmockedTools: 'passthrough',
    });
  });

  it('compares an agent with itself under other settings', () => {
    const { value } = translate({
      agent: { name: 'a', endpoint: 'http://localhost:1', body: { model: 'x', seed: 1 } },
      compare: [
        { name: 'b', body: { model: 'y' } },
        { name: 'c', type: 'chat_completions', endpoint: 'http://localhost:2' },
        { name: 'd', type: 'replay', file: 'd.json' },
      ],
    });
    expect(value?.simulation).toMatchObject({
      compare: ['a', 'b', 'c', 'd'],
      agents: {
        b: { name: 'b', endpoint: 'http://localhost:1', body: { model: 'y', seed: 1 } },
        c: { name: 'c', endpoint: 'http://localhost:2', body: { model: 'x', seed: 1 } },
        d: { name: 'd', type: 'replay', file: 'd.json' },
      },
    });
    expect(value?.simulation.agents).not.toHaveProperty('d.body');
  });

  it('compares the agents of a list alone, and says which entry has no name', () => {
    const entry = (name?: string) => ({ name, endpoint: 'http://localhost:1' });
    const alone = translate({ compare: [entry('a'), entry('b')] });
    expect(alone.value?.simulation.compare).toEqual(['a', 'b']);
    expect(translate({ compare: [entry('a')] }).value?.simulation).not.toHaveProperty('compare');
    const { value, issues } = translate({ agent: entry('a'), compare: [entry('b'), entry()] });
    expect(value).toBeNull();
    expect(issues).toMatchObject([
      { path: ['compare', 1], message: expect.stringContaining('compare[1] has no "name"') },
    ]);
  });

  it('compares nothing where ours names the agent', async () => {
    const { configuration } = await load({
      'agentest.config.json':
        '{ "agent": { "name": "a", "endpoint": "http://localhost:1" }, "compare": [{ "name": "b" }] }',
      'turnwise.config.json': '{ "simulation": { "agent": { "name": "own", "endpoint": "http://localhost:2" } } }',
    });
    expect(configuration?.simulation).toMatchObject({ agent: 'own', agents: { own: {}, b: {} } });
    expect(configuration?.simulation.compare).toBeUndefined();
  });

  it('applies without one of Turnwise, with the scope of scenarios', async () => {
    const text = '{\n  "thresholds": { "helpfulness": 3.5 },\n  "tresholds": {}\n}';
    const loaded = await load({ 'agentest.config.json': text, 'traces/x.txt': '' }, { cwd: 'traces' });
    expect(loaded).toMatchObject({
      file: null,
      agentestFile: join('..', 'agentest.config.json'),
      configuration: { gates: { scope: 'scenario', failOn: 'critical', thresholds: { helpfulness: 3.5 } } },
    });
    expect(one(loaded)).toEqual([expect.stringContaining('agentest.config.json:3: Unknown key "tresholds" ignored.')]);
  });

  it('is overridden by a configuration of Turnwise, key by key', async () => {
    const loaded = await load({
      'agentest.config.yaml':
        'provider: openai\nmodel: m\nthresholds: { coherence: 4 }\nmetrics: [helpfulness, relevance]\n',
      'turnwise.config.json': JSON.stringify({
        judge: { concurrency: 2 },
        metrics: { relevance: { enabled: false } },
        gates: { thresholds: { verbosity: 2 }, minCoverage: 0.5 },
      }),
    });
    expect(one(loaded)).toEqual([]);
    expect(loaded).toMatchObject({
      file: 'turnwise.config.json',
      configuration: {
        judge: { provider: 'openai', model: 'm', concurrency: 2 },
        metrics: { helpfulness: { enabled: true }, relevance: { enabled: false }, verbosity: { enabled: false } },
        gates: { failOn: 'critical', thresholds: { verbosity: 2 }, minCoverage: 0.5 },
      },
    });
    expect(loaded.configuration?.gates.scope).toBeUndefined();
  });

  it('gives way to a judge and a level of Turnwise', async () => {
    const { configuration } = await load({
      'agentest.config.json': '{ "provider": "openai", "model": "m", "failOnErrorSeverity": "low" }',
      'turnwise.config.json': '{ "judge": { "provider": "ollama", "model": "q" }, "gates": { "failOn": "high" } }',
    });
    expect(configuration).toMatchObject({ judge: { provider: 'ollama', model: 'q' }, gates: { failOn: 'high' } });
    expect(configuration?.judge.baseUrl).toBeUndefined();
  });

  it('is not read where the command line names another configuration, or is named itself', async () => {
    const files = { 'agentest.config.json': '{ "thresholds": { "verbosity": 2 } }', 'other.json': '{}' };
    expect(await load(files, { file: 'other.json' })).toMatchObject({
      agentestFile: null,
      configuration: { gates: { failOn: 'high' } },
    });
    const named = await load(
      { ...files, 'turnwise.config.json': '{ "gates": { "failOn": "low" } }' },
      { file: 'agentest.config.json' },
    );
    expect(named.configuration).toMatchObject({ gates: { failOn: 'critical', thresholds: { verbosity: 2 } } });
  });

  it('is ignored by commands that need no such configuration', async () => {
    const files = { 'agentest.config.ts': 'throw new Error("was run");' };
    expect(await load(files, { agentest: 'ignore' })).toMatchObject({ agentestFile: null, problems: [] });
    expect(one(await load(files))).toEqual([
      expect.stringContaining('agentest.config.ts:1: The configuration threw an error: was run.'),
    ]);
  });

  it('does not run as code in an untrusted folder, where data still applies', async () => {
    const files = {
      'agentest.config.ts': 'throw new Error("was run");',
      'turnwise.config.json': '{ "gates": { "failOn": "low" } }',
    };
    const loaded = await load(files, { code: 'refuse' });
    expect(loaded.configuration?.gates.failOn).toBe('low');
    expect(one(loaded)).toEqual([
      expect.stringContaining('warning agentest.config.ts:null: This configuration is code'),
    ]);
  });

  it('runs as code without the package, with agents that are functions', async () => {
    const loaded = await load({
      'agentest.config.ts': `
        import { defineConfig } from '@agentesting/agentest';
        import { Tone, Voice } from './metrics.ts';
        export default defineConfig({
          agent: { type: 'custom', name: 'a', handler: async () => ({ role: 'assistant', content: '' }) },
          compare: [{ type: 'custom', name: 'b', handler: () => 1 }],
          customMetrics: [new Tone(), new Voice(), { name: 'other', setLLM() {} }],
          thresholds: { toneScore: 0.8 },
          metrics: ['helpfulness'],
        });`,
      'metrics.ts': `
        import { QualitativeMetric, QuantitativeMetric } from 'agentest';
        export class Tone extends QuantitativeMetric {
          name = 'toneScore';
          client = () => 1;
          async score() { return { value: 1, reason: '' }; }
        }
        export class Voice extends QualitativeMetric {
          name = 'voice';
          async evaluate() { return { value: 'on brand', reason: '' }; }
        }`,
    });
    expect(one(loaded)).toEqual([expect.stringContaining('customMetrics[2] ignored: it extends none of')]);
    expect(loaded.configuration).toMatchObject({
      metrics: ['helpfulness', 'tone_score', 'voice'],
      custom: [
        { name: 'tone_score', scale: 'unit', evaluate: expect.any(ModuleFunction) },
        { name: 'voice', scale: 'label', evaluate: expect.any(ModuleFunction) },
      ],
      gates: { thresholds: { tone_score: 0.8 } },
    });
  });
});
