import { execFileSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/index.ts';
import { REPORT_WRITERS } from '../../src/reports/index.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, LOOPING } from '../support/traces.ts';

const CONFIGURATION = 'gates: {}\n';
const CRITERIA = '{"criteria": {"tool_trajectory_avg_score": 1}}';
const SIDECAR = '{"goal": "A capital"}';
const TOOLS = '[]';

/** A run with each kind of file, and links to them. */
async function runFolder() {
  const folder = await temporaryFolder({
    'runs/a.json': GOOD,
    'runs/a.turnwise.json': SIDECAR,
    'runs/b.json': LOOPING,
    'runs/package.json': '{"name": "x"}',
    'tools.json': TOOLS,
    'turnwise.config.yaml': CONFIGURATION,
    'runs/test_config.json': CRITERIA,
  });
  const at = (name: string) => join(folder.path, name);
  await symlink('runs/a.json', at('link.json'));
  await link(at('runs/b.json'), at('hard.json'));
  await link(at('runs/a.turnwise.json'), at('hard-sidecar.json'));
  const content = async () =>
    Object.fromEntries(
      await Promise.all(
        [
          'runs/a.json',
          'runs/a.turnwise.json',
          'runs/b.json',
          'tools.json',
          'turnwise.config.yaml',
          'runs/test_config.json',
        ].map(async (name) => [name, await readFile(at(name), 'utf8')] as const),
      ),
    );
  return { ...folder, at, content };
}

const PROTECTED = [
  'runs/a.json',
  'runs/b.json',
  'runs/a.turnwise.json',
  'tools.json',
  'turnwise.config.yaml',
  'runs/test_config.json',
  'runs/../link.json',
  'hard.json',
  'hard-sidecar.json',
];

describe.skipIf(process.platform === 'win32')('no output replaces what a run reads', () => {
  it.each(
    PROTECTED.flatMap((file) => [
      [['eval', 'runs', '--out', file]],
      [['eval', 'runs/a.json', 'runs/b.json', '--report', `json=${file}`]],
      [['eval', 'runs', '--dry-run', '--format', 'json', '--out', file]],
    ]),
  )('%j', async (args) => {
    await using folder = await runFolder();
    const before = await folder.content();
    const files = await readdir(folder.path, { recursive: true });
    const { code, stderr, stdout } = await turnwise([...args, '--tools', 'tools.json'], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^turnwise: --(?:out|report) \S+ would replace \S+, which is an input\. Name another file\.$/m,
    );
    expect(await folder.content()).toEqual(before);
    expect(await readdir(folder.path, { recursive: true })).toEqual(files);
  });

  it('by turnwise formats --convert', async () => {
    await using folder = await runFolder();
    const before = await folder.content();
    for (const out of ['link.json', 'runs/a.turnwise.json', 'hard-sidecar.json', 'turnwise.config.yaml']) {
      const args = ['formats', 'runs/a.json', '--convert', '--out', out];
      const { code, stderr } = await turnwise(args, { cwd: folder.path });
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('which is an input') });
    }
    expect(await folder.content()).toEqual(before);
  });

  it('by the library', async () => {
    await using folder = await runFolder();
    const before = await folder.content();
    const [writer] = REPORT_WRITERS;
    for (const name of ['link.json', 'hard.json', 'hard-sidecar.json', 'runs/test_config.json']) {
      const file = folder.at(name);
      const evaluated = evaluate([folder.at('runs')], {}, { writers: [{ writer, file }] });
      await expect(evaluated).rejects.toThrow(`The report would replace ${file}, which is an input.`);
    }
    expect(await folder.content()).toEqual(before);
  });

  it('but the report of the last run is replaced, also in the folder of the traces', async () => {
    await using folder = await temporaryFolder({ 'runs/a.json': GOOD });
    for (const _ of ['first', 'second']) {
      const args = ['eval', 'runs', '--format', 'json', '--out', 'runs/report.json'];
      const { code, stderr } = await turnwise(args, { cwd: folder.path });
      expect(code, stderr).toBe(0);
    }
    expect(await readdir(join(folder.path, 'runs'))).toEqual(['a.json', 'report.json']);
  });
});

describe('a report that cannot be written', () => {
  it.each([
    ['no/report.json', 'there is no folder no. Create it first.'],
    ['run.json/report.json', 'there is no folder run.json. Create it first.'],
    ['sub', 'sub is a folder. Name a file in it, such as sub/report.json.'],
  ])('is refused before the evaluation: %s', async (out, why) => {
    await using folder = await temporaryFolder({ 'run.json': GOOD });
    await mkdir(join(folder.path, 'sub'));
    const { code, stdout, stderr } = await turnwise(['eval', 'run.json', '--format', 'json', '--out', out], {
      cwd: folder.path,
    });
    expect({ code, stdout, stderr: stderr.trim() }).toEqual({
      code: 2,
      stdout: '',
      stderr: `turnwise: --out ${out}: ${why}`,
    });
  });

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'leaves the last one as it was when the disk is full',
    async () => {
      await using folder = await temporaryFolder({ 'run.json': GOOD });
      const disk = join(folder.path, 'disk');
      await mkdir(disk);
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk], { stdio: 'ignore' });
      } catch {
        // Not allowed in this container.
        return;
      }
      try {
        execFileSync('sh', ['-c', `echo last > "${disk}/report.json"`]);
        const args = ['eval', 'run.json', '--record', 'none', '--format', 'json', '--out', 'disk/report.json'];
        const { code, stderr } = await turnwise(args, { cwd: folder.path });
        expect({ code, stderr: stderr.trim() }).toEqual({
          code: 2,
          stderr:
            'turnwise: --out disk/report.json: disk/report.json cannot be written: there is no space left on the disk.',
        });
        expect(await readdir(disk)).toEqual(['report.json']);
        expect(await readFile(join(disk, 'report.json'), 'utf8')).toBe('last\n');
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});
