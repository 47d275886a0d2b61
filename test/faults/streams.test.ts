import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { answer, hang, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const TURNS = 12;
const ANSWERED = 4;
const TRACE = chat(
  ...Array.from({ length: TURNS }, (_, turn) => [
    user(`Where is order A-${1000 + turn}?`),
    agent(`It left warehouse ${turn}.`),
  ]).flat(),
);
const ANSWER = answer({ helpfulness: { evidence: [], reason: 'It says where it is.', score: 4 } });

describe.skipIf(process.platform === 'win32')('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s writes a report of what is finished', async (signal) => {
    await using stub = await startStubModels(({ number }) => (number < ANSWERED ? ANSWER : hang));
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const judge = ['--judge', 'openai:m', '--judge-url', stub.openai, '--metrics', 'helpfulness', '--concurrency', '2'];
    const { code, stdout, stderr } = await turnwise(['eval', 'a.json', '--format', 'json', ...judge], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
      whileRunning: (child) => stub.arrived(ANSWERED + 2).then(() => child.kill(signal)),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('stopping and writing finished results.');
    const { run, sessions } = JSON.parse(stdout);
    expect(run.complete).toBe(false);
    const statuses = sessions[0].turns.map(
      ({ metrics }: { metrics: { helpfulness: { status: string } } }) => metrics.helpfulness.status,
    );
    expect(statuses.filter((status: string) => status === 'scored')).toHaveLength(ANSWERED);
  });

  it('ends watching, whichever it is', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const { code, stderr } = await turnwise(['watch', 'a.json'], {
      cwd: folder.path,
      whileRunning: (child) => child.stdout?.once('data', () => child.kill('SIGTERM')),
    });
    expect([code, stderr.trim()]).toEqual([0, 'turnwise: stopped watching.']);
  });
});

describe.skipIf(process.platform !== 'linux')('standard output', () => {
  const FULL = 'turnwise: standard output cannot be written: there is no space left on the disk.\n';

  it.each([
    'eval a.json --record none',
    'eval a.json --record none --format json',
    'eval a.json --dry-run',
    'eval --help',
    'metrics',
    'watch a.json',
  ])('on a full disk is an error of `%s`', async (line) => {
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const result = await turnwise(line.split(' '), { cwd: folder.path, redirect: '> /dev/full' });
    expect(result).toEqual({ code: 2, stdout: '', stderr: FULL });
  });

  it('on a full disk is no error of a command that writes nothing to it', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const args = ['eval', 'a.json', '--record', 'none', '--format', 'json', '--out', 'report.json'];
    expect(await turnwise(args, { cwd: folder.path, redirect: '> /dev/full' })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it.each([
    [0, '0.1'],
    [1, '1'],
  ])('that is closed early ends quietly, with the code of the run: %s', async (code, threshold) => {
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const args = [
      'eval',
      'a.json',
      '--record',
      'none',
      '--format',
      'json',
      '--threshold',
      `loop_detection=${threshold}`,
    ];
    const result = await turnwise(args, { cwd: folder.path, redirect: '| head -c 10' });
    expect(result).toEqual({ code, stdout: expect.stringMatching(/^.{10}$/s), stderr: '' });
  });

  it('gets all of a report however slow its reader, without a warning', async () => {
    const long = chat(...Array.from({ length: 400 }, (_, turn) => [user(`Where is ${turn}?`), agent('There.')]).flat());
    await using folder = await temporaryFolder({ '.git': '', 'a.json': long });
    const { code, stdout, stderr } = await turnwise(
      ['eval', 'a.json', '--quiet', '--format', 'json', '--fail-on', 'never'],
      {
        cwd: folder.path,
        env: { NODE_NO_WARNINGS: '' },
        redirect: '| (sleep 1.5; cat)',
      },
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(stdout).sessions[0].turns).toHaveLength(400);
  });
});
