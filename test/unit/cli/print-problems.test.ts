import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';

describe('a problem in the terminal', () => {
  it.each([
    ['x.json', { 'x.json': '{"name": "x"}' }, '`turnwise formats` lists the known formats; --input-format NAME'],
    ['.', { 'x.json': '{"name": "x"}' }, 'is not a trace. `turnwise formats` lists the known formats.'],
    [
      'a.json',
      { 'a.json': GOOD, 'turnwise.config.json': '{"metrics": ["nonsense"]}' },
      '`turnwise metrics` lists them.',
    ],
    ['a.json', { 'a.json': GOOD, 'turnwise.config.json': '{"metrics": ["agentic"]}' }, 'Or give one: --k 3.'],
    [
      'a.json',
      {
        'a.json': GOOD,
        'test_config.json': JSON.stringify({
          criteria: { final_response_match_v2: { threshold: 0.5, judge_model_options: { judge_model: 'openai/m' } } },
        }),
      },
      '--judge PROVIDER:MODEL chooses one.',
    ],
  ])('names the option or command that helps: %s %j', async (path, files, remedy) => {
    await using folder = await temporaryFolder({ '.git': '', ...files });
    const host = fakeHost({ cwd: folder.path, env: { TURNWISE_HOME: `${folder.path}/home` } });
    await run(['eval', join(folder.path, path), '--record', 'none'], host);
    expect(host.written.stderr).toContain(remedy);
  });
});
