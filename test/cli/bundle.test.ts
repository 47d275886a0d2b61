import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, LOOPING } from '../support/traces.ts';

const BUNDLE = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');

/** Tests the shipped bundle instead of the source; `npm test` builds it first. */
describe.skipIf(!existsSync(BUNDLE))('the bundled CLI (requires a build)', () => {
  async function turnwise(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
    await using folder = await temporaryFolder({ '.git': '', ...files });
    const { status, stdout, stderr } = spawnSync(process.execPath, [BUNDLE, ...args], {
      cwd: folder.path,
      env: childEnvironment(folder.path),
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  it('evaluates a trace', async () => {
    expect(await turnwise({ 'chat.json': GOOD }, 'eval', 'chat.json', '--record', 'none')).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it.each([
    ['turnwise.config.yaml', 'gates:\n  thresholds: { loop_detection: 0.9 }\n'],
    ['turnwise.config.json', '{ "gates": { "thresholds": { "loop_detection": 0.9 } } }'],
    ['turnwise.config.ts', 'export default { gates: { thresholds: { loop_detection: 0.9 as number } } };'],
    [
      'turnwise.config.ts',
      'export default { custom: [{ name: "own", evaluate: () => 2 }], gates: { thresholds: { own: 3 } } };',
    ],
  ])('reads %s', async (name, text) => {
    expect(
      await turnwise({ 'chat.json': LOOPING, [name]: text }, 'eval', 'chat.json', '--record', 'none'),
    ).toMatchObject({
      status: 1,
      stderr: '',
    });
  });

  it.each([
    ['turnwise.config.yaml', 'gates:\n  minCoverage: 2\n'],
    ['turnwise.config.json', '{\n  "gates": { "minCoverage": 2 }\n}'],
    ['turnwise.config.json', '{\n  "gates": { "minCoverage": 2 \n'],
  ])('reports the location of an error in %s', async (name, text) => {
    const { status, stderr } = await turnwise({ 'chat.json': GOOD, [name]: text }, 'eval', 'chat.json');
    expect(status).toBe(2);
    expect(stderr).toMatch(new RegExp(`^${name}:[23]:\\d+: `));
  });

  it('writes a configuration that it accepts', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'chat.json': GOOD });
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [BUNDLE, ...args], {
        cwd: folder.path,
        env: childEnvironment(folder.path),
        encoding: 'utf8',
      });
    expect(run('init').status).toBe(0);
    expect(run('eval', 'chat.json', '--record', 'none')).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([['formats'], ['metrics'], ['metrics', 'loop_detection'], ['pass-at-k', '--n', '4', '--c', '2', '--k', '2']])(
    'answers %s',
    async (...args) => {
      expect(await turnwise({}, ...args)).toMatchObject({ status: 0, stderr: '' });
    },
  );
});
