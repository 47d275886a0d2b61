import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyCriteria, findAdkConfiguration, warnUnusedJudges } from '../../../src/config/adk.ts';
import { translateAdk } from '../../../src/config/adk-criteria.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import { configurationSchema } from '../../../src/config/schema.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TEST_REGISTRY } from './test-registry.ts';

describe('translateAdk', () => {
  it.each([
    ['a number', 0.5, { enabled: true, threshold: 0.5 }],
    ['an object', { threshold: 0.5 }, { enabled: true, threshold: 0.5 }],
    [
      'snake case',
      { threshold: 0.5, match_type: 'IN_ORDER', ignore_args: true },
      { enabled: true, threshold: 0.5, matchType: 'IN_ORDER', ignoreArgs: true },
    ],
    ['camel case', { threshold: 0.5, matchType: 'IN_ORDER' }, { enabled: true, threshold: 0.5, matchType: 'IN_ORDER' }],
  ])('reads a criterion as %s', (_, criterion, settings) => {
    const { criteria, issues } = translateAdk({ criteria: { tool_trajectory_avg_score: criterion } }, TEST_REGISTRY);
    expect(issues).toEqual([]);
    expect(criteria).toEqual({
      metrics: { tool_trajectory_avg_score: settings },
      thresholds: { tool_trajectory_avg_score: 0.5 },
    });
  });

  it.each([
    { judge_model_options: { judge_model: 'm', num_samples: 3 } },
    { judgeModelOptions: { judgeModel: 'm', numSamples: 3 } },
  ])('keeps the number of samples and reports the ignored judge: %j', (options) => {
    const { criteria, issues } = translateAdk(
      { criteria: { response_evaluation_score: { threshold: 4, ...options } } },
      TEST_REGISTRY,
    );
    expect(criteria?.metrics).toEqual({ response_evaluation_score: { enabled: true, threshold: 4, samples: 3 } });
    expect(issues).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringMatching(/judge_?model is ignored: .* uses the judge of the run/i),
      },
    ]);
  });

  it.each([
    ['judge_model_options', 'judge_model', 'openai/gpt-5-mini', 'openai/gpt-5-mini'],
    ['judgeModelOptions', 'judgeModel', 'ollama:qwen3:8b', 'ollama:qwen3:8b'],
    ['judgeModelOptions', 'model', 'openai/gpt-5-mini', 'openai/gpt-5-mini'],
    ['judge_model_options', 'model', 'openai/gpt-5-mini', 'openai/gpt-5-mini'],
    ['judge_model_options', 'judge_model', 'ollama_chat/qwen3:8b', 'ollama/qwen3:8b'],
  ])('sets the model of a metric from %s', (options, key, model, judge) => {
    const criterion = { threshold: 0.5, [options]: { [key]: model } };
    const { criteria, issues } = translateAdk({ criteria: { coherence: criterion } }, TEST_REGISTRY);
    expect(issues).toEqual([]);
    expect(criteria?.metrics).toEqual({ coherence: { enabled: true, threshold: 0.5, judge } });
  });

  it.each(['gemini-2.5-flash', 'anthropic/claude', 'openai/', '', 5])(
    'ignores the model %j and explains how to name a model',
    (model) => {
      const criterion = { threshold: 0.5, judge_model_options: { judge_model: model } };
      const { criteria, issues } = translateAdk({ criteria: { coherence: criterion } }, TEST_REGISTRY);
      expect(criteria?.metrics).toEqual({ coherence: { enabled: true, threshold: 0.5 } });
      expect(issues).toMatchObject([{ severity: 'warning', message: expect.stringContaining('"openai/MODEL"') }]);
    },
  );

  it("knows all settings of ADK's judged metrics", () => {
    const rubrics = [{ rubricId: 'short', rubricContent: { textProperty: 'It is short.' }, type: 'QUALITY' }];
    const written = {
      final_response_match_v2: { threshold: 0.8, judge_model_options: { num_samples: 3 } },
      hallucinations_v1: { threshold: 0.5, evaluate_intermediate_nl_responses: true },
      rubric_based_tool_use_quality_v1: { threshold: 0.5, judgeModelOptions: { numSamples: 3 }, rubrics },
      safety_v1: 1,
    };
    const { criteria, issues } = translateAdk({ criteria: written }, REGISTRY);
    expect(issues).toEqual([]);
    expect(criteria?.metrics).toEqual({
      final_response_match_v2: { enabled: true, threshold: 0.8, samples: 3 },
      hallucinations_v1: { enabled: true, threshold: 0.5, evaluateIntermediate: true },
      rubric_based_tool_use_quality_v1: {
        enabled: true,
        threshold: 0.5,
        samples: 3,
        rubrics: [{ id: 'short', text: 'It is short.' }],
      },
      safety_v1: { enabled: true, threshold: 1 },
    });
  });

  it.each<[string, unknown, string]>([
    ['no criteria', {}, 'criteria is missing; it must be an object'],
    [
      'an unknown metric',
      { criteria: { tool_trajectory_avg: 1 } },
      'Unknown metric "tool_trajectory_avg". Did you mean "tool_trajectory_avg_score"?',
    ],
    ['no threshold', { criteria: { coherence: {} } }, 'criteria.coherence.threshold is missing; it must be a number.'],
    ['a threshold outside the scale', { criteria: { coherence: 2 } }, 'criteria.coherence is 2, but the scale'],
    [
      'a wrong option',
      { criteria: { tool_trajectory_avg_score: { threshold: 1, match_type: 'SOME' } } },
      'is "SOME"; it must be one of "EXACT"',
    ],
  ])('reports %s', (_, value, sentence) => {
    const { criteria, issues } = translateAdk(value, TEST_REGISTRY);
    expect(criteria).toBeNull();
    expect(issues).toMatchObject([{ severity: 'error', message: expect.stringContaining(sentence) }]);
  });

  it('warns about an option without a counterpart', () => {
    const { criteria, issues } = translateAdk(
      { criteria: { coherence: { threshold: 1, rubrics: [] } } },
      TEST_REGISTRY,
    );
    expect(criteria?.metrics).toEqual({ coherence: { enabled: true, threshold: 1 } });
    expect(issues).toMatchObject([{ severity: 'warning', path: ['criteria', 'coherence', 'rubrics'] }]);
  });

  it('translates rubrics', () => {
    const rubrics = [{ rubric_id: 'short', rubric_content: { text_property: 'It is short.' } }];
    const { criteria } = translateAdk(
      { criteria: { response_evaluation_score: { threshold: 4, rubrics } } },
      TEST_REGISTRY,
    );
    expect(criteria?.metrics).toMatchObject({
      response_evaluation_score: { rubrics: [{ id: 'short', text: 'It is short.' }] },
    });
  });
});

