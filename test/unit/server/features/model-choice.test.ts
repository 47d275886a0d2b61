import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../../../src/config/check.ts';
import { parseConfiguration } from '../../../../src/config/parse.ts';
import { REGISTRY } from '../../../../src/config/registry.ts';
import type { EmbedderChoice, JudgeChoice } from '../../../../src/protocol/models.ts';
import { planEmbedderChange, planJudgeChange } from '../../../../src/server/features/model-choice.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const OLLAMA: JudgeChoice = { provider: 'ollama', model: 'qwen3:8b' };
const LOCAL: JudgeChoice = { provider: 'openai', model: 'a/b', baseUrl: 'http://localhost:1234/v1' };
const OPENAI: JudgeChoice = { provider: 'openai', model: 'gpt-5-mini', baseUrl: 'https://api.openai.com/v1' };
const RULES: JudgeChoice = { provider: 'rules' };

/** The text of the configuration afterwards. */
async function chosen(name: string, before: string, judge: JudgeChoice): Promise<string> {
  await using folder = await temporaryFolder({ '.git': '', [name]: before });
  const { plan } = await planJudgeChange(folder.path, judge, [folder.path]);
  if ('error' in plan) throw new Error(plan.error);
  expect(plan.change).toMatchObject({ path: join(folder.path, name), before });
  const parsed = await parseConfiguration(name, plan.change.after);
  expect(parsed.kind === 'parsed' && checkConfiguration(parsed.value, REGISTRY).issues).toEqual([]);
  return plan.change.after;
}

describe('a chosen judge', () => {
  it('is saved in a new configuration where there is none', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'runs/chat.json': '[]' });
    const { plan } = await planJudgeChange(join(folder.path, 'runs'), LOCAL, [folder.path]);
    expect(plan).toEqual({
      change: {
        path: join(folder.path, 'turnwise.config.json'),
        before: null,
        after: `${JSON.stringify({ judge: { provider: 'openai', model: 'a/b', baseUrl: 'http://localhost:1234/v1' } }, null, 2)}\n`,
      },
    });
  });

  it('is saved in JSON, which otherwise stays as it is', async () => {
    const before = '{\n    "metrics": [ "helpfulness" ],\n    "gates": {}\n}\n';
    expect(await chosen('turnwise.config.json', before, OLLAMA)).toBe(
      '{\n    "metrics": [ "helpfulness" ],\n    "gates": {},\n    "judge": {\n        "provider": "ollama",\n        "model": "qwen3:8b"\n    }\n}\n',
    );
    expect(await chosen('turnwise.config.json', '{ "judge": null }', RULES).catch(String)).toBe(
      '{ "judge": {"provider":"rules"} }',
    );
  });

  it('is saved in YAML, whose comments stay', async () => {
    const before = 'judge: # who\n  provider: rules # none yet\n  temperature: 0.1\n# the end\n';
    expect(await chosen('turnwise.config.yaml', before, LOCAL)).toBe(
      'judge: # who\n  provider: openai # none yet\n  temperature: 0.1\n  model: a/b\n  baseUrl: http://localhost:1234/v1\n# the end\n',
    );
    expect(await chosen('turnwise.config.yml', '# mine\n', OLLAMA)).toBe(
      '# mine\njudge:\n  provider: ollama\n  model: qwen3:8b\n',
    );
  });

  const gateway = {
    provider: 'openai',
    model: 'm',
    baseUrl: 'https://gateway.example/v1',
    headers: { 'x-team': 'evals' },
    query: { v: '1' },
    extraBody: { a: 1 },
    price: { input: 1, output: 2 },
    temperature: 0.5,
  };

  it.each([
    ['another provider', OLLAMA, { provider: 'ollama', model: 'qwen3:8b', temperature: 0.5 }],
    ['no model', RULES, { provider: 'rules', temperature: 0.5 }],
    ['another server', OPENAI, { provider: 'openai', model: 'gpt-5-mini', extraBody: { a: 1 }, temperature: 0.5 }],
    [
      'another model of the same server',
      { provider: 'openai', model: 'n', baseUrl: gateway.baseUrl },
      { ...gateway, model: 'n', price: undefined },
    ],
  ] as const)('takes nothing along that was meant for another: %s', async (_, judge, after) => {
    const json = await chosen('turnwise.config.json', JSON.stringify({ judge: gateway }, null, 2), judge);
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ judge: after })));
    const yaml = await chosen('turnwise.config.yaml', `# top\njudge: ${JSON.stringify(gateway)} # who\n`, judge);
    expect(yaml).toContain('# top');
    const parsed = await parseConfiguration('a.yaml', yaml);
    expect(parsed).toMatchObject({ kind: 'parsed', value: JSON.parse(json) });
  });

  it('replaces an invalid judge', async () => {
    expect(await chosen('turnwise.config.yaml', '# top\njudge: openai\nrules: {}\n', RULES)).toBe(
      '# top\njudge: { provider: rules }\nrules: {}\n',
    );
    expect(await chosen('turnwise.config.json', '{ "judge": "openai" }', RULES)).toBe(
      '{ "judge": {"provider":"rules"} }',
    );
  });

  it('does not apply to metrics with their own judge, which are named', async () => {
    await using folder = await temporaryFolder({
      '.git': '',
      'turnwise.config.json':
        '{"metrics":{"helpfulness":{"judge":"openai:m"},"coherence":{},"safety_v1":{"enabled":false,"judge":"openai:m"}}}',
    });
    expect((await planJudgeChange(folder.path, RULES, [])).asking).toEqual(['helpfulness']);
  });

  it.each([
    [
      'turnwise.config.mjs',
      'export default {}',
      /does not edit code.*Add to it: judge: \{"provider":"ollama","model":"qwen3:8b"\}/,
    ],
    ['turnwise.config.json', '{\n  "judge": {},,\n}', /turnwise\.config\.json:2: This is not JSON/],
    [
      'turnwise.config.yaml',
      'judge: &a { provider: rules }\nmetrics: { helpfulness: *a }\n',
      /cannot be edited safely/,
    ],
  ])('is refused where it cannot be written: %s', async (name, before, why) => {
    await using folder = await temporaryFolder({ '.git': '', [name]: before });
    const { plan } = await planJudgeChange(folder.path, OLLAMA, []);
    expect(plan).toEqual({ error: expect.stringMatching(why) });
  });
});

