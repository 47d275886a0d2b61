import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedRun, RecordedSession } from '../../src/core/run-record.ts';
import { leaderboardSchema, metricDistributionSchema, runTrendSchema } from '../../src/core/schemas/run-trend.ts';
import { recordedProject } from '../support/recorded-project.ts';
import { attemptRow, planMetric, recordedRun } from '../support/recorded-runs.ts';

/** A project with these recorded runs, the oldest first. */
async function projectWith(runs: readonly RecordedRun[]) {
  const project = await recordedProject(runs);
  return { ...project, trend: (args: readonly string[]) => project.run('trend', ...args) };
}

type RunParts = Parameters<typeof recordedRun>[1];

/** The n-th run of a month, in which this share of 60 tasks succeeds. */
function run(n: number, share: number, settings: RunParts = {}, given: Partial<RecordedSession> = {}): RecordedRun {
  const rows = Array.from({ length: 60 }, (_, task) =>
    attemptRow(`task ${task}`, 0, ((7 * task + 13 * n) % 60) / 60 < share, given),
  );
  return recordedRun(rows, {
    id: `2026110${n}T090000000Z-0000000${n}`,
    startedAt: `2026-11-0${n}T09:00:00.000Z`,
    agent: { name: null, version: `1.${n < 4 ? 0 : 1}`, versionFrom: 'option', models: [] },
    git: { commit: String(n).repeat(40), branch: n === 5 ? 'fix' : 'main', dirty: false },
    ...settings,
  });
}

const DROP = [run(1, 0.9), run(2, 0.9), run(3, 0.9), run(4, 0.5), run(5, 0.5)];

