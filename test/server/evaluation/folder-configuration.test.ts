import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STATIC_MODELS } from '../../support/static-models.ts';
import { startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { type EditorOptions, modelEditor } from '../consent/model-editor.ts';

const GATE = JSON.stringify({ gates: { thresholds: { tool_call_count: 1 }, failOn: 'never' } });

describe('an evaluation in the editor', () => {
  async function evaluate(name: string, configuration: string, options: Partial<EditorOptions> = {}) {
    await using folder = await temporaryFolder({ '.git': '', 'chat.json': GOOD, [name]: configuration });
    using editor = modelEditor({ home: join(folder.path, 'home'), ...options });
    const report = await editor.evaluate([join(folder.path, 'chat.json')]);
    return { ...report, at: join(folder.path, name) };
  }

  it('uses the configuration beside the file', async () => {
    const report = await evaluate('turnwise.config.json', GATE);
    expect(report).toMatchObject({ verdict: 'failed', gates: [{ metric: 'tool_call_count', met: false }] });
  });

  it('uses the configuration in an evaluated folder', async () => {
    await using folder = await temporaryFolder({
      '.git': '',
      'runs/chat.json': GOOD,
      'runs/turnwise.config.json': GATE,
    });
    using editor = modelEditor({ home: join(folder.path, 'home') });
    expect(await editor.evaluate([join(folder.path, 'runs')])).toMatchObject({ verdict: 'failed' });
    expect(await editor.evaluate([folder.path])).toMatchObject({ gates: [{ metric: 'severity' }] });
  });

  it('reports a broken configuration with its line, and continues without it', async () => {
    const { sessions, problems, at } = await evaluate('turnwise.config.json', '{\n  "gates": { "minCoverage": 2 }\n}');
    expect(sessions).toHaveLength(1);
    expect(problems).toMatchObject([{ file: at, line: 2, severity: 'error' }]);
  });

  it('reports a judge that does not exist', async () => {
    const { problems } = await evaluate('turnwise.config.json', '{"judge":{"provider":"editor"}}');
    expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('judge.provider is') }]);
  });

  it('overrides judge and metrics of the configuration for one evaluation', async () => {
    await using stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai };
    await using folder = await temporaryFolder({
      '.git': '',
      'chat.json': GOOD,
      'turnwise.config.json': JSON.stringify({ judge }),
    });
    using editor = modelEditor({ home: join(folder.path, 'home') });
    const paths = [join(folder.path, 'chat.json')];
    const { run, sessions } = await editor.evaluate(paths, {
      overrides: { judge: 'rules', metrics: ['tool_call_count'] },
    });
    expect(run.judge).toBeNull();
    expect(Object.keys(sessions[0]?.metrics ?? {})).toEqual(['tool_call_count']);
    expect(stub.requests).toEqual([]);
    expect((await editor.evaluate(paths)).run.judge).toMatchObject({ model: 'm' });
    expect(stub.requests.length).toBeGreaterThan(0);
  });

  it('runs code in a trusted folder', async () => {
    const { problems, verdict } = await evaluate('turnwise.config.mjs', `export default ${GATE};`);
    expect(problems).toEqual([]);
    expect(verdict).toBe('failed');
  });
});

describe('an untrusted folder', () => {
  const asking = (baseUrl: string) =>
    JSON.stringify({
      judge: { provider: 'openai', model: 'm', baseUrl },
      embedder: { provider: 'ollama', model: 'e', baseUrl },
      metrics: { helpfulness: { judge: 'openai:own' }, tool_call_count: {} },
      gates: { thresholds: { tool_call_count: 1 } },
    });

  it('runs no code until it is trusted, without a restart of the server', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'chat.json': GOOD });
    const ran = join(folder.path, 'ran');
    const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(ran)}, ''); export default ${GATE};`;
    await writeFile(join(folder.path, 'turnwise.config.mjs'), code);
    using editor = modelEditor({ home: join(folder.path, 'home'), trusted: false });
    const { problems } = await editor.evaluate([join(folder.path, 'chat.json')]);
    expect(problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining('does not run in an untrusted folder') },
    ]);
    expect(existsSync(ran)).toBe(false);
    editor.set({ trusted: true });
    expect((await editor.evaluate([join(folder.path, 'chat.json')])).verdict).toBe('failed');
    expect(existsSync(ran)).toBe(true);
  });

  it('reads no model from a folder that the configuration names', async () => {
    await using folder = await temporaryFolder({
      '.git': '',
      'chat.json': GOOD,
      'turnwise.config.json': JSON.stringify({
        embedder: { provider: 'static', model: join(STATIC_MODELS, 'wordpiece') },
      }),
    });
    using editor = modelEditor({ home: join(folder.path, 'home'), trusted: false });
    const report = await editor.evaluate([join(folder.path, 'chat.json')]);
    expect(report.run.embedder).toEqual({ provider: 'lexical', model: null });
    expect(report.problems).toMatchObject([
      { severity: 'warning', message: expect.stringMatching(/^This folder is not trusted.*static:wordpiece/) },
    ]);
    editor.set({ trusted: true });
    const { run, problems } = await editor.evaluate([join(folder.path, 'chat.json')]);
    expect(run.embedder).toMatchObject({ provider: 'static', model: 'wordpiece' });
    expect(problems).toEqual([]);
  });

  it('uses no model and no key and asks nothing, and reports once which model it would use', async () => {
    await using stub = await startStubModels();
    await using folder = await temporaryFolder({
      '.git': '',
      'chat.json': GOOD,
      'turnwise.config.json': asking(stub.openai),
    });
    const keys = { [new URL(stub.origin).host]: 'secret' };
    using editor = modelEditor({ home: join(folder.path, 'home'), trusted: false, keys });
    const report = await editor.evaluate([join(folder.path, 'chat.json')]);
    expect(stub.requests).toEqual([]);
    expect([editor.questions, editor.keysAsked]).toEqual([[], []]);
    expect(report.run).toMatchObject({ judge: null, embedder: { provider: 'lexical' } });
    expect(report.verdict).toBe('failed');
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness).toMatchObject({ status: 'needs_judge' });
    expect(report.problems).toMatchObject([
      {
        file: join(folder.path, 'turnwise.config.json'),
        severity: 'warning',
        message: expect.stringMatching(/^This folder is not trusted.*openai:m, openai:own, ollama:e/),
      },
    ]);
    await editor.evaluate([join(folder.path, 'chat.json')]);
    editor.set({ trusted: true });
    const trusted = await editor.evaluate([join(folder.path, 'chat.json')]);
    expect(trusted.run.judge).toEqual({ provider: 'openai', model: 'm' });
    expect(stub.requests.length).toBeGreaterThan(0);
    // Said once, however often it is so.
    expect(editor.told).toMatchObject([{ host: null, sentence: expect.stringMatching(/^This folder is not trusted/) }]);
  });
});
