import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runText } from '../../../src/cli/history-text.ts';
import { run } from '../../../src/cli/program.ts';
import type { RunManifest } from '../../../src/core/run-record.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { recordedRun, sessionRow } from '../../support/recorded-runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROWS = [
  sessionRow({ id: 'a' }),
  sessionRow({
    id: 'b',
    verdict: 'failed',
    headline: { kind: 'failed', text: 'Deleted \u001b[31mthe wrong order', turn: 1 },
  }),
];

type Recorded = Partial<Omit<RunManifest, 'plan'>> & { readonly elsewhere?: string };

/** A project with these runs, in a folder that also has the data folder. */
async function projectWith(...runs: readonly Recorded[]) {
  const folder = await temporaryFolder({ '.git/HEAD': '' });
  const home = join(folder.path, 'home');
  using store = openRunStore(home, { cwd: folder.path, warn: (sentence) => expect.unreachable(sentence) });
  for (const { elsewhere, ...given } of runs) {
    const { manifest } = recordedRun(ROWS, { project: folder.path, ...given });
    const writer = await store.create({ ...manifest, state: 'running', totals: null }, elsewhere);
    await writer.finish(ROWS, manifest);
  }
  const history = async (args: readonly string[], ask?: (question: string) => Promise<string | null>) => {
    const host = fakeHost({ cwd: folder.path, env: { TURNWISE_HOME: home }, ...(ask && { ask }) });
    const code = await run(['history', ...args], host);
    return { code, ...host.written };
  };
  return { path: folder.path, history, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const FIRST = { id: '20261101T090000000Z-11110001', startedAt: '2026-11-01T09:00:00.000Z' };
const SECOND = {
  id: '20261102T090000000Z-22220002',
  startedAt: '2026-11-02T09:00:00.000Z',
  name: 'before',
  agent: { name: 'shop', version: '1.4', versionFrom: 'option', models: [] },
} as const;

describe('turnwise history', () => {
  it('says how to record where nothing is recorded', async () => {
    await using project = await projectWith();
    const { code, stdout } = await project.history([]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `No run of this project is recorded yet in ${join(project.path, 'home')} (TURNWISE_HOME). \`turnwise eval\` records`,
    );
  });

  it('names the data folder where it cannot be read, and what names another', async () => {
    await using folder = await temporaryFolder({ home: 'a file' });
    const home = join(folder.path, 'home');
    const host = fakeHost({ cwd: folder.path, env: { TURNWISE_HOME: home } });
    expect(await run(['history'], host)).toBe(2);
    expect(host.written.stderr).toMatch(
      /^turnwise: The data folder .*home cannot be read: .*\. TURNWISE_HOME names another one\.\n$/,
    );
  });

  it('shows means over sessions with their units, and the task of a failed session', async () => {
    const failed = sessionRow({
      id: '7c1d',
      verdict: 'failed',
      task: { id: 'refund', trial: '2', dataset: null, agent: null },
      scores: { response_time: 8934, turn_risk: 0.0019 },
    });
    const { manifest } = recordedRun([failed], FIRST);
    const text = [...runText(manifest, [failed], { path: 'x', isLive: false })].join('');
    expect(text).toMatch(/metric +mean over sessions +sessions\nresponse_time +8\.93 s +1\nturn_risk +0\.0019 +1\n/);
    expect(text).toContain('traces/7c1d.json:1  task refund, attempt 2  ');
  });

  it('lists the newest run first, without empty columns', async () => {
    await using project = await projectWith(FIRST, SECOND);
    const { stdout } = await project.history([]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ {2,}/g, ' | '));
    expect(lines[0]).toBe('run | when | name | verdict | sessions | failed | passed | commit | agent | branch');
    expect(lines[1]).toMatch(
      /^22220002 \| 2026-11-02 \d\d:00 \| before \| failed \| 2 \| 1 \| 1 \| 0000000 \| 1\.4 \| main$/,
    );
    expect(lines[2]).toMatch(/^11110001 \|/);
  });

  it('says that there are more runs than the limit', async () => {
    await using project = await projectWith(FIRST, SECOND);
    const { stdout } = await project.history(['--limit', '1']);
    expect(stdout).toContain('Older runs are not listed: --limit 5 lists more.');
    expect(stdout).not.toContain('11110001');
  });

  it('says how to show a run where a run is written for a command', async () => {
    await using project = await projectWith(FIRST);
    expect(await project.history(['last'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'turnwise: history has no command "last". To show a run: turnwise history show last.\n',
    });
  });

  it('prints the runs as JSON', async () => {
    await using project = await projectWith(FIRST);
    const { stdout } = await project.history(['--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [
        { manifest: { id: FIRST.id, state: 'complete', judge: null }, isBaseline: false, isLive: false, isGone: false },
      ],
    });
  });

  it('lists the runs of other projects on request only', async () => {
    await using project = await projectWith({ ...FIRST, project: '/elsewhere/shop' });
    expect((await project.history([])).stdout).toContain('--all-projects');
    expect((await project.history(['--all-projects'])).stdout).toMatch(/11110001 .* shop$/m);
  });

  it('shows a run with its failed sessions, without control characters of a trace', async () => {
    await using project = await projectWith(FIRST);
    const { stdout } = await project.history(['show', 'last']);
    expect(stdout).toContain('sessions  2: 1 passed, 1 failed');
    expect(stdout).toContain('traces/b.json:1  task b  Deleted');
    expect(stdout).not.toContain('\u001b');
    const { stdout: text } = await project.history(['show', '1111', '--format', 'json']);
    expect(JSON.parse(text)).toMatchObject({ manifest: { id: FIRST.id }, rows: [{ id: 'a' }, { id: 'b' }] });
  });

  it('marks the baseline, and those before it', async () => {
    await using project = await projectWith(FIRST, SECOND);
    {
      using store = openRunStore(join(project.path, 'home'), { cwd: project.path, warn: () => undefined });
      await store.setBaseline(SECOND.id, true);
      await new Promise((resolve) => setTimeout(resolve, 2));
      await store.setBaseline(FIRST.id, true);
    }
    const lines = (await project.history([])).stdout.split('\n');
    expect(lines[1]).toMatch(/^22220002 .* {2}earlier baseline$/);
    expect(lines[2]).toMatch(/^11110001 .* {2}baseline$/);
    expect((await project.history(['--limit', '1'])).stdout).toMatch(/ {2}earlier baseline$/m);
  });

  it('says how to continue a run that ended before it was done', async () => {
    const { manifest } = recordedRun(ROWS, FIRST);
    const killed = [...runText({ ...manifest, state: 'running', totals: null }, ROWS, { path: 'x', isLive: false })];
    expect(killed.join('')).toContain(
      'incomplete: It ended before it was done. To continue: turnwise eval --resume 11110001\n',
    );
    const merged = { ...manifest, state: 'interrupted' as const, stoppedBy: 'It was merged without a part.' };
    expect([...runText(merged, ROWS, { path: 'x', isLive: false })].join('')).toContain(
      'incomplete: It was merged without a part. To continue: turnwise eval --resume 11110001\n',
    );
    const live = [...runText({ ...manifest, state: 'running', totals: null }, ROWS, { path: 'x', isLive: true })];
    expect(live.join('')).toContain('state     running\n');
  });

  it('exports zip files only', async () => {
    await using project = await projectWith(SECOND);
    expect(await project.history(['export', 'before', 'b.json'])).toMatchObject({
      code: 2,
      stderr: 'turnwise: A run is exported as a zip file: history export before b.json.turnwise.zip\n',
    });
  });

  it('names a run, by which it is found, and removes the name', async () => {
    await using project = await projectWith(FIRST, SECOND);
    await project.history(['name', '11110001', 'nightly']);
    expect((await project.history(['show', 'nightly'])).stdout).toContain('11110001');
    await project.history(['name', 'nightly']);
    expect(await project.history(['show', 'nightly'])).toMatchObject({
      code: 2,
      stderr: 'turnwise: There is no run "nightly". `turnwise history` lists the 2 runs of this project.\n',
    });
  });

  it.each([
    ['last~1', '"last~1" cannot be a name'],
    ['a/b/', '"a/b/" cannot be a name'],
    ['before', 'Run 22220002 has the name "before"'],
    ['  ', 'A name has 1 to 100 characters'],
  ])('refuses the name %j', async (name, sentence) => {
    await using project = await projectWith(FIRST, SECOND);
    const { code, stderr } = await project.history(['name', '11110001', name]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it('exports a run to a file, which it shows from another project', async () => {
    await using project = await projectWith(SECOND);
    expect(await project.history(['export', 'before', 'b.turnwise.zip'])).toMatchObject({ code: 0 });
    await project.history(['delete', 'before', '--yes']);
    expect((await project.history(['show', './b.turnwise.zip'])).stdout).toContain('22220002');
  });

  it('deletes a run only after it is confirmed, and says that it is gone', async () => {
    await using project = await projectWith(FIRST, SECOND);
    expect(await project.history(['delete', 'last'])).toMatchObject({
      code: 2,
      stderr: 'turnwise: history delete asks at a terminal before it deletes. Without one, add --yes.\n',
    });
    const asked: string[] = [];
    const answer = (text: string) => async (question: string) => {
      asked.push(question);
      return text;
    };
    expect(await project.history(['delete', 'last'], answer('n'))).toMatchObject({ stderr: 'Nothing was deleted.\n' });
    expect(await project.history(['delete', 'last'], answer('y'))).toMatchObject({ stderr: 'Deleted 1 run.\n' });
    expect(asked).toEqual(Array(2).fill('Delete 1 run: 22220002 (before)? [y/N] '));
    expect((await project.history([])).stdout).not.toContain('22220002');
  });

  it('keeps a run that was recorded elsewhere in the list, and says when it is gone', async () => {
    await using project = await projectWith({ ...FIRST, elsewhere: 'records' });
    expect((await project.history(['show', '1111'])).stdout).toContain(join(project.path, 'records', FIRST.id));
    rmSync(join(project.path, 'records'), { recursive: true });
    expect((await project.history([])).stdout).toContain('record is gone');
    const { code, stderr } = await project.history(['show', '1111']);
    expect(code).toBe(2);
    expect(stderr).toContain(`was recorded in ${join(project.path, 'records', FIRST.id)}, where it is no longer`);
  });
});
