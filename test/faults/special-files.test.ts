import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { CLI_MAIN, type CliResult, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, UNKNOWN_TOOL } from '../support/traces.ts';

const EVALUATION_SET = readFileSync(join(import.meta.dirname, '../fixtures/formats/conv.evalset.json'), 'utf8');
const LABELS = JSON.stringify({ outcome: { status: 'failure', reason: 'Refunded twice' } });

/** Ends a command that waits, so that the test fails. */
const PATIENCE_MS = 20_000;

async function runFor(cwd: string, args: readonly string[], patience = PATIENCE_MS): Promise<CliResult> {
  let timer: NodeJS.Timeout | undefined;
  const result = await turnwise(args, {
    cwd,
    // No repository is above it, and the search for a configuration passes through the folders of a test.
    env: { HOME: '/nowhere' },
    whileRunning: (child) => {
      child.stdin?.end();
      timer = setTimeout(() => child.kill('SIGKILL'), patience);
    },
  });
  clearTimeout(timer);
  return result;
}

interface JsonReport {
  readonly sessions: readonly { readonly source: { readonly file: string } }[];
  readonly problems: readonly { readonly file: string; readonly message: string; readonly severity: string }[];
}

async function evaluate(cwd: string, ...args: string[]): Promise<CliResult & { report: JsonReport }> {
  const result = await runFor(cwd, ['eval', ...args, '--format', 'json']);
  expect(result.stdout, result.stderr).not.toBe('');
  return { ...result, report: JSON.parse(result.stdout) };
}

function filesOf({ sessions }: JsonReport): string[] {
  return sessions.map(({ source }) => source.file);
}

function lines(count: number, line: (index: number) => string): string {
  return `${Array.from({ length: count }, (_, index) => line(index)).join('\n')}\n`;
}

function shell(cwd: string, command: string): Promise<{ stdout: string }> {
  const env = { ...childEnvironment(cwd), NODE: process.execPath, TURNWISE: CLI_MAIN };
  return promisify(execFile)('sh', ['-c', command], { cwd, env, timeout: PATIENCE_MS }).catch((error) => error);
}

function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** Two folders side by side: one that a stranger wrote, and one of the user. */
async function twoFolders(files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder({ 'mine/secret.json': UNKNOWN_TOOL, 'repo/good.json': GOOD, ...files });
  return {
    ...folder,
    link: async (name: string, target: string) => {
      const path = join(folder.path, 'repo', name);
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path);
    },
  };
}

const DEVICES: readonly (readonly [what: string, make: (path: string) => Promise<void>])[] = [
  ['a pipe without a writer', async (path) => makePipe(path)],
  ['a link to a device without an end', (path) => symlink('/dev/zero', path)],
  ['a link to a file of /proc that claims to be empty', (path) => symlink('/proc/self/pagemap', path)],
];

