import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { REPORT_WRITERS } from '../../src/reports/index.ts';
import { type CliOptions, turnwise } from '../support/cli.ts';
import { TASK_PATTERN, taskAttempts } from '../support/task-attempts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, LOOPING, UNKNOWN_TOOL, user } from '../support/traces.ts';
import { withoutTimes } from '../support/without-times.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const LONG = { timeout: 240_000 };
const KINDS = REPORT_WRITERS.map(({ name }) => name);

async function project(files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const run = (args: readonly string[], options: Omit<CliOptions, 'cwd'> = {}) =>
    turnwise(['eval', ...args], { cwd: folder.path, ...options, env: { TURNWISE_HOME: join(folder.path, 'home') } });
  /** The report as JSON, without ids and times. */
  const json = async (args: readonly string[], options: Omit<CliOptions, 'cwd'> = {}) => {
    const { stdout, code } = await run([...args, '--format', 'json'], options);
    expect(stdout).not.toBe('');
    return { report: withoutTimes(stdout), code };
  };
  const read = (name: string) => readFile(join(folder.path, name), 'utf8');
  return { path: folder.path, run, json, read, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** Sessions with problems and without, in lines of many spaces: so large a file is read in parts, and its sessions are few. */
function manySessions(bytes: number): string {
  const texts = [UNKNOWN_TOOL, LOOPING, chat(user('Where is order A-1?'), agent('It arrives on Monday. '.repeat(40)))];
  const lines = texts.map((text) => `${JSON.stringify(JSON.parse(text))}${' '.repeat(6000)}\n`);
  const all = lines.join('');
  return all.repeat(Math.ceil(bytes / all.length));
}

const MANY_SESSIONS = manySessions(2 ** 22);

describe('turnwise eval --jobs', () => {
  it('gives the same report of the samples, whatever their number', LONG, async () => {
    await using folder = await project();
    const one = await folder.json([SAMPLES, '--jobs', '1']);
    for (const jobs of ['2', '3']) {
      const several = await folder.json([SAMPLES, '--jobs', jobs]);
      expect([several.code, several.report === one.report]).toEqual([one.code, true]);
    }
  });

  it('divides one large file by its sessions', LONG, async () => {
    await using folder = await project({ 'many.jsonl': MANY_SESSIONS });
    const one = await folder.json(['many.jsonl', '--jobs', '1', '--compact']);
    for (const jobs of ['2', '3']) {
      const several = await folder.json(['many.jsonl', '--jobs', jobs, '--compact']);
      expect(several.report === one.report).toBe(true);
      expect(several.code).toBe(one.code);
    }
  });

  it('compares attempts that several threads evaluated, in every kind of report', LONG, async () => {
    const settings = { tasks: { by: { file: TASK_PATTERN } }, gates: { failOn: 'critical' } };
    await using folder = await project({ ...taskAttempts(), 'turnwise.config.json': JSON.stringify(settings) });
    const reports = async (jobs: string) => {
      const reportTo = KINDS.flatMap((kind) => ['--report', `${kind}=${jobs}.${kind}`]);
      const { code } = await folder.run(['runs', '--jobs', jobs, '--with-transcripts', ...reportTo]);
      const texts = await Promise.all(KINDS.map((kind) => folder.read(`${jobs}.${kind}`)));
      return { code, texts: texts.map((text) => withoutTimes(text)) };
    };
    const one = await reports('1');
    expect(one.texts.join('')).toContain('cancel');
    const several = await reports('3');
    expect(several.code).toBe(one.code);
    expect(KINDS.filter((_, at) => several.texts[at] !== one.texts[at])).toEqual([]);
  });

  it('reads standard input', LONG, async () => {
    await using folder = await project();
    const options = { stdin: UNKNOWN_TOOL };
    const one = await folder.json(['-', '--jobs', '1'], options);
    expect(await folder.json(['-', '--jobs', '2'], options)).toEqual(one);
  });

  it('goes on with --resume after Ctrl+C, and evaluates the rest', LONG, async () => {
    await using folder = await project({ 'many.jsonl': MANY_SESSIONS });
    const args = ['many.jsonl', '--jobs', '2', '--record', 'run', '--out', 'out.txt'];
    const stopped = await folder.run(args, {
      whileRunning: async (child) => {
        await someSessionsIn(join(folder.path, 'run'));
        child.kill('SIGINT');
      },
    });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/not complete: turnwise eval --resume/);
    const resumed = await folder.json(['many.jsonl', '--resume', 'run', '--jobs', '2', '--compact']);
    const whole = await folder.json(['many.jsonl', '--jobs', '1', '--compact']);
    expect(resumed.report === whole.report).toBe(true);
  });

  it('leaves functions of the configuration to one thread, and says so', LONG, async () => {
    const code = `let calls = 0;\nexport default { custom: [{ name: 'calls', evaluate: () => (calls += 1) }] };\n`;
    await using folder = await project({ ...taskAttempts(), 'turnwise.config.mjs': code });
    const { stdout, stderr } = await folder.run(['runs', '--jobs', '3', '--format', 'json']);
    expect(stderr).toContain(
      'turnwise: --jobs changes nothing here: functions of the configuration are called one after the other.\n',
    );
    expect(withoutTimes(stdout)).toBe((await folder.json(['runs', '--jobs', '1'])).report);
  });

  it.each([
    [['--jobs', '0'], "turnwise: option '--jobs <n>' argument '0' is invalid. Must be a whole number, 1 or more."],
    [['--jobs', '2', '--queue', 'postgres://localhost/turnwise'], '--jobs is for one process.'],
  ])('is refused as %j', async (args, sentence) => {
    await using folder = await project({ 'trace.json': UNKNOWN_TOOL });
    const { code, stderr } = await folder.run(['trace.json', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});

/** Waits until a record in a folder has sessions. */
async function someSessionsIn(folder: string): Promise<void> {
  for (;;) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const file = names.find((name) => name.endsWith('sessions.jsonl'));
    const { size } = file === undefined ? { size: 0 } : await stat(join(folder, file));
    if (size > 1000) return;
    await setTimeout(20);
  }
}
