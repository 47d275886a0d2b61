import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { withoutTimes } from '../support/without-times.ts';

/** Twelve tasks, of which the first so many have failed. */
function traces(failed: number): string {
  const sessions = Array.from({ length: 12 }, (_, task) => ({
    task_id: task,
    trial: 0,
    reward: task < failed ? 0 : 1,
    traj: [
      { role: 'user', content: `Question ${task}` },
      { role: 'assistant', content: 'Answer' },
    ],
  }));
  return JSON.stringify(sessions);
}

const FILES = { 'good.json': traces(0), 'bad.json': traces(11) };
const FALLS = { metric: 'correct', direction: 'falls' };

async function projectWith(alerts: unknown, files: Readonly<Record<string, string>> = {}) {
  const config = JSON.stringify({ alerts, gates: { outcome: false, failOn: 'never' } });
  const folder = await temporaryFolder({ ...FILES, 'turnwise.config.json': config, ...files });
  const evaluate = (...args: string[]) =>
    turnwise(['eval', ...args], { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } });
  return {
    path: folder.path,
    evaluate,
    history: () => turnwise(['history'], { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } }),
    /** Records a good run, and evaluates a worse one. */
    async fall(...args: string[]) {
      expect((await evaluate('good.json', '--quiet')).code).toBe(0);
      return await evaluate('bad.json', ...args);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe('alerts of turnwise eval', () => {
  it('are a line of the report and fail nothing', async () => {
    await using project = await projectWith([FALLS]);
    const { code, stdout } = await project.fall();
    expect(stdout).toContain('! correct falls: 8.3 % in this run, 100 % in 1 run before. It fails nothing.');
    expect(code).toBe(0);
  });

  it('are in the reports for people and for coding agents', async () => {
    await using project = await projectWith([FALLS]);
    const kinds = ['markdown', 'html', 'agent', 'github'];
    await project.fall(...kinds.flatMap((kind) => ['--report', `${kind}=report.${kind}`]));
    for (const kind of kinds) {
      const text = withoutTimes(await readFile(join(project.path, `report.${kind}`), 'utf8')).replaceAll('\\', '');
      expect(text.replace(/\s+/g, ' '), kind).toContain(
        'correct falls: 8.3 % in this run, 100 % in 1 run before. It fails nothing.',
      );
    }
  });

  it('fail the run with gate: true, and are in the JSON report', async () => {
    await using project = await projectWith([{ ...FALLS, gate: true }]);
    const { code, stdout } = await project.fall('--format', 'json');
    const report = reportSchema.parse(JSON.parse(stdout));
    expect(report.alerts).toMatchObject([{ metric: 'correct', kind: 'persistent', gate: true }]);
    expect(report.gates.at(-1)).toMatchObject({ metric: 'correct', met: false, alert: true });
    expect([report.verdict, code]).toEqual(['failed', 1]);
    expect((await project.history()).stdout).toMatch(/ failed .*\n.* passed /);
  });

  const command = [process.execPath, '-e', "process.stdin.pipe(require('node:fs').createWriteStream('alert.json'))"];

  it('run their command for a configuration that --config names, and not for one that is only found', async () => {
    await using project = await projectWith({ when: [FALLS], command });
    const found = await project.fall();
    expect(found.stderr).toContain('The command of alerts was not run: only a configuration that is code');
    await expect(readFile(join(project.path, 'alert.json'))).rejects.toThrow('ENOENT');
    const named = await project.evaluate('bad.json', '--config', 'turnwise.config.json');
    expect(named.stdout).toContain('correct falls');
    expect(JSON.parse(await readFile(join(project.path, 'alert.json'), 'utf8'))).toMatchObject({ metric: 'correct' });
  });

  it('are not checked for a run that is not recorded, which is said', async () => {
    await using project = await projectWith([FALLS]);
    const { stderr, stdout, code } = await project.fall('--record', 'none');
    expect(stderr).toContain(
      'turnwise.config.json: warning: Alerts are not checked, because this run is not recorded.',
    );
    expect(stdout).not.toContain('correct falls');
    expect(code).toBe(0);
  });
});