describe.skipIf(process.platform !== 'linux')('files that are no files', () => {
  it.each(DEVICES)('are found in a folder, and the other traces are evaluated: %s', async (_, make) => {
    await using folder = await temporaryFolder({ 'good.json': GOOD });
    await make(join(folder.path, 'bad.json'));
    const { code, report } = await evaluate(folder.path, '.');
    expect({ code, files: filesOf(report) }).toEqual({ code: 0, files: ['good.json'] });
  });

  it.each(DEVICES)('are named beside a trace, and are one error: %s', async (_, make) => {
    await using folder = await temporaryFolder({ 'good.json': GOOD });
    await make(join(folder.path, 'bad.json'));
    const { code, report } = await evaluate(folder.path, 'good.json', 'bad.json');
    expect({ code, files: filesOf(report) }).toEqual({ code: 2, files: ['good.json'] });
    expect(report.problems).toMatchObject([{ file: 'bad.json', severity: 'error' }]);
  });

  it.each(DEVICES)('stand where a sidecar would: %s', async (_, make) => {
    await using folder = await temporaryFolder({ 'good.json': GOOD });
    await make(join(folder.path, 'good.turnwise.json'));
    const { code, report } = await evaluate(folder.path, 'good.json');
    expect({ code, sessions: report.sessions.length }).toEqual({ code: 2, sessions: 1 });
    expect(report.problems).toMatchObject([{ file: 'good.turnwise.json', severity: 'error' }]);
    expect(report.problems[0]?.message).toMatch(/Can't read the sidecar of good.json: it /);
  });

  it.each(DEVICES)('stand where a configuration would: %s', async (_, make) => {
    await using folder = await temporaryFolder({ 'good.json': GOOD });
    await make(join(folder.path, 'turnwise.config.yaml'));
    const { code, stderr } = await runFor(folder.path, ['eval', 'good.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('turnwise.config.yaml');
  });

  it.each(DEVICES)('stand where criteria of ADK would: %s', async (_, make) => {
    await using folder = await temporaryFolder({ 'conv.evalset.json': EVALUATION_SET, 'good.json': GOOD });
    await make(join(folder.path, 'test_config.json'));
    const { code, report } = await evaluate(folder.path, '.');
    expect(code).toBe(2);
    expect(report.problems.map(({ file }) => file)).toContain('test_config.json');
  });

  it.each(['--tools', '--context'])('are not read without end for %s', async (option) => {
    await using folder = await temporaryFolder({ 'good.json': GOOD });
    const { code, stderr } = await runFor(folder.path, ['eval', 'good.json', option, '/dev/zero']);
    expect(code).toBe(2);
    expect(stderr).toContain('it is a pipe or a device, not a file');
  });

  it('are not read as a configuration that is large', async () => {
    await using folder = await temporaryFolder({ 'good.json': GOOD, 'turnwise.config.yaml': '' });
    await truncate(join(folder.path, 'turnwise.config.yaml'), 400_000_000);
    const { code, stderr } = await runFor(folder.path, ['eval', 'good.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('it is larger than 256 kB');
  });
});

describe('a configuration that is hostile', () => {
  it.each([
    [
      'too deep, in JSON',
      'c.json',
      `{"gates": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      /nested more than 1000 levels/,
    ],
    [
      'too deep, in YAML',
      'c.yaml',
      `gates: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
      /nested more than 1000 levels/,
    ],
    ['of 20,000 unknown keys', 'c.yaml', lines(20_000, (line) => `key${line}: 1`), /Unknown key "key0"/],
    ['of 15,000 unknown rules', 'c.yaml', `rules:\n${lines(15_000, (line) => `  rule${line}: off`)}`, /rule0/],
  ])('is a few problems: %s', async (_, name, text, message) => {
    await using folder = await temporaryFolder({ 'good.json': GOOD, [name]: text });
    const { code, stderr } = await runFor(folder.path, ['eval', 'good.json', '--config', name]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.split('\n').length).toBeLessThan(200);
  });
});

describe('standard input', () => {
  it.runIf(process.platform === 'linux')('is not read without end', async () => {
    await using folder = await temporaryFolder();
    const { stdout } = await shell(folder.path, 'cat /dev/zero | "$NODE" "$TURNWISE" eval - 2>&1');
    expect(stdout).toContain('Turnwise reads files up to 511 MB');
  });
});

describe.skipIf(process.platform === 'win32')('a pipe that is the only input', () => {
  it('is read when its writer comes', async () => {
    await using folder = await temporaryFolder();
    const pipe = join(folder.path, 'pipe');
    makePipe(pipe);
    const [result] = await Promise.all([evaluate(folder.path, 'pipe'), writeFile(pipe, GOOD)]);
    expect({ code: result.code, files: filesOf(result.report) }).toEqual({
      code: 0,
      files: ['pipe'],
    });
  });

  it('can be stopped while it waits', async () => {
    await using folder = await temporaryFolder();
    makePipe(join(folder.path, 'pipe'));
    const { code } = await turnwise(['eval', 'pipe', '--verbose'], {
      cwd: folder.path,
      whileRunning: (child) => {
        child.stdin?.end();
        // Printed before the input is read.
        child.stderr?.once('data', () => setTimeout(() => child.kill('SIGINT'), 300));
        setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref();
      },
    });
    expect(code).toBe(130);
  });
});

describe.skipIf(process.platform === 'win32')('a link that leads out of the folder', () => {
  it('is followed only where the user names it', async () => {
    await using folder = await twoFolders();
    await folder.link('linked.json', '../mine/secret.json');
    await folder.link('inside.json', 'good.json');
    const found = await evaluate(folder.path, 'repo');
    expect(filesOf(found.report)).toEqual(['repo/good.json', 'repo/inside.json']);
    expect(found.report.problems).toContainEqual(
      expect.objectContaining({
        file: 'repo/linked.json',
        severity: 'warning',
        message: 'Skipped: this link leads out of the folder. Name the file itself to read it.',
      }),
    );
    const named = await evaluate(folder.path, 'repo/linked.json');
    expect(filesOf(named.report)).toEqual(['repo/linked.json']);
  });

  it('is no sidecar', async () => {
    await using folder = await twoFolders({ 'mine/labels.json': LABELS });
    await folder.link('good.turnwise.json', '../mine/labels.json');
    const { code, report } = await evaluate(folder.path, 'repo/good.json');
    expect(code).toBe(2);
    expect(report.problems).toMatchObject([
      { file: 'repo/good.turnwise.json', message: expect.stringContaining('a link that leads out of the folder') },
    ]);
  });

  it('is no configuration, except within one repository or with --config', async () => {
    await using folder = await twoFolders({ 'mine/settings.json': '{"gates": {"failOn": "never"}}' });
    await folder.link('turnwise.config.json', '../mine/settings.json');
    const inRepo = (...args: string[]) => runFor(join(folder.path, 'repo'), ['eval', 'good.json', ...args]);
    const refused = await inRepo();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('This is a link that leads out of the repository.');
    expect((await inRepo('--config', 'turnwise.config.json')).code).toBe(0);
    await mkdir(join(folder.path, '.git'));
    expect((await inRepo()).code).toBe(0);
  });

  it('is not reached by the globs of a configuration', async () => {
    await using folder = await twoFolders({ 'repo/turnwise.config.json': '{"traces": ["**/*.json"]}' });
    await folder.link('linked.json', '../mine/secret.json');
    await folder.link('folder', '../mine');
    const { stdout, stderr } = await runFor(join(folder.path, 'repo'), ['eval', '--format', 'json']);
    const report: JsonReport = JSON.parse(stdout);
    expect(filesOf(report)).toEqual(['good.json']);
    expect(stderr).toContain('linked.json: warning: Skipped: this link leads out of the folder.');
  });
});
