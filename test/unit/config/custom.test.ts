import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { applyCriteria } from '../../../src/config/adk.ts';
import { checkConfiguration } from '../../../src/config/check.ts';
import { applyFlags } from '../../../src/config/flags.ts';
import { configurationJsonSchema } from '../../../src/config/json-schema.ts';
import { type LoadedConfiguration, loadConfiguration } from '../../../src/config/load.ts';
import { REGISTRY, registryFor } from '../../../src/config/registry.ts';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import { TEMPLATE } from '../../../src/config/template.ts';
import { ModuleFunction } from '../../../src/sandbox/module-function.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TEST_REGISTRY } from './test-registry.ts';

const TONE = { name: 'tone', rubric: 'The answer is friendly.' };
const POLITE = { name: 'polite', evaluate: () => 3 };

function complaints(value: unknown): string[] {
  return checkConfiguration(value, TEST_REGISTRY).issues.map(({ message }) => message);
}

const custom = (...entries: readonly unknown[]) => complaints({ custom: entries });

describe('the key custom', () => {
  it('defaults to turns, a scale of 1 to 5 and always enabled', () => {
    const { configuration } = checkConfiguration({ custom: [TONE] }, TEST_REGISTRY);
    expect(configuration?.custom).toEqual([{ ...TONE, scope: 'turn', scale: 'likert', optIn: false }]);
  });

  it('accepts every key', () => {
    const rubric = {
      ...TONE,
      question: 'Is it friendly?',
      scope: 'session',
      scale: 'unit',
      threshold: '80%',
      samples: 3,
    };
    const evaluate = { ...POLITE, scale: 'label', labels: ['a', 'b'], uses: ['coherence'], timeoutMs: 5, optIn: true };
    expect(custom(rubric, evaluate)).toEqual([]);
    const { configuration } = checkConfiguration({ custom: [rubric, evaluate] }, TEST_REGISTRY);
    expect(configuration?.custom).toEqual([
      { ...rubric, threshold: 0.8, optIn: false },
      { ...evaluate, scope: 'turn' },
    ]);
  });

  it('can be validated twice, as the library does with a loaded configuration', () => {
    const { configuration } = checkConfiguration({ custom: [TONE, POLITE] }, TEST_REGISTRY);
    expect(checkConfiguration(configuration, TEST_REGISTRY)).toEqual({ configuration, issues: [] });
  });

  it.each<[string, readonly unknown[], string]>([
    ['no name', [{ rubric: 'x' }], 'custom[0].name is missing; it must be a text.'],
    [
      'a name in another case',
      [{ ...TONE, name: 'toneOfVoice' }],
      'custom[0].name is "toneOfVoice"; it must be in snake case, such as "tone_of_voice".',
    ],
    [
      'the name of a metric',
      [TONE, { ...TONE, name: 'coherence' }],
      'custom[1].name is "coherence", which is a built-in metric; choose another name.',
    ],
    [
      'an alias of a metric',
      [{ ...TONE, name: 'tool_call_count_v1' }],
      'custom[0].name is "tool_call_count_v1", which is another name of a built-in metric; choose another name.',
    ],
    [
      'a name twice',
      [TONE, TONE],
      'custom[1].name is "tone", which is the name of another metric here; choose another name.',
    ],
    [
      'a word that gates have',
      [{ ...TONE, name: 'severity' }],
      'custom[0].name is "severity", which is the name of the gate on failures; choose another name.',
    ],
    [
      'a word of JavaScript',
      [{ ...TONE, name: 'constructor' }],
      'custom[0].name is "constructor", which is a word that JavaScript keeps for itself; choose another name.',
    ],
    [
      'a key that is unknown',
      [{ ...TONE, rubrik: 'x' }],
      'Unknown key "rubrik" in custom[0]. Did you mean "rubric"? Allowed keys: name, question, scope, scale, threshold, labels, optIn, rubric, samples, evaluate, uses, timeoutMs.',
    ],
    [
      'nothing that answers it',
      [{ name: 'tone' }],
      'custom[0] has neither "rubric" nor "evaluate". Describe in a rubric what a judge looks for.',
    ],
    [
      'two things that answer it',
      [{ ...TONE, ...POLITE }],
      'custom[0] has both "rubric" and "evaluate". Remove one of them.',
    ],
    [
      'a function that is none',
      [{ name: 'tone', evaluate: 'turn => 3' }],
      'custom[0].evaluate is "turn => 3"; it must be a function, which only code has: write a "rubric" instead, or the configuration as turnwise.config.ts.',
    ],
    [
      'what looks like a function of a file',
      [{ name: 'tone', evaluate: { file: '/etc/passwd', index: 0, shown: 'x' } }],
      'custom[0].evaluate is an object; it must be a function, which only code has: write a "rubric" instead, or the configuration as turnwise.config.ts.',
    ],
    [
      'a scale that is none',
      [{ ...TONE, scale: 'lickert', threshold: 9 }],
      'custom[0].scale is "lickert"; it must be one of "unit", "likert", "binary", "label". Did you mean "likert"?',
    ],
    [
      'a threshold outside the scale',
      [{ ...TONE, threshold: 9 }],
      'custom[0].threshold is 9, but the scale of tone is 1 to 5.',
    ],
    [
      'a threshold of labels',
      [{ ...TONE, scale: 'label', labels: ['a', 'b'], threshold: 1 }],
      'custom[0].threshold is 1, but tone answers with labels, which have no threshold; use gates.failOn.',
    ],
    [
      'labels that are not listed',
      [{ ...TONE, scale: 'label' }],
      'custom[0] has the scale "label" but no labels. Add "labels".',
    ],
    [
      'one label alone',
      [{ ...TONE, scale: 'label', labels: ['a'] }],
      'custom[0].labels is a list; it must have two labels or more.',
    ],
    [
      'a time limit beyond any',
      [{ ...POLITE, timeoutMs: 2 ** 32 }],
      'custom[0].timeoutMs is 4294967296; it must be a whole number from 1 to 3600000.',
    ],
    [
      'labels of scores',
      [{ ...TONE, labels: ['a', 'b'] }],
      'custom[0].labels is set, but only the scale "label" has labels; add "scale": "label".',
    ],
    [
      'a label twice',
      [{ ...TONE, scale: 'label', labels: ['a', 'b', 'a'] }],
      'custom[0].labels has "a" twice. Remove one.',
    ],
    [
      'samples of a function',
      [{ ...POLITE, samples: 3 }],
      'custom[0].samples is set, but a function does not use it. Remove it.',
    ],
    [
      'a time limit of a rubric',
      [{ ...TONE, timeoutMs: 3 }],
      'custom[0].timeoutMs is set, but a rubric does not use it. Remove it.',
    ],
    [
      'the results of what is no metric',
      [{ ...POLITE, uses: ['cohrence'] }],
      'Unknown metric "cohrence". Did you mean "coherence"?',
    ],
    ['the results of one that comes later', [{ ...POLITE, uses: ['tone'] }, TONE], 'Unknown metric "tone".'],
    [
      'the results of one by its alias',
      [{ ...POLITE, uses: ['tool_call_count_v1'] }],
      'custom[0].uses[0] is "tool_call_count_v1", another name of tool_call_count. Use that name.',
    ],
    [
      'the results of a session in a turn',
      [{ ...POLITE, uses: ['agentic'] }],
      'custom[0].uses[0] is "agentic", a metric of a session; a metric of turns reads metrics of turns.',
    ],
  ])('rejects %s', (_, entries, sentence) => {
    expect(custom(...entries)).toEqual([sentence]);
    expect(checkConfiguration({ custom: entries }, TEST_REGISTRY).configuration).toBeNull();
  });

  it('lets a metric use earlier ones, and session metrics use both kinds', () => {
    expect(custom(TONE, { ...POLITE, uses: ['tone', 'coherence'] })).toEqual([]);
    expect(custom(TONE, { ...POLITE, scope: 'session', uses: ['tone', 'agentic'] })).toEqual([]);
  });

  it('makes names available to gates, settings and lists on their scales', () => {
    const value = { custom: [TONE, { ...POLITE, scale: 'unit' }] };
    const gates = (thresholds: object) => complaints({ ...value, gates: { thresholds } });
    expect(gates({ tone: 4, polite: '85%' })).toEqual([]);
    expect(gates({ tone: 0.5 })).toEqual(['gates.thresholds.tone is 0.5, but the scale of tone is 1 to 5.']);
    expect(gates({ ton: 4 })).toEqual(['Unknown metric "ton". Did you mean "tone"?']);
    expect(complaints({ ...value, metrics: ['tone', 'polite'] })).toEqual([]);
    expect(
      complaints({ ...value, metrics: { tone: { judge: 'openai:m', threshold: 2 }, polite: { enabled: false } } }),
    ).toEqual([]);
    expect(complaints({ ...value, metrics: { polite: { judge: 'openai:m' } } })).toEqual([
      'metrics.polite.judge is set, but polite uses no model.',
    ]);
  });

  it('reports an error once, even if the metric is named elsewhere', () => {
    const gates = { thresholds: { tone: 3 } };
    expect(complaints({ custom: [{ ...TONE, rubrik: 'x' }], gates, metrics: ['tone'] })).toHaveLength(1);
  });

  it('accepts turn labels as failure labels', () => {
    const value = { custom: [{ ...TONE, scale: 'label', labels: ['kind', 'rude'] }] };
    expect(complaints({ ...value, severities: { rude: 'high' } })).toEqual([]);
    expect(complaints({ ...value, severities: { rudee: 'high' } })[0]).toContain('Did you mean "rude"?');
    const session = { custom: [{ ...value.custom[0], scope: 'session' }] };
    expect(complaints({ ...session, severities: { rude: 'high' } })).toEqual([
      expect.stringMatching(/^There is no failure label "rude"/),
    ]);
  });

  it('is disabled by --metrics like any other metric', () => {
    const { configuration } = checkConfiguration({ custom: [TONE, POLITE] }, TEST_REGISTRY);
    const metrics = registryFor({ custom: configuration?.custom ?? [] }).metrics;
    const { value } = applyFlags({ custom: [TONE, POLITE] }, { metrics: ['polite'] }, metrics);
    expect(value).toMatchObject({ metrics: { tone: { enabled: false }, polite: { enabled: true } } });
  });
});