describe('findAdkConfiguration', () => {
  it('uses the file next to the evaluation set, with lines', async () => {
    await using folder = await temporaryFolder({
      'a/test_config.json': '{\n  "criteria": {\n    "cohrence": 1\n  }\n}',
      'b/x.evalset.json': '',
    });
    const actual = await findAdkConfiguration(['-', join(folder.path, 'a/x.evalset.json')], TEST_REGISTRY);
    expect(actual).toMatchObject({
      criteria: null,
      problems: [{ line: 3, column: 5, message: expect.stringContaining('"coherence"') }],
    });
    expect(await findAdkConfiguration([join(folder.path, 'b/x.evalset.json')], TEST_REGISTRY)).toBeNull();
  });

  it('rejects two different files and accepts two equal ones', async () => {
    const config = '{"criteria": {"coherence": 1}}';
    await using folder = await temporaryFolder({
      'a/test_config.json': config,
      'b/test_config.json': config,
      'c/test_config.json': '{"criteria": {}}',
    });
    const sets = (...names: string[]) => names.map((name) => join(folder.path, name, 'x.evalset.json'));
    expect((await findAdkConfiguration(sets('a', 'b'), TEST_REGISTRY))?.criteria?.thresholds).toEqual({ coherence: 1 });
    const differing = await findAdkConfiguration(sets('a', 'c'), TEST_REGISTRY);
    expect(differing).toMatchObject({
      criteria: null,
      problems: [{ severity: 'error', message: expect.stringContaining('Evaluate the folders separately') }],
    });
  });
});