describe('turnwise trend', () => {
  it('says first since which version sessions fail, and marks that run', async () => {
    await using project = await projectWith(DROP);
    const { stdout, stderr, code } = await project.trend(['correct']);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^Worse since run 00000004 \(agent 1\.1, commit 4444444\): correct fell from 90 %/);
    expect(stdout).toMatch(
      /00000003 {2}2026-11-03 09:00 {2}1\.0 +3333333 +90 % +\d[\d.]* to \d[\d.]* % +60\n▼ worse: correct fell/,
    );
    expect(stdout).toMatch(/1\.1 +all +2 +120 +50 % +0 % +100 % +-40 points/);
  });

  it('writes JSON with the keys that scripts read, and the leaderboards without a name', async () => {
    await using project = await projectWith(DROP);
    const { stdout } = await project.trend(['correct', '--format', 'json']);
    const trend = runTrendSchema.parse(JSON.parse(stdout));
    expect(trend.points.map(({ value }) => value)).toEqual([0.9, 0.9, 0.9, 0.5, 0.5]);
    expect(trend.changes).toMatchObject([{ at: 3, conclusion: 'worse' }]);
    const overview: unknown = JSON.parse((await project.trend(['--format', 'json'])).stdout);
    expect(overview).toMatchObject({ subject: { name: 'correct' }, leaderboard: expect.anything() });
    const { leaderboard } = overview as { leaderboard: unknown };
    expect(leaderboardSchema.parse(leaderboard).tasks[0]).toMatchObject({ runs: 5, attempts: 5 });
    expect((await project.trend([])).stdout).toContain('Least reliable tasks');
  });

  it('shows runs of one branch, one version or since a date', async () => {
    await using project = await projectWith(DROP);
    const runs = async (...args: string[]) => {
      const { stdout } = await project.trend(['correct', '--format', 'json', ...args]);
      return runTrendSchema.parse(JSON.parse(stdout)).points.map(({ run: id }) => Number(id.slice(-1)));
    };
    expect(await runs('--branch', 'fix')).toEqual([5]);
    expect(await runs('--agent-version', '1.0')).toEqual([1, 2, 3]);
    expect(await runs('--since', '2026-11-04')).toEqual([4, 5]);
    expect(await runs('--limit', '2')).toEqual([4, 5]);
    const wrong = await project.trend(['--since', 'yesterday']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('such as 2026-11-01 or 30d')]);
  });

  it('says where runs are not comparable, instead of calling it a change', async () => {
    const judged = (n: number, model: string, score: number) =>
      run(
        n,
        0.9,
        {
          plan: { metrics: [planMetric('coherence', { threshold: 0.5 })], judge: { provider: 'ollama', model } },
          questions: { coherence: 'q' },
        },
        { scores: { coherence: score }, judged: ['coherence'] },
      );
    await using project = await projectWith([judged(1, 'a', 0.9), judged(2, 'b', 0.4), judged(3, 'b', 0.4)]);
    const { stdout } = await project.trend(['coherence']);
    expect(stdout).toMatch(/^No change beyond chance in 3 runs, 2 parts that cannot be compared with each\sother\./);
    expect(stdout).toContain('○ Not comparable: The judge changed: ollama/a in');
    const { stdout: markdown } = await project.trend(['coherence', '--format', 'markdown']);
    expect(markdown).toContain('## Trend of coherence');
    expect(markdown).toContain('Not comparable: The judge changed: ollama/a in');
  });

  it('shows how many sessions of a run succeeded', async () => {
    const rows = [true, true, false].map((correct, index) => attemptRow(`t${index}`, 0, correct));
    await using project = await projectWith([recordedRun(rows)]);
    const { stdout } = await project.trend(['correct', '--distribution']);
    expect(stdout).toMatch(/mean 66\.7 %, 3 sessions\n.*\n\nyes {2}#+ 2\nno {3}#+ 1\n$/);
  });

  it('shows how values of a run are distributed, with the threshold at its position', async () => {
    const rows = [0.1, 0.2, 0.75, 0.9, 1].map((score, index) =>
      attemptRow(`t${index}`, 0, true, { scores: { quality: score } }),
    );
    const recorded = recordedRun(rows, { plan: { metrics: [planMetric('quality', { threshold: 0.7 })] } });
    await using project = await projectWith([recorded]);
    const { stdout } = await project.trend(['quality', '--distribution']);
    expect(stdout).toContain('mean 0.59, median 0.75');
    expect(stdout).toMatch(/0\.6 to 0\.7 {2}0\n-+ {2}threshold ≥ 0\.7: 2 of 5 miss it\n *0\.7 to 0\.8 {2}#+ 1\n/);
    const json = await project.trend(['quality', '--distribution', 'last', '--format', 'json']);
    expect(metricDistributionSchema.parse(JSON.parse(json.stdout)).missed).toBe(2);
    const missing = await project.trend(['quality', '--distribution', 'nothing']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('nothing')]);
  });

  it('writes to a file', async () => {
    await using project = await projectWith(DROP);
    const { stdout, code } = await project.trend(['correct', '--format', 'markdown', '--out', 'trend.md']);
    expect([stdout, code]).toEqual(['', 0]);
    expect(await readFile(join(project.path, 'trend.md'), 'utf8')).toContain('| 00000003 | 2026-11-03 09:00 |');
  });

  it('explains what has no values, and that there is no run', async () => {
    await using project = await projectWith([run(1, 0.9)]);
    const misspelt = await project.trend(['corect']);
    expect([misspelt.code, misspelt.stderr]).toEqual([
      2,
      'turnwise: No recorded run has a value of "corect". Did you mean "correct"? There are: correct, verdict, turns.\n',
    ]);
    const filtered = await project.trend(['--branch', 'nope', '--agent-version', '9']);
    expect([filtered.code, filtered.stderr]).toEqual([
      2,
      'turnwise: This project has no complete run of branch "nope", of version "9" of the agent. `turnwise history` lists its runs.\n',
    ]);
    await using empty = await projectWith([]);
    const { code, stderr } = await empty.trend([]);
    expect([code, stderr]).toEqual([
      2,
      'turnwise: No run of this project is recorded yet. `turnwise eval` records each run.\n',
    ]);
  });

  it('shows no control characters of names from traces', async () => {
    const rows = [
      attemptRow('t', 0, false, { rules: { 'evil\u001b[31m': 1 } }),
      attemptRow('\u202e|x|<img>', 0, false),
    ];
    await using project = await projectWith([recordedRun(rows)]);
    for (const args of [[], ['--format', 'json'], ['--format', 'markdown']]) {
      const { stdout } = await project.trend(args);
      for (const hidden of ['\u001b', '\u202e']) expect(stdout).not.toContain(hidden);
    }
    expect((await project.trend(['--format', 'markdown'])).stdout).not.toContain('<img>');
    const { stderr } = await project.trend(['nothing']);
    expect(stderr).not.toContain('\u001b');
  });
});
