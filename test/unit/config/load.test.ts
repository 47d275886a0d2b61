import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadedConfiguration, loadConfiguration } from '../../../src/config/load.ts';
import { TEMPLATE } from '../../../src/config/template.ts';
import { coefficientsOf } from '../../support/risk-coefficients.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TEST_REGISTRY } from './test-registry.ts';

async function load(files: Record<string, string>, at = '.', file?: string): Promise<LoadedConfiguration> {
  await using folder = await temporaryFolder(files);
  return await loadConfiguration({ cwd: join(folder.path, at), file, registry: TEST_REGISTRY, home: folder.path });
}

const one = (problems: LoadedConfiguration['problems']) =>
  problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);

describe('loadConfiguration', () => {
  it('reads criteria of ADK, which gate each session', async () => {
    const files = { 'test_config.json': '{"criteria": {"coherence": 0.5}}' };
    expect(await load(files, '.', 'test_config.json')).toMatchObject({
      configuration: { gates: { thresholds: { coherence: 0.5 }, scope: 'session' } },
      problems: [],
    });
    const wrong = { 'test_config.json': '{\n  "criteria": { "cohrence": 1 }\n}' };
    const { configuration, problems } = await load(wrong, '.', 'test_config.json');
    expect(configuration).toBeNull();
    expect(one(problems)).toEqual([expect.stringContaining('test_config.json:2:17')]);
  });

  it('works without a file', async () => {
    expect(await load({})).toMatchObject({ file: null, configuration: { judge: { provider: 'rules' } }, problems: [] });
  });

  it.each([
    ['turnwise.config.json', '{"gates": {"minCoverage": 0.5}}'],
    ['turnwise.config.json', '\uFEFF{"gates": {"minCoverage": 0.5}}'],
    ['turnwise.config.yaml', 'gates:\n  minCoverage: 0.5 # half\n'],
    ['turnwise.config.yml', '{gates: {minCoverage: 0.5}}'],
    ['turnwise.config.mjs', 'console.log("loading"); export default { gates: { minCoverage: 0.5 } };'],
    ['turnwise.config.js', 'export default Promise.resolve({ gates: { minCoverage: 1 / 2 } });'],
    ['turnwise.config.ts', 'const half: number = 0.5;\nexport default { gates: { minCoverage: half } };'],
  ])('reads %s', async (name, text) => {
    expect(await load({ [name]: text })).toMatchObject({
      file: name,
      configuration: { gates: { minCoverage: 0.5 } },
      problems: [],
    });
  });

  it('searches parent folders up to the root of the repository', async () => {
    const files = { 'turnwise.config.json': '{}', 'a/b/c.txt': '' };
    expect((await load(files, 'a/b')).file).toBe(join('..', '..', 'turnwise.config.json'));
    expect((await load({ ...files, 'a/.git/HEAD': '' }, 'a/b')).file).toBeNull();
  });

  it('finds the folder of a static embedder beside the file that names it, or below the working directory', async () => {
    await using folder = await temporaryFolder({
      'turnwise.config.yaml': 'embedder: { provider: static, model: models/tiny }\n',
      'a/b.txt': '',
    });
    const request = { cwd: join(folder.path, 'a'), registry: TEST_REGISTRY, home: folder.path };
    const modelOf = async (embedder?: string) =>
      (await loadConfiguration({ ...request, flags: { embedder } })).configuration?.embedder.model;
    expect(await modelOf()).toBe(join(folder.path, 'models', 'tiny'));
    expect(await modelOf('static')).toBe(join(folder.path, 'models', 'tiny'));
    expect(await modelOf('static:../other')).toBe(join(folder.path, 'other'));
    expect(await modelOf(`static:${join(folder.path, 'whole')}`)).toBe(join(folder.path, 'whole'));
  });

  it('does not search above the home directory', async () => {
    await using folder = await temporaryFolder({ 'turnwise.config.json': '{}', 'home/work/c.txt': '' });
    const home = join(folder.path, 'home');
    const request = { cwd: join(home, 'work'), registry: TEST_REGISTRY };
    expect((await loadConfiguration({ ...request, home })).file).toBeNull();
    expect((await loadConfiguration({ ...request, home: folder.path })).file).not.toBeNull();
  });

  describe('weights of the risk', () => {
    const WEIGHTS = coefficientsOf({ weights: { 'no-answer': 0.5 } });
    const WEIGHTS_TEXT = JSON.stringify(WEIGHTS);
    const RISK = { 'turnwise.risk.json': WEIGHTS_TEXT };

    it('are found with and without a configuration, from the folder upwards', async () => {
      expect(await load(RISK)).toMatchObject({
        file: null,
        riskFile: 'turnwise.risk.json',
        configuration: { risk: WEIGHTS },
      });
      expect(await load({ ...RISK, 'a/turnwise.config.json': '{}' }, 'a')).toMatchObject({
        file: 'turnwise.config.json',
        riskFile: join('..', 'turnwise.risk.json'),
        configuration: { risk: WEIGHTS },
      });
      expect((await load({})).riskFile).toBeNull();
    });

    it('are found beside a configuration that is named', async () => {
      const files = { 'a/turnwise.risk.json': RISK['turnwise.risk.json'], 'a/mine.json': '{}' };
      const loaded = await load(files, '.', join('a', 'mine.json'));
      expect(loaded).toMatchObject({ riskFile: join('a', 'turnwise.risk.json'), configuration: { risk: WEIGHTS } });
    });

    it('in the configuration win over those of the file', async () => {
      const own = { ...WEIGHTS, fittedOn: 'other sessions' };
      const loaded = await load({ ...RISK, 'turnwise.config.json': JSON.stringify({ risk: own }) });
      expect(loaded).toMatchObject({ riskFile: null, configuration: { risk: own } });
    });

    it.each([
      ['no JSON', '{\n  "fittedOn": 1x }', 'turnwise.risk.json:2:16: This is not JSON: '],
      [
        'a weight below 0',
        WEIGHTS_TEXT.replace('"no-answer":0.5', '\n"no-answer":-1'),
        'turnwise.risk.json:2:1: weights.no-answer is -1; ',
      ],
      ['a missing key', '{\n"weights": {}}', 'turnwise.risk.json:1:1: '],
      ['an unknown key', WEIGHTS_TEXT.replace(/}$/, ',\n"more": 1}'), 'turnwise.risk.json:2:1: Unknown key "more"'],
    ])(
      'that are %s are an error with line and remedy, and the configuration counts without them',
      async (_, text, message) => {
        const files = { 'turnwise.risk.json': text, 'turnwise.config.json': '{"gates": {"minCoverage": 0.5}}' };
        const { configuration, problems } = await load(files);
        expect(configuration).toMatchObject({ gates: { minCoverage: 0.5 } });
        expect(configuration?.risk).toBeUndefined();
        expect(one(problems)[0]).toContain(message);
        expect(problems[0]).toMatchObject({ severity: 'error' });
        expect(problems[0]?.message).toMatch(/ Run `turnwise calibrate risk` again, or delete the file\.$/);
      },
    );
  });

  it('warns about a second file that it does not read', async () => {
    const { file, problems } = await load({ 'turnwise.config.json': '{}', 'turnwise.config.yaml': '' });
    expect(file).toBe('turnwise.config.json');
    expect(problems).toMatchObject([{ severity: 'warning', file: 'turnwise.config.yaml' }]);
  });

  it.each<[string, string, string, string]>([
    [
      'JSON',
      'turnwise.config.json',
      '{\n  "metrics": {\n    "coherence": { "threshold": 2 }\n  }\n}',
      ':3:20: metrics.coherence.threshold is 2',
    ],
    [
      'JSON list',
      'turnwise.config.json',
      '{\n  "metrics": [\n    "coherence",\n    "cohrence"\n  ]\n}',
      ':4:5: Unknown metric "cohrence"',
    ],
    ['unknown key', 'turnwise.config.json', '{\n  "judge": {},\n  "metrcs": {}\n}', ':3:3: Unknown key "metrcs"'],
    [
      'YAML',
      'turnwise.config.yaml',
      '# mine\ngates:\n  thresholds:\n    coherence: 85\n',
      ':4:5: gates.thresholds.coherence is 85',
    ],
    [
      'TypeScript',
      'turnwise.config.ts',
      '// gates: minCoverage:\nexport default {\n  gates: {\n    minCoverage: 2,\n  },\n};',
      ':4:5: gates.minCoverage is 2',
    ],
    [
      'a key that stands elsewhere too',
      'turnwise.config.ts',
      'const mine = { loop_detection: 1 };\nexport default {\n  metrics: { loop_detection: { threshold: 0.5 } },\n  gates: { thresholds: {\n    loop_detection: 5,\n  } },\n};',
      ':5:5: gates.thresholds.loop_detection is 5',
    ],
    ['broken JSON', 'turnwise.config.json', '{\n  "metrics": [,]\n}', ":2:15: This is not JSON: Unexpected token ','."],
    ['broken JSON behind a comment', 'turnwise.config.json', '// ours\n{ "metrics": 1x }', ':2:15: This is not JSON: '],
    ['JSON that ends early', 'turnwise.config.json', '{\n  "metrics": [\n', ':2:15: This is not JSON: '],
    ['empty JSON', 'turnwise.config.json', '', ':1:1: This is not JSON: '],
    ['broken YAML', 'turnwise.config.yaml', 'gates:\n  a: b: c\n', ':2:6: This is not YAML: '],
    [
      'a throwing module',
      'turnwise.config.ts',
      'export default {};\n\nthrow new Error("no token");',
      ':3:7: The configuration threw an error: no token.',
    ],
    [
      'a module that does not parse',
      'turnwise.config.ts',
      'export default {\n  a: [,\n',
      ':2:8: The configuration threw an error: ',
    ],
    [
      'a module without default export',
      'turnwise.config.ts',
      'export const a = 1;',
      ':null:null: The configuration has no default export',
    ],
    [
      'a module that is no data',
      'turnwise.config.ts',
      'export default {\n  map: () => 1,\n};',
      ':2:3: "map" is a function',
    ],
    [
      'a path of a mapping that is none',
      'turnwise.config.yaml',
      'map:\n  turns:\n    path: rounds\n    input: a..b\n    output: reply\n',
      ':4:5: map.turns.input is "a..b"; it must be names with dots',
    ],
    [
      'a module that ends its process',
      'turnwise.config.ts',
      'process.exit(7);',
      ':null:null: The configuration could not be loaded: its process ended by itself (exit code 7).',
    ],
  ])('reports the location of an error: %s', async (_, name, text, sentence) => {
    const { configuration, problems } = await load({ [name]: text });
    expect(configuration).toBeNull();
    expect(one(problems)).toEqual([expect.stringContaining(name + sentence)]);
  });

  it('reads JSON with comments and trailing commas, with locations', async () => {
    const text = '{\n  // ours\n  "gates": { "minCoverage": /* all */ %, },\n}\n';
    const loaded = (minCoverage: number) => load({ 'turnwise.config.json': text.replace('%', `${minCoverage}`) });
    expect(await loaded(0.5)).toMatchObject({ configuration: { gates: { minCoverage: 0.5 } }, problems: [] });
    expect(await loaded(2)).toMatchObject({ configuration: null, problems: [{ line: 3, column: 14 }] });
  });

  it.each([
    ['nowhere.json', ':null:null: The configuration file cannot be read: there is no such file.'],
    ['notes.txt', ':null:null: A configuration file ends in'],
  ])('reports if the named file %s is not a configuration', async (name, sentence) => {
    const { configuration, problems } = await load({ 'notes.txt': '' }, '.', name);
    expect(configuration).toBeNull();
    expect(one(problems)[0]).toContain(name + sentence);
  });

  it('accepts its own template, which changes nothing', async () => {
    const { configuration, problems } = await load({ 'turnwise.config.yaml': TEMPLATE });
    expect(problems).toEqual([]);
    expect(configuration).toEqual((await load({})).configuration);
  });
});
