import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedRun } from '../../src/core/run-record.ts';
import { turnwise } from '../support/cli.ts';
import { recordedProject } from '../support/recorded-project.ts';
import { attemptRow, recordedRun } from '../support/recorded-runs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The n-th run of a project: how many of 10 attempts of each of 12 tasks succeed. */
function run(n: number, correct: number, given: Parameters<typeof recordedRun>[1] = {}): RecordedRun {
  const rows = Array.from({ length: 120 }, (_, at) => attemptRow(`task ${at % 12}`, at, Math.floor(at / 12) < correct));
  const startedAt = `2026-11-0${n}T09:00:00.000Z`;
  return recordedRun(rows, { id: `2026110${n}T090000000Z-0000000${n}`, startedAt, ...given });
}

/** A project with these recorded runs, the oldest first. */
async function projectWith(runs: readonly RecordedRun[]) {
  const project = await recordedProject(runs);
  const file = join(project.path, 'turnwise.baseline.json');
  return {
    ...project,
    file,
    baseline: (...args: string[]) => project.run('baseline', ...args),
    compare: (...args: string[]) => project.run('compare', ...args),
    text: () => readFile(file, 'utf8'),
  };
}

describe('turnwise baseline', () => {
  it('writes the last run into a file with a line for each task, shows it, and finds its run again', async () => {
    await using project = await projectWith([run(1, 9), run(2, 7)]);
    const accepted = await project.baseline('accept', '--reason', 'release 1.4');
    expect(accepted).toMatchObject({ code: 0, stdout: '' });
    expect(accepted.stderr).toBe(
      'Wrote turnwise.baseline.json: 12 tasks, 2 gates. Review and commit it; turnwise eval --baseline gates against it.\n',
    );
    const lines = (await project.text()).split('\n').filter((line) => line.startsWith('    "task '));
    expect(lines).toHaveLength(12);
    expect(lines[0]).toMatch(/^ {4}"task 0": \{"attempts":10,"inputs":"[0-9a-f]{10}","passed":\[7,7\]\},$/);
    const { stdout } = await project.baseline('show');
    expect(stdout).toMatch(/^Accepted \d{4}-\d\d-\d\d: release 1\.4\n12 tasks of run 00000002, commit 00000000/);
    expect(stdout).toContain('correct  84 of 120 attempts (70.0 %)');
    expect((await project.compare('baseline', 'last')).stdout).toContain('12 shared tasks');
  });

  it('refuses a run of a dirty work tree or that was stopped, and says what to do', async () => {
    const git = { commit: 'a'.repeat(40), branch: 'main', dirty: true };
    await using project = await projectWith([run(1, 9, { git }), run(2, 9, { state: 'interrupted' })]);
    const stopped = await project.baseline('accept', '--reason', 'x');
    expect(stopped.code).toBe(2);
    expect(stopped.stderr).toMatch(/The run is not complete.*turnwise eval --resume/);
    const dirty = await project.baseline('accept', 'last~1', '--reason', 'x');
    expect(dirty.code).toBe(2);
    expect(dirty.stderr).toMatch(/uncommitted changes.*Commit, and evaluate again\./);
    await expect(project.text()).rejects.toThrow();
  });

  it('requires a reason, and a baseline to raise', async () => {
    await using project = await projectWith([run(1, 9)]);
    expect((await project.baseline('accept')).stderr).toContain('--reason');
    expect(await project.baseline('accept', '--reason', ' ')).toMatchObject({ code: 2 });
    expect((await project.baseline('accept', '--raise', '--reason', 'x')).stderr).toContain('There is no baseline');
  });

  it('raises only what is better beyond chance, and keeps the quarantine when a baseline is replaced', async () => {
    await using project = await projectWith([run(1, 5), run(2, 9), run(3, 8)]);
    await project.baseline('accept', 'last~2', '--reason', 'first');
    const written = JSON.parse(await project.text());
    const quarantine = { 'task 3': { until: '2099-01-01', reason: 'broken sandbox' } };
    await writeFile(project.file, JSON.stringify({ ...written, quarantine }));
    const raised = await project.baseline('accept', 'last~1', '--raise', '--reason', 'fixed');
    expect(raised.stderr).toContain('raised correct in 12 tasks, verdict in 12 tasks. Review and commit it.');
    const before = await project.text();
    const again = await project.baseline('accept', 'last', '--raise', '--reason', 'again');
    expect(again.stderr).toContain('is as it was: the run does nothing better beyond chance.');
    expect(await project.text()).toBe(before);
    await project.baseline('accept', 'last', '--reason', 'lower');
    expect(JSON.parse(await project.text())).toMatchObject({ quarantine, tasks: { 'task 0': { passed: [8, 8] } } });
  });

  it('says where a file is not a baseline, and replaces none that it cannot read', async () => {
    await using project = await projectWith([run(1, 9)]);
    await writeFile(project.file, '{ "schemaVersion": 1, "reason": 3 }');
    const shown = await project.baseline('show');
    expect(shown.code).toBe(2);
    expect(shown.stderr).toMatch(/turnwise\.baseline\.json is no baseline of this version at reason/);
    expect((await project.baseline('accept', '--reason', 'x')).code).toBe(2);
    expect(await project.text()).toBe('{ "schemaVersion": 1, "reason": 3 }');
  });
});