it('is not added to the metrics of ADK criteria', () => {
  const { configuration } = checkConfiguration({ custom: [TONE], metrics: ['coherence'] }, REGISTRY);
  if (!configuration) throw new Error('The configuration is wrong.');
  const criteria = { metrics: { response_match_score: { enabled: true } }, thresholds: { response_match_score: 0.8 } };
  const { metrics } = applyCriteria(configuration, criteria, registryFor(configuration));
  expect(metrics).toMatchObject({ coherence: { enabled: true }, tone: { enabled: false } });
});

describe('a metric function', () => {
  async function load(files: Record<string, string>): Promise<LoadedConfiguration> {
    await using folder = await temporaryFolder(files);
    return await loadConfiguration({ cwd: folder.path, registry: TEST_REGISTRY, home: folder.path });
  }

  it.each(['turnwise.config.ts', 'turnwise.config.js', 'turnwise.config.mjs'])(
    'is not copied or converted in %s',
    async (name) => {
      const text = `export default { custom: [
      ${JSON.stringify(TONE)},
      { name: 'polite', evaluate: async () => 3 },
    ] };`;
      const { configuration, problems } = await load({ [name]: text });
      expect(problems).toEqual([]);
      const [tone, polite] = configuration?.custom ?? [];
      expect(tone?.evaluate).toBeUndefined();
      expect(polite?.evaluate).toBeInstanceOf(ModuleFunction);
      expect(polite?.evaluate).toMatchObject({
        path: ['custom', 1, 'evaluate'],
        ownerName: 'polite',
        displayName: name,
      });
    },
  );

  it.each([
    ['custom: [{ name: "a", rubric: () => 1 }]', '"rubric" is a function'],
    ['map: { custom: [{ evaluate: () => 1 }] }', '"evaluate" is a function'],
    ['custom: { evaluate: () => 1 }', '"evaluate" is a function'],
  ])('is rejected elsewhere: %s', async (keys, sentence) => {
    const { configuration, problems } = await load({ 'turnwise.config.ts': `export default { ${keys} };` });
    expect(configuration).toBeNull();
    expect(problems[0]?.message).toBe(`${sentence}; a configuration can only contain values that JSON supports.`);
  });

  it('is reported with its line in JSON and YAML, which cannot hold functions', async () => {
    const yaml = 'custom:\n  - name: polite\n    evaluate: "() => 3"\n';
    const { problems } = await load({ 'turnwise.config.yaml': yaml });
    expect(problems).toMatchObject([{ line: 3, message: expect.stringContaining('write a "rubric" instead') }]);
    const json = '{\n  "custom": [\n    { "name": "polite",\n      "evaluate": { "module": "x.ts" } }\n  ]\n}';
    expect((await load({ 'turnwise.config.json': json })).problems).toMatchObject([{ line: 4 }]);
  });

  it('in code is located at its list if a later entry is invalid', async () => {
    const text =
      'export default {\n  custom: [\n    { name: "a", rubric: "x" },\n    { name: "B", rubric: "x" },\n  ],\n};';
    expect((await load({ 'turnwise.config.ts': text })).problems).toMatchObject([{ line: 2 }]);
  });
});

