import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shippedFiles } from '../../scripts/shipped-files.ts';
import { VERSION } from '../../src/version.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, LOOPING } from '../support/traces.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUNDLE = join(ROOT, 'dist', 'cli.js');

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

  it('has the compiler of TypeScript in one file, which the extension does not ship', async () => {
    const { outputs }: { outputs: Record<string, { inputs: object }> } = JSON.parse(
      readFileSync(join(ROOT, 'dist', 'meta.json'), 'utf8'),
    );
    const withCompiler = Object.entries(outputs).filter(([, { inputs }]) =>
      Object.keys(inputs).some((input) => input.startsWith('node_modules/jiti/')),
    );
    expect(withCompiler.map(([file]) => file)).toEqual(['dist/jiti-loader.js']);
    const shipped = await shippedFiles(ROOT);
    expect(shipped).toContain('dist/load-module-child.js');
    expect(shipped).not.toContain('dist/jiti-loader.js');
  });

  it('compiles a configuration that Node cannot run', async () => {
    const config = `const low = (type: any) => { type.threshold = 0.9; };
@low class Gates { static threshold: number }
export default { gates: { thresholds: { loop_detection: Gates.threshold } } };`;
    const files = { 'chat.json': LOOPING, 'turnwise.config.ts': config };
    expect(await turnwise(files, 'eval', 'chat.json', '--record', 'none')).toMatchObject({ status: 1, stderr: '' });
  });

  describe('compiled code', () => {
    const run = (folder: string) =>
      spawnSync(process.execPath, [BUNDLE, 'eval', 'chat.json', '--record', 'none'], {
        cwd: folder,
        env: { ...childEnvironment(folder), NODE_COMPILE_CACHE: undefined, TURNWISE_HOME: join(folder, 'data') },
      });

    it('is kept in the data folder, and that of other versions is deleted', async () => {
      await using folder = await temporaryFolder({ '.git': '', 'chat.json': GOOD, 'data/compile-cache/0.0.9/old': '' });
      expect(run(folder.path).status).toBe(0);
      const caches = join(folder.path, 'data', 'compile-cache');
      expect(readdirSync(caches)).toEqual([VERSION]);
      const [ofNode = ''] = readdirSync(join(caches, VERSION));
      expect(readdirSync(join(caches, VERSION, ofNode)).length).toBeGreaterThan(20);
    });

    it('is not kept where there is no data folder', async () => {
      await using folder = await temporaryFolder({ '.git': '', 'chat.json': GOOD });
      expect(run(folder.path).status).toBe(0);
      expect(existsSync(join(folder.path, 'data'))).toBe(false);
    });
  });

  it.each([['formats'], ['metrics'], ['metrics', 'loop_detection'], ['pass-at-k', '--n', '4', '--c', '2', '--k', '2']])(
    'answers %s',
    async (...args) => {
      expect(await turnwise({}, ...args)).toMatchObject({ status: 0, stderr: '' });
    },
  );
});
