import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/formats/index.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, UNKNOWN_TOOL } from '../support/traces.ts';

describe('turnwise formats', () => {
  it('lists every format', async () => {
    await using folder = await temporaryFolder();
    const { code, stdout } = await turnwise(['formats'], { cwd: folder.path });
    expect(code).toBe(0);
    for (const { name } of FORMATS) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
  });

  it('prints the detected format of a file, the reason and its content', async () => {
    await using folder = await temporaryFolder({ 'a.json': UNKNOWN_TOOL });
    const { code, stdout } = await turnwise(['formats', 'a.json'], { cwd: folder.path });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a\.json: openai-chat \(/);
    expect(stdout).toContain('1 session, 1 turn, 1 tool call');
  });

  it('says that no format matches', async () => {
    await using folder = await temporaryFolder({ 'package.json': '{"name": "x"}' });
    const { code, stdout, stderr } = await turnwise(['formats', 'package.json'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stdout).toContain('package.json: unknown format');
    // Not a second time as an error.
    expect(stderr).toBe('');
  });

  it('says that a file does not exist', async () => {
    await using folder = await temporaryFolder();
    expect(await turnwise(['formats', 'nowhere.json'], { cwd: folder.path })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere.json: '),
    });
  });

  it('reads standard input', async () => {
    await using folder = await temporaryFolder();
    const { stdout } = await turnwise(['formats', '-'], { cwd: folder.path, stdin: GOOD });
    expect(stdout).toContain('standard input: openai-chat');
  });

  it('converts with the tasks that the configuration finds', async () => {
    const config = JSON.stringify({ tasks: { by: { file: '(?<task>[a-z]+)-(?<trial>\\d+)' } } });
    await using folder = await temporaryFolder({ 'refund-2.json': GOOD, 'turnwise.config.json': config });
    const { stdout } = await turnwise(['formats', 'refund-2.json', '--convert'], { cwd: folder.path });
    expect(JSON.parse(stdout).sessions).toMatchObject([{ task: { id: 'refund', trial: '2' } }]);
  });

  it('converts to the Turnwise format with the same results', async () => {
    await using folder = await temporaryFolder({ 'a.json': UNKNOWN_TOOL });
    const { path: cwd } = folder;
    expect(await turnwise(['formats', 'a.json', '--convert', '--out', 'b.json'], { cwd })).toMatchObject({
      code: 0,
      stdout: '',
    });
    const { stdout } = await turnwise(['formats', 'a.json', '--convert'], { cwd });
    expect(stdout).toBe(await readFile(join(cwd, 'b.json'), 'utf8'));
    const [before, after] = await Promise.all(
      ['a.json', 'b.json'].map(async (file) =>
        JSON.parse((await turnwise(['eval', file, '--format', 'json'], { cwd })).stdout),
      ),
    );
    const scores = (report: {
      sessions: { turns: { metrics: Record<string, { status: string; score: number | null }> }[] }[];
    }) =>
      report.sessions.flatMap(({ turns }) =>
        turns.map(({ metrics }) => Object.entries(metrics).map(([name, { status, score }]) => [name, status, score])),
      );
    expect(scores(after)).toEqual(scores(before));
    expect(after.failures).toHaveLength(before.failures.length);
  });
});