describe('the JSON schema', () => {
  const schema = JSON.parse(JSON.stringify(configurationJsonSchema(TEST_REGISTRY)));
  const fits = (value: unknown) => new Validator(schema, '7').validate(value).valid;

  it('contains the key with everything JSON can express', () => {
    expect(fits({ custom: [TONE] })).toBe(true);
    expect(fits({ custom: [{ name: 'tone' }] })).toBe(false);
    expect(fits({ custom: [{ ...TONE, name: 'Tone' }] })).toBe(false);
    expect(fits({ custom: [{ ...TONE, evaluate: 'x' }] })).toBe(false);
  });

  it('allows custom names only if there are custom metrics', () => {
    for (const rest of [
      { metrics: ['tone'] },
      { metrics: { tone: { judge: 'openai:m' } } },
      { gates: { thresholds: { tone: 3 } } },
    ]) {
      expect(fits({ custom: [TONE], ...rest }), JSON.stringify(rest)).toBe(true);
      expect(fits(rest), JSON.stringify(rest)).toBe(false);
    }
    expect(fits({ metrics: ['coherence'], gates: { thresholds: { coherence: 0.5 } } })).toBe(true);
    expect(fits({ metrics: { coherence: { enabled: false } } })).toBe(true);
  });
});

it('is in the template as a comment that is valid when uncommented', async () => {
  const [, text = ''] = /\n(# custom:\n(?:# .*\n)+)/.exec(TEMPLATE) ?? [];
  const uncommented = text.replace(/^# /gm, '');
  await using folder = await temporaryFolder({ 'turnwise.config.yaml': uncommented });
  const loaded = await loadConfiguration({ cwd: folder.path, registry: TEST_REGISTRY, home: folder.path });
  expect(loaded.problems).toEqual([]);
  expect(loaded.configuration?.custom.length).toBeGreaterThan(0);
});

it('is typed: the argument of a function depends on the scope', () => {
  const configuration = {
    custom: [
      {
        name: 'short',
        evaluate: (turn, { index, session }) => (turn.output ?? '').length + index + session.turns.length,
      },
      {
        name: 'all_short',
        scope: 'session',
        scale: 'binary',
        uses: ['short'],
        evaluate: async (session, { turnResults }) => session.turns.length === turnResults.short?.length,
      },
      { name: 'tone', rubric: 'x', samples: 3 },
      // @ts-expect-error: a metric has either a rubric or a function
      { name: 'both', rubric: 'x', evaluate: () => 3 },
      // @ts-expect-error: neither a rubric nor a function
      { name: 'wrong', evaluate: () => [3] },
    ],
  } satisfies ConfigurationInput;
  expect(complaints({ custom: configuration.custom.slice(0, 3) })).toEqual([]);
});