describe('a chosen embedder', () => {
  const SERVER: EmbedderChoice = { provider: 'ollama', model: 'nomic-embed-text', baseUrl: 'http://127.0.0.1:11434' };

  async function saved(before: object, embedder: (root: string) => EmbedderChoice, from = '.'): Promise<unknown> {
    await using folder = await temporaryFolder({
      '.git': '',
      'models/a.txt': '',
      'evals/turnwise.config.json': JSON.stringify(before),
    });
    const cwd = join(folder.path, 'evals');
    const plan = await planEmbedderChange(cwd, embedder(folder.path), [join(folder.path, from)]);
    if ('error' in plan) throw new Error(plan.error);
    return JSON.parse(plan.change.after);
  }

  it('is saved beside the judge, which stays as it is', async () => {
    const judge = { provider: 'openai', model: 'm', headers: { 'x-team': 'evals' } };
    expect(await saved({ judge }, () => SERVER)).toEqual({
      judge,
      embedder: { provider: 'ollama', model: 'nomic-embed-text' },
    });
  });

  it('leaves settings of another server behind', async () => {
    const embedder = {
      provider: 'openai',
      model: 'm',
      baseUrl: 'https://a.example/v1',
      headers: { 'x-team': 'evals' },
    };
    expect(await saved({ embedder }, () => SERVER)).toEqual({
      embedder: { provider: 'ollama', model: 'nomic-embed-text' },
    });
    expect(await saved({ embedder }, () => ({ provider: 'lexical' }))).toEqual({ embedder: { provider: 'lexical' } });
  });

  it('is a folder relative to the configuration if it is in an open folder, else by its whole path', async () => {
    const inside = await saved({}, (root) => ({ provider: 'static', model: join(root, 'models') }));
    expect(inside).toEqual({ embedder: { provider: 'static', model: '../models' } });
    const outside = await saved({}, (root) => ({ provider: 'static', model: join(root, 'models') }), 'evals');
    expect(outside).toEqual({ embedder: { provider: 'static', model: expect.stringMatching(/^\/.*\/models$|^\w:/) } });
  });
});
