import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/index.ts';
import { configured } from '../../../src/server/configuration.ts';
import { stubModels } from '../../support/stub-models.ts';
import { temporary } from '../../support/temporary.ts';
import { GOOD } from '../../support/traces.ts';

describe('an evaluation in the editor', () => {
  async function evaluate(name: string, configuration: string) {
    await using folder = await temporary({ '.git': '', 'chat.json': GOOD, [name]: configuration });
    const options = { signal: new AbortController().signal, onFile: () => {}, onResult: () => {} };
    const { report } = await configured(evaluateFiles)([join(folder.path, 'chat.json')], {}, options);
    return { ...report, at: join(folder.path, name) };
  }

  it('follows the configuration beside the file', async () => {
    const gate = { gates: { thresholds: { tool_call_count: 1 }, failOnErrorSeverity: 'never' } };
    const report = await evaluate('turnwise.config.json', JSON.stringify(gate));
    expect(report).toMatchObject({ verdict: 'failed', gates: [{ metric: 'tool_call_count', met: false }] });
  });

  it('says what is wrong with it, with its line, and goes on without', async () => {
    const { sessions, problems, at } = await evaluate('turnwise.config.json', '{\n  "gates": { "minCoverage": 2 }\n}');
    expect(sessions).toHaveLength(1);
    expect(problems).toMatchObject([{ file: at, line: 2, severity: 'error' }]);
  });

  it('runs no code', async () => {
    const { problems } = await evaluate('turnwise.config.mjs', 'throw new Error("it ran"); export default {};');
    expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('does not run') }]);
  });

  it('asks no model that a folder names, and says so', async () => {
    await using stub = await stubModels();
    const asking = {
      judge: { provider: 'openai', model: 'm', baseUrl: stub.openai },
      embedder: { provider: 'ollama', model: 'e', baseUrl: stub.origin },
      metrics: { helpfulness: { judge: 'openai:own' }, tool_call_count: {} },
      gates: { thresholds: { tool_call_count: 1 } },
    };
    const { problems, verdict, run, at } = await evaluate('turnwise.config.json', JSON.stringify(asking));
    expect(stub.requests).toEqual([]);
    expect(run).toMatchObject({ judge: null, embedder: { provider: 'lexical' } });
    expect(verdict).toBe('failed');
    expect(problems).toMatchObject([{ file: at, severity: 'warning', message: expect.stringContaining('no model') }]);
  });
});