describe('applyCriteria', () => {
  const criteria = {
    metrics: { tool_trajectory_avg_score: { enabled: true, threshold: 0.5, matchType: 'IN_ORDER' } },
    thresholds: { tool_trajectory_avg_score: 0.5 },
  };
  const laid = (own: object) => applyCriteria(configurationSchema.parse(own), criteria, TEST_REGISTRY);

  it('gates each session', () => {
    expect(laid({})).toMatchObject({
      metrics: criteria.metrics,
      gates: { scope: 'session', thresholds: criteria.thresholds, failOn: 'high' },
    });
  });

  it('gives precedence to the configuration', () => {
    const own = {
      metrics: { tool_trajectory_avg_score: { matchType: 'EXACT' } },
      gates: { thresholds: { coherence: 0.3 } },
    };
    expect(laid(own)).toMatchObject({
      metrics: { tool_trajectory_avg_score: { threshold: 0.5, matchType: 'EXACT' } },
      gates: { thresholds: { coherence: 0.3 } },
    });
    expect(laid(own).gates.scope).toBeUndefined();
  });

  it('uses a judge named in criteria only if the user already uses its provider', () => {
    const named = { metrics: { response_evaluation_score: { judge: 'openai/gpt-5', samples: 3 } }, thresholds: {} };
    const judgesOf = (own: object) => applyCriteria(configurationSchema.parse(own), named, TEST_REGISTRY).metrics;
    expect(judgesOf({})).toEqual({ response_evaluation_score: { samples: 3 } });
    expect(judgesOf({ judge: { provider: 'ollama', model: 'm' } })).toEqual({
      response_evaluation_score: { samples: 3 },
    });
    const userConfig = { judge: { provider: 'openai', model: 'm' } };
    expect(judgesOf(userConfig)).toEqual(named.metrics);
    const reported = (own: object) =>
      warnUnusedJudges({ file: 'test_config.json', criteria: named, problems: [] }, configurationSchema.parse(own));
    expect(reported({}).map(({ message }) => message)).toEqual([
      'The judge openai/gpt-5 is ignored, because a file beside a trace cannot decide where the trace is sent. To use it, choose a judge of openai yourself.',
    ]);
    expect(reported(userConfig)).toEqual([]);
  });

  it('keeps options if a list restricts the metrics', () => {
    expect(laid({ metrics: ['tool_trajectory_avg_score'] }).metrics).toMatchObject({
      tool_trajectory_avg_score: { enabled: true, matchType: 'IN_ORDER' },
      coherence: { enabled: false },
    });
  });

  it('beside a trace without an evaluation set counts only with criteria: other tools have such files too', async () => {
    await using folder = await temporaryFolder({
      'a/test_config.json': '{"criteria": {"coherence": 1}}',
      'b/test_config.json': '{"browser": "firefox"}',
    });
    const found = (...names: string[]) =>
      findAdkConfiguration(
        names.map((name) => join(folder.path, name, 'x.json')),
        TEST_REGISTRY,
        [],
      );
    expect(await found('a')).toMatchObject({ criteria: { thresholds: { coherence: 1 } }, problems: [] });
    expect(await found('b')).toBeNull();
    expect(await found('a', 'b')).toMatchObject({
      criteria: { thresholds: { coherence: 1 } },
      problems: [{ severity: 'warning', message: expect.stringContaining(join(folder.path, 'b')) }],
    });
  });
});
