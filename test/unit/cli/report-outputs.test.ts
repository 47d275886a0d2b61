import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { writeReports } from '../../../src/cli/report-outputs.ts';
import { REPORT_WRITERS } from '../../../src/reports/index.ts';
import type { ReportWriter } from '../../../src/reports/report-writer.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { report } from '../reports/report.ts';

async function evaluate(cwd: string, ...args: string[]) {
  const host = fakeHost({ cwd });
  const code = await run(['eval', join(cwd, 'run.json'), ...args], host);
  return { code, ...host.written };
}

describe('--report', () => {
  it('writes several reports in one run, beside the table on standard output', async () => {
    await using folder = await temporaryFolder({ 'run.json': GOOD });
    const args = ['--report', 'json=a.json', '--report', 'json=b.json', '--report', 'table=c.txt'];
    const { code, stdout } = await evaluate(folder.path, ...args);
    expect(code).toBe(0);
    expect(stdout).toContain('Coverage');
    const [a, b, c] = await Promise.all(
      ['a.json', 'b.json', 'c.txt'].map((name) => readFile(join(folder.path, name), 'utf8')),
    );
    expect(JSON.parse(a ?? '')).toEqual(JSON.parse(b ?? ''));
    expect(JSON.parse(a ?? '')).toMatchObject({ verdict: 'passed', sessions: [{ turns: [{}, {}] }] });
    expect(c).toContain('Coverage');
  });

  it('takes the place of the table when it names no file', async () => {
    await using folder = await temporaryFolder({ 'run.json': GOOD });
    for (const report of ['json', 'json=-']) {
      const { code, stdout } = await evaluate(folder.path, '--report', report);
      expect({ code, verdict: JSON.parse(stdout).verdict }).toEqual({ code: 0, verdict: 'passed' });
    }
  });

  it('can be combined with --format and --out', async () => {
    await using folder = await temporaryFolder({ 'run.json': GOOD });
    const { stdout } = await evaluate(folder.path, '--format', 'json', '--out', 'a.json', '--report', 'table');
    expect(stdout).toContain('Coverage');
    expect(JSON.parse(await readFile(join(folder.path, 'a.json'), 'utf8'))).toMatchObject({ verdict: 'passed' });
  });

  it.each<[string[], string]>([
    [
      ['--report', 'jsn'],
      `--report jsn: there is no report "jsn". Did you mean "json"? Reports: ${REPORT_WRITERS.map(({ name }) => name).join(', ')}, agentest.`,
    ],
    [['--report', 'json='], '--report json= names no file.'],
    [['--report', 'table', '--report', 'json'], '--report table and --report json both write to standard output.'],
    [['--format', 'table', '--report', 'json'], '--format table and --report json both write to standard output.'],
    [['--report', 'json=a', '--report', 'table=./a'], '--report json=a and --report table=./a write to the same file.'],
    [['--report', 'json=no/a.json'], '--report json=no/a.json: there is no folder no.'],
    [['--report', 'json=sub'], 'sub is a folder. Name a file in it, such as sub/report.json.'],
    [['--report', 'json=run.json'], '--report json=run.json would replace run.json, which is an input.'],
    [['--report', 'json=link.json'], '--report json=link.json would replace link.json, which is an input.'],
    [['--out', 'sub/../run.json'], '--out sub/../run.json would replace sub/../run.json, which is an input.'],
    [['--tools', 'tools.json', '--out', 'tools.json'], '--out tools.json would replace tools.json, which is an input.'],
    [['--compact'], '--compact needs a JSON report. Add --report json=FILE.'],
    [['--dry-run', '--report', 'json=a'], '--report does not go with --dry-run'],
  ])('rejects %j before anything is evaluated', async (args, message) => {
    await using folder = await temporaryFolder({ 'run.json': GOOD, 'tools.json': '[]' });
    await mkdir(join(folder.path, 'sub'));
    await symlink('run.json', join(folder.path, 'link.json'));
    const { code, stdout, stderr } = await evaluate(folder.path, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(await readFile(join(folder.path, 'run.json'), 'utf8')).toBe(GOOD);
  });

  it('never replaces a trace that is in a folder', async () => {
    await using folder = await temporaryFolder({ 'traces/run.json': GOOD });
    const host = fakeHost({ cwd: folder.path });
    const reports = ['--report', 'json=traces/run.json', '--report', 'json=other.json'];
    expect(await run(['eval', join(folder.path, 'traces'), ...reports], host)).toBe(2);
    expect(host.written.stderr).toContain(
      '--report json=traces/run.json would replace traces/run.json, which is an input.',
    );
    expect(await readFile(join(folder.path, 'traces/run.json'), 'utf8')).toBe(GOOD);
    expect(await readdir(folder.path)).toEqual(['traces']);
  });

  it.runIf(process.platform === 'linux')(
    'exits with 2 when a report cannot be written, and writes the others',
    async () => {
      await using folder = await temporaryFolder({ 'run.json': GOOD });
      const { code, stdout, stderr } = await evaluate(
        folder.path,
        '--report',
        'json=/dev/full',
        '--report',
        'json=a.json',
      );
      expect(code).toBe(2);
      expect(stdout).toContain('Coverage');
      expect(stderr).toContain(
        'turnwise: --report json=/dev/full: /dev/full cannot be written: there is no space left on the disk.',
      );
      expect(JSON.parse(await readFile(join(folder.path, 'a.json'), 'utf8'))).toMatchObject({ verdict: 'passed' });
    },
  );
});

describe('writeReports', () => {
  const writer = (write: ReportWriter['write']): ReportWriter => ({
    name: 'test',
    title: '',
    extension: '.txt',
    mediaType: 'text/plain',
    write,
  });

  it('loses no report when another one fails', async () => {
    const host = fakeHost();
    const failing = writer(() => {
      throw new Error('no such colour');
    });
    const evaluated = {
      report: report(),
      record: null,
      inputs: [],
      verbose: false,
      compact: false,
    };
    const outputs = [
      { writer: failing, file: undefined, option: '--report failing' },
      { writer: writer(() => 'whole'), file: undefined, option: '--report text' },
      {
        writer: writer(async function* () {
          yield 'in ';
          yield 'pieces';
        }),
        file: undefined,
        option: '--report pieces',
      },
    ];
    expect(await writeReports(outputs, evaluated, host)).toEqual(['--report failing: no such colour']);
    expect(host.written.stdout).toBe('wholein pieces');
  });
});

describe('the table of reports', () => {
  it('has kinds with distinct names, each in the help of eval', async () => {
    const names = REPORT_WRITERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const host = fakeHost();
    await run(['eval', '--help'], host);
    const [, kinds = ''] = /kind of report: (.*?) \(default/.exec(host.written.stdout.replace(/\s+/g, ' ')) ?? [];
    expect(kinds.split(/, | or /)).toEqual(names);
  });

  it.each(REPORT_WRITERS)('has a title, an extension and a media type for $name', ({ title, extension, mediaType }) => {
    expect(title).not.toBe('');
    expect(extension).toMatch(/^\.[a-z.]+$/);
    expect(mediaType).toMatch(/^[a-z]+\/[a-z+.-]+$/);
  });
});