/** A recorded session of a task, whose outcome the trace says. */
const session = (task: string, trial: number, succeeded: boolean) => ({
  id: `${task} ${trial}`,
  task: { id: task, trial: String(trial) },
  outcome: succeeded ? 'succeeded' : 'failed',
  turns: [{ input: `Do ${task}, please.`, output: 'Done.' }],
});

/** A project with a baseline of 12 tasks, of which 10 attempts each succeeded as often as it says. */
async function gatedProject(before: readonly number[]) {
  const folder = await temporaryFolder({ 'first.json': traces(before) });
  const home = join(folder.path, 'home');
  const run = (...args: string[]) => turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: home } });
  await run('eval', 'first.json', '--quiet', '--agent-version', '1');
  const accepted = await run('baseline', 'accept', '--reason', 'first');
  expect(accepted.code, accepted.stderr).toBe(0);
  return {
    path: folder.path,
    run,
    async evaluate(after: readonly number[], ...args: string[]) {
      await writeFile(join(folder.path, 'now.json'), traces(after));
      return run('eval', 'now.json', '--baseline', '--agent-version', '2', ...args);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function traces(correct: readonly number[]): string {
  const sessions = correct.flatMap((count, task) =>
    Array.from({ length: 10 }, (_, trial) => session(`task ${task}`, trial, trial < count)),
  );
  return JSON.stringify({ turnwise: 1, sessions });
}

const MOSTLY = Array.from({ length: 12 }, (_, task) => (task % 3 === 0 ? 8 : 10));

describe('turnwise eval --baseline', () => {
  it('passes a run that fails as often as the baseline, though its sessions fail alone', async () => {
    await using project = await gatedProject(MOSTLY);
    expect((await project.run('eval', 'first.json', '--quiet')).code).toBe(1);
    const { code, stdout } = await project.evaluate(MOSTLY);
    expect(stdout).toMatch(/Baseline turnwise\.baseline\.json, accepted \d{4}-\d\d-\d\d: not worse/);
    expect(stdout).toContain('Flaky in the baseline, so they count less: task 0 (8 of 10)');
    expect(stdout).toContain('8 of 120 sessions failed: the baseline decides whether that is worse.');
    expect(stdout).not.toContain('--ignore-outcome');
    expect(code).toBe(0);
    const lines = (await project.run('history')).stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
    expect(lines[0]).toContain('verdict | vs baseline | sessions');
    expect(lines[1]).toContain(' | passed | not worse | 120 | 8 | 112');
    expect((await project.run('history', 'show', 'last')).stdout).toMatch(
      /verdict +passed; against the baseline: not worse\n/,
    );
  });

  it('fails a run that is worse beyond chance, and names the tasks', async () => {
    await using project = await gatedProject(MOSTLY);
    const worse = MOSTLY.map((count, task) => (task < 2 ? 1 : count));
    const { code, stdout } = await project.evaluate(worse);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ correct: 112 of 120 \(93\.3 %\) in the baseline, 96 of 120 \(80\.0 %\)\s+now/);
    expect(stdout).toContain('✗ regression: task 1: correct 10 of 10 before, 1 of 10 now');
    const json = JSON.parse((await project.evaluate(worse, '--format', 'json')).stdout);
    expect(json).toMatchObject({ verdict: 'failed', baseline: { answer: 'worse' } });
    expect(json.gates).toContainEqual(
      expect.objectContaining({ scope: 'run', metric: 'baseline correct', met: false, threshold: 112 / 120 }),
    );
    expect(json.gates).toContainEqual(
      expect.objectContaining({ scope: 'scenario', subject: 'task 1', metric: 'baseline correct', met: false }),
    );
  });

  it('gates new tasks alone', async () => {
    await using project = await gatedProject(MOSTLY);
    const { code, stdout } = await project.evaluate([...MOSTLY, 9]);
    expect(stdout).toContain('1 new task not in the baseline, gated alone');
    expect(code).toBe(1);
    expect((await project.evaluate([...MOSTLY, 10])).code).toBe(0);
  });

  it('is undecided without a baseline, with one that cannot be read, and where tasks are missing', async () => {
    await using project = await gatedProject(MOSTLY);
    const missing = await project.evaluate(MOSTLY.slice(0, 10));
    expect(missing.code).toBe(3);
    expect(missing.stdout).toContain('2 tasks of the baseline were not evaluated: task 10, task 11.');
    await writeFile(join(project.path, 'turnwise.baseline.json'), '{}');
    expect((await project.evaluate([10])).code).toBe(3);
    const none = await project.run('eval', 'now.json', '--baseline', 'other.json');
    expect(none.code).toBe(3);
    expect(none.stdout).toContain('There is no baseline other.json.');
    expect((await project.run('eval', 'now.json', '--baseline', '--record', 'none')).code).toBe(2);
  });
});
