import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPORT_WRITERS } from '../../src/reports/index.ts';
import { openRunStore } from '../../src/store/runs/run-store.ts';
import { CLI_MAIN, type CliOptions, turnwise } from '../support/cli.ts';
import { TASK_PATTERN, taskAttempts } from '../support/task-attempts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, LOOPING, UNKNOWN_TOOL } from '../support/traces.ts';
import { withoutTimes } from '../support/without-times.ts';

const SETTINGS = JSON.stringify({
  tasks: { by: { file: TASK_PATTERN } },
  gates: { failOn: 'critical', attempts: { k: 2, passAtK: 0.9 } },
  history: { attempts: true },
});

async function project(files: Readonly<Record<string, string>> = taskAttempts(), settings = SETTINGS) {
  const folder = await temporaryFolder({ '.git': '', 'turnwise.config.json': settings, ...files });
  const run = (args: readonly string[], { env, ...options }: Omit<CliOptions, 'cwd'> = {}) =>
    turnwise(args, { cwd: folder.path, ...options, env: { TURNWISE_HOME: join(folder.path, 'home'), ...env } });
  const read = (name: string) => readFile(join(folder.path, name), 'utf8');
  /** In the order of their numbers. */
  const shards = async (of: number, ...args: readonly string[]) => {
    const results = [];
    for (let index = 1; index <= of; index += 1) {
      results.push(await run(['eval', 'runs', '--shard', `${index}/${of}`, '--record', `parts/${index}`, ...args]));
    }
    return results;
  };
  const manifest = async (reference = 'last') => {
    using store = openRunStore(join(folder.path, 'home'), { cwd: folder.path, warn: () => {} });
    return (await store.find(reference, folder.path)).manifest;
  };
  return { path: folder.path, run, read, shards, manifest, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const KINDS = [...REPORT_WRITERS.map(({ name }) => name), 'agentest'];
const reportsTo = (prefix: string) => KINDS.flatMap((kind) => ['--report', `${kind}=${prefix}.${kind}`]);

describe('turnwise merge', () => {
  it('makes the run of a single process of its parts, whatever order, time zone or locale they had', {
    timeout: 120_000,
  }, async () => {
    await using folder = await project();
    const whole = await folder.run(['eval', 'runs', ...reportsTo('whole')]);
    const places = [
      { TZ: 'Asia/Tokyo', LC_ALL: 'ja_JP.UTF-8' },
      { TZ: 'America/St_Johns', LC_ALL: 'tr_TR.UTF-8' },
      { TZ: 'Europe/Berlin', LC_ALL: 'de_DE.UTF-8' },
    ];
    for (const index of [3, 1, 2]) {
      // A page shows the sessions.
      const shard = ['eval', 'runs', '--shard', `${index}/3`, '--record', 'parts', '--with-transcripts'];
      const { code, stderr } = await folder.run(shard, { env: places[index - 1] ?? {} });
      // The gate on the attempts of a task is none of a part, which may have one of them.
      expect([code, stderr]).toEqual([0, expect.stringMatching(new RegExp(`^Shard ${index}/3: \\d of 14 sessions\n`))]);
    }
    const merged = await folder.run(['merge', 'parts', ...reportsTo('merged')], { env: { LC_ALL: 'tr_TR.UTF-8' } });
    expect([merged.code, withoutTimes(merged.stdout)]).toEqual([3, withoutTimes(whole.stdout)]);
    expect(whole.code).toBe(3);
    for (const kind of KINDS) {
      const [one, other] = [await folder.read(`whole.${kind}`), await folder.read(`merged.${kind}`)];
      expect(withoutTimes(other), kind).toBe(withoutTimes(one));
    }
    const report = JSON.parse(await folder.read('merged.json'));
    expect(report.observations.map(({ rule }: { rule: string }) => rule)).toContain('outlier-attempt');

    const again = await folder.run(['report', 'last', '--to', 'json']);
    expect(again.stdout).toBe(await folder.read('merged.json'));
    const [first, last] = [await folder.manifest('last~4'), await folder.manifest()];
    const times = { id: '', startedAt: '', endedAt: '', durationMs: 0 };
    const comparable = (manifest: typeof first) => ({ ...manifest, ...times, plan: { ...manifest.plan, ...times } });
    expect(comparable(last)).toEqual(comparable(first));
    const compared = await folder.run(['compare', 'last~4', 'last', '--format', 'json']);
    expect(JSON.parse(compared.stdout)).toMatchObject({ comparability: [], flips: [], changedSessions: [] });
  });

  it('writes the reports of a single process also with --verbose and with metrics that have no score', {
    timeout: 120_000,
  }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/a-2.json': GOOD, 'runs/b-1.json': LOOPING });
    const metrics = ['--metrics', 'tool_correctness,coherence,loop_detection'];
    const whole = await folder.run(['eval', 'runs', ...metrics, '--verbose', ...reportsTo('whole')]);
    await folder.shards(2, ...metrics, '--with-transcripts');
    const merged = await folder.run(['merge', 'parts/1', 'parts/2', '--verbose', ...reportsTo('merged')]);
    expect(merged.code).toBe(whole.code);
    for (const kind of KINDS) {
      const [one, other] = [await folder.read(`whole.${kind}`), await folder.read(`merged.${kind}`)];
      expect(withoutTimes(other), kind).toBe(withoutTimes(one));
    }
    expect(merged.stdout).toContain('What is the capital of France?');
    expect(merged.stdout).toContain('coherence: needs an embedder');
  });

  it('has one run id in the CTRF reports of all parts, and its own in that of the merged run', {
    timeout: 120_000,
  }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/b-1.json': GOOD });
    const parts = await folder.shards(2, '--report', 'ctrf');
    const ids = parts.map(({ stdout }): string => JSON.parse(stdout).extra.runId);
    expect(ids[1]).toBe(ids[0]);
    const { shard } = await folder.manifest();
    expect(ids[0]).toBe(shard?.plan);
    const again = await folder.run(['report', 'last', '--to', 'ctrf']);
    expect(again.stdout).toBe(parts[1]?.stdout);
    const merged = await folder.run(['merge', 'parts/1', 'parts/2', '--report', 'ctrf']);
    expect(JSON.parse(merged.stdout).extra.runId).toBe((await folder.manifest()).id);
  });

  it('merges records in one file on a machine without the traces, with a baseline, into another file', {
    timeout: 180_000,
  }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/a-2.json': GOOD, 'runs/b-1.json': GOOD });
    for (const index of [1, 2]) {
      await folder.run(['eval', 'runs', '--shard', `${index}/2`, '--record', `zip/${index}.turnwise.zip`]);
    }
    await using elsewhere = await project({}, JSON.stringify({ tasks: { by: { file: TASK_PATTERN } } }));
    await cp(join(folder.path, 'zip'), join(elsewhere.path, 'zip'), { recursive: true });
    const out = ['--out', 'run.turnwise.zip', '--baseline', '--name', 'merged'];
    const { code, stderr } = await elsewhere.run(['merge', 'zip', ...out]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('Recorded as run ')]);
    const manifest = await elsewhere.manifest('./run.turnwise.zip');
    expect(manifest).toMatchObject({
      name: 'merged',
      state: 'complete',
      totals: { sessions: 3, baseline: 'undecided' },
    });
    expect(manifest.shard).toBeUndefined();
    expect((await elsewhere.run(['history'])).stdout).toContain('merged');
  });

  it('refuses parts that are missing or double, and says which and what to do', { timeout: 180_000 }, async () => {
    await using folder = await project();
    await folder.shards(3);
    const [first, second] = [`parts/1`, `parts/2`];
    const missing = await folder.run(['merge', first, second]);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toMatch(
      /^turnwise: Shard 3 of 3 is missing, with \d sessions\. Name its record, or evaluate it with the options of the others: turnwise eval runs --shard 3\/3\n--partial merges/,
    );
    await cp(join(folder.path, first), join(folder.path, 'copy'), { recursive: true });
    const double = await folder.run(['merge', 'parts/1', 'copy', 'parts/2', 'parts/3']);
    expect(double.code).toBe(2);
    expect(double.stderr).toMatch(
      /^turnwise: parts\/1\/\S+ and copy\/\S+ are both shard 1\/3\. Name only one of them\.\n/,
    );
    expect((await folder.run(['merge', 'parts/4'])).stderr).toContain('parts/4');

    const outputs = ['--report', 'junit=partial.xml', '--report', 'table=partial.txt'];
    const partial = await folder.run(['merge', first, second, '--partial', '--format', 'json', ...outputs]);
    expect(partial.code).toBe(3);
    const report = JSON.parse(partial.stdout);
    expect(report).toMatchObject({ verdict: 'undecided', run: { complete: false } });
    const missed = report.undecided.find(({ code }: { code: string }) => code === 'incomplete-merge');
    expect(missed.reason).toMatch(/^Parts of the run are missing: \d of 14 sessions were not evaluated\.$/);
    expect(await folder.read('partial.xml')).toContain(`<error type="incomplete-merge" message="${missed.reason}">`);
    const table = await folder.read('partial.txt');
    expect(table).toContain('Parts of the run are missing: only the sessions of the others are shown.');
    expect(table.toLowerCase()).not.toContain('stopped');
    const later = await folder.run(['report', 'last', '--to', 'junit']);
    expect(later.stdout).toBe(await folder.read('partial.xml'));
    expect((await folder.run(['history'])).stdout).toMatch(/ incomplete /);
    expect(report.problems.map(({ code }: { code: string }) => code)).toContain('incomplete-merge');
    expect(await folder.manifest()).toMatchObject({ state: 'interrupted' });
    // What is missing can be evaluated here.
    const completed = await folder.run(['eval', '--resume', 'last', '--format', 'json']);
    expect(await folder.manifest()).toMatchObject({ id: report.run.id, state: 'complete', totals: { sessions: 14 } });
    expect(new Set(JSON.parse(completed.stdout).sessions.map(({ id }: { id: string }) => id)).size).toBe(14);
  });

  it('is complete where all sessions are there, with a warning about a part that it leaves out', {
    timeout: 180_000,
  }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/b-1.json': GOOD }, '{}');
    await folder.shards(2);
    await cp(join(folder.path, 'parts/1'), join(folder.path, 'copy'), { recursive: true });
    await folder.run(['eval', 'runs', '--shard', '2/2', '--record', 'strict', '--fail-on', 'low']);
    for (const [other, message] of [
      ['copy', 'are both shard 1/2'],
      ['strict', 'is part of another run'],
    ] as const) {
      const parts = ['parts/1', 'parts/2', other];
      const refused = await folder.run(['merge', ...parts]);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/--partial merges the others, which are all of the run\.\n$/),
      ]);
      const { code, stdout, stderr } = await folder.run(['merge', ...parts, '--partial', '--report', 'json=all.json']);
      expect([code, stderr]).toEqual([0, expect.stringContaining(message)]);
      expect(`${stdout}${stderr}`).not.toMatch(/stopped|not complete|missing/i);
      expect(JSON.parse(await folder.read('all.json'))).toMatchObject({
        verdict: 'passed',
        run: { complete: true },
        undecided: [],
        problems: [{ severity: 'warning', code: 'part-left-out' }],
      });
      expect(await folder.manifest()).toMatchObject({ state: 'complete', totals: { verdict: 'passed', sessions: 2 } });
    }
  });

  it('refuses parts of another run, and says in what it differs', { timeout: 180_000 }, async () => {
    await using folder = await project();
    await folder.shards(2);
    await folder.run(['eval', 'runs', '--shard', '2/2', '--record', 'strict', '--fail-on', 'low']);
    const gates = await folder.run(['merge', 'parts/1', 'parts/2', 'strict']);
    expect([gates.code, gates.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^turnwise: strict\/\S+ is part of another run than parts\/\S+: the gates changed\. Leave it out/,
      ),
    ]);
    await writeFile(join(folder.path, 'runs/zebra-1.json'), LOOPING);
    await folder.run(['eval', 'runs', '--shard', '2/2', '--record', 'changed']);
    const traces = await folder.run(['merge', 'parts/1', 'changed']);
    expect(traces.stderr).toContain('the traces are others, or are divided in another way');
    const whole = await folder.run(['eval', 'runs', '--record', 'whole']);
    expect(whole.stderr).toContain('Recorded as run');
    const none = await folder.run(['merge', 'parts/1', 'whole']);
    expect(none.stderr).toMatch(
      /^turnwise: whole\/\S+ is no part of a run: merge takes what `turnwise eval --shard I\/N`/,
    );
  });

  it('carries transcripts, counts parts neither as a trend nor as a baseline, and lets parts be empty', {
    timeout: 180_000,
  }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/b-1.json': LOOPING });
    const results = await folder.shards(3, '--with-transcripts');
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(results[2]?.stderr).toContain('Shard 3/3: 0 of 2 sessions');
    expect((await folder.run(['history'])).stdout).toContain('shard 2/3');
    const refused = await folder.run(['baseline', 'accept', 'last', '--reason', 'good']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('The run is shard 3 of 3.')]);
    await folder.run(['merge', 'parts/1', 'parts/2', 'parts/3', '--out', 'merged']);
    const [id = ''] = await readdir(join(folder.path, 'merged'));
    const lines = (await folder.read(`merged/${id}/sessions.jsonl`)).split('\n');
    expect(lines.filter((line) => line.startsWith('{"type":"transcript"'))).toHaveLength(2);
    expect(lines.some((line) => line.includes('"places"') || line.startsWith('{"type":"planned"'))).toBe(false);
    const trend = await folder.run(['trend', 'loop_detection', '--format', 'json']);
    expect(JSON.parse(trend.stdout).points).toHaveLength(1);
  });

  it('writes the reports that can be written, and replaces nothing that the parts read', {
    timeout: 180_000,
  }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/b-1.json': LOOPING, 'accepted.json': '{}' });
    await folder.shards(2);
    const files = ['/nonexistent/x.xml', 'runs/b-1.json', 'turnwise.config.json', 'accepted.json', 'ok.json'];
    const reports = files.flatMap((file) => ['--report', `json=${file}`]);
    const merged = await folder.run(['merge', 'parts/1', 'parts/2', '--baseline', 'accepted.json', ...reports]);
    expect(merged.code).toBe(2);
    expect(merged.stderr).toContain('--report json=/nonexistent/x.xml: there is no folder /nonexistent.');
    for (const file of files.slice(1, -1)) {
      expect(merged.stderr).toContain(`--report json=${file} would replace ${file}, which `);
    }
    expect(await folder.read('runs/b-1.json')).toBe(LOOPING);
    expect(await folder.read('turnwise.config.json')).toBe(SETTINGS);
    expect(await folder.read('accepted.json')).toBe('{}');
    expect(JSON.parse(await folder.read('ok.json')).sessions).toHaveLength(2);
  });

  it('takes a path for the same however it is written', { timeout: 180_000 }, async () => {
    await using folder = await project();
    for (const [at, path] of ['runs', 'runs/', './runs', './/runs/./'].entries()) {
      await folder.run(['eval', path, '--shard', `${at + 1}/4`, '--record', 'parts']);
    }
    const merged = await folder.run(['merge', 'parts', '--format', 'json']);
    const whole = await folder.run(['eval', 'runs', '--format', 'json']);
    expect(withoutTimes(merged.stdout)).toBe(withoutTimes(whole.stdout));
  });

  it('proposes commands that work as they are, also on another machine', { timeout: 180_000 }, async () => {
    await using first = await project({ 'my runs/a-1.json': GOOD, 'my runs/b-1.json': LOOPING });
    await first.run(['eval', 'my runs', '--shard', '1/2', '--record', 'the parts']);
    const [id = ''] = await readdir(join(first.path, 'the parts'));
    const manifest = await first.read(`the parts/${id}/manifest.json`);
    await writeFile(
      join(first.path, 'the parts', id, 'manifest.json'),
      JSON.stringify({ ...JSON.parse(manifest), state: 'interrupted' }),
    );
    await using other = await project({ 'my runs/a-1.json': GOOD, 'my runs/b-1.json': LOOPING });
    await cp(join(first.path, 'the parts'), join(other.path, 'the parts'), { recursive: true });
    const { code, stderr } = await other.run(['merge', 'the parts']);
    expect(code).toBe(2);
    const commands = Array.from(stderr.matchAll(/: (turnwise eval .+)$/gm), ([, command = '']) => command);
    expect(commands).toEqual(['turnwise eval "my runs" --shard 2/2', `turnwise eval --resume "the parts/${id}"`]);
    const script = commands.map((command) => `${command} || exit`).join('\n');
    const shell = `turnwise() { '${process.execPath}' '${CLI_MAIN}' "$@"; }\n${script}\nturnwise merge "the parts" last`;
    const env = { ...process.env, TURNWISE_HOME: join(other.path, 'home') };
    const merged = spawnSync('bash', ['-c', shell], { cwd: other.path, env, encoding: 'utf8' });
    expect([merged.status, merged.stderr]).toEqual([3, expect.stringContaining('Recorded as run')]);
    expect(await other.manifest()).toMatchObject({ state: 'complete', totals: { sessions: 2 } });
    expect((await other.manifest()).shard).toBeUndefined();
  });

  it('says what cannot be the place of the merged run, and replaces no part', { timeout: 180_000 }, async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'notes.json': '{}', notes: 'text' });
    await folder.run(['eval', 'runs', '--shard', '1/1', '--record', 'part.turnwise.zip']);
    const part = await readFile(join(folder.path, 'part.turnwise.zip'));
    const before = await readdir(folder.path);
    for (const [out, message] of [
      ['part.turnwise.zip', '--out would replace part.turnwise.zip, which is an input. Name another file.'],
      ['notes.json', '--out notes.json: a record is a folder or a zip file. Name a folder, or notes.turnwise.zip.'],
      [
        'missing.json',
        '--out missing.json: a record is a folder or a zip file. Name a folder, or missing.turnwise.zip.',
      ],
      ['notes', 'notes cannot be written: a file is where a folder has to be.'],
    ] as const) {
      const { code, stderr } = await folder.run(['merge', 'part.turnwise.zip', '--out', out]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(stderr).not.toContain('internal error');
    }
    expect(await readdir(folder.path)).toEqual(before);
    expect(await readFile(join(folder.path, 'part.turnwise.zip'))).toEqual(part);
    const trace = await folder.run(['merge', 'runs/a-1.json']);
    expect([trace.code, trace.stderr]).toEqual([
      2,
      expect.stringMatching(
        /\/runs\/a-1\.json is not a recorded run: that is a folder with manifest\.json, or a zip file\.\n$/,
      ),
    ]);
  });

  it('finds each part in a file of its own', async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, 'runs/b-1.json': GOOD });
    const shard = (part: string) => folder.run(['eval', 'runs', '--shard', part, '--record', 'part.zip']);
    await shard('1/2');
    const part = await readFile(join(folder.path, 'part.zip'));
    expect(await shard('2/2')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'turnwise: --record part.zip would replace the record of shard 1/2. Name a file for each shard.\n',
    });
    expect(await readFile(join(folder.path, 'part.zip'))).toEqual(part);
    expect((await shard('1/2')).code).not.toBe(2);
  });

  it('of a part that cannot be recorded would be nothing either', async () => {
    await using folder = await project({ 'runs/a-1.json': GOOD, notes: 'text' });
    const { code, stdout, stderr } = await folder.run(['eval', 'runs', '--shard', '1/1', '--record', 'notes/x']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('turnwise: Shard 1/1 cannot be recorded, and its record is what `turnwise merge` needs: ');
    expect(stderr).toContain('notes/x cannot be written: a file is where a folder has to be.');
    expect(stderr).not.toContain('not affected');
  });

  it.each([
    [['--record', 'none'], '--shard needs a recorded run, and --record none.'],
    [['--baseline'], '--shard does not go with --baseline: it gates all of a run. Give it to turnwise merge.'],
    [['--since-run'], '--shard does not go with --since-run'],
    [['--queue'], '--shard does not go with --queue: the workers of a queue share all of a run.'],
    [['--dry-run'], '--shard does not go with --dry-run'],
  ])('of a part that is evaluated with %j would be nothing', async (args, message) => {
    await using folder = await project({ 'runs/a-1.json': GOOD });
    const { code, stderr } = await folder.run(['eval', 'runs', '--shard', '1/2', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each(['0/2', '3/2', '2', '1/2000'])('takes no %s for a part', async (text) => {
    await using folder = await project({});
    const { code, stderr } = await folder.run(['eval', 'runs', '--shard', text]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('such as 2/8')]);
  });
});

/** The shell parts of the recipe for GitHub, with what the job would put into them. */
async function recipe(values: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'ci.md'), 'utf8');
  const [, section = ''] = page.split('On GitHub, a matrix evaluates');
  const scripts = section.split('```')[1]?.matchAll(/run: \|\n((?: {10}.*\n)+)/g) ?? [];
  return Array.from(scripts, ([, script = '']) =>
    script.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => values[name] ?? `no value of ${name}`),
  );
}

it('is what the recipe for GitHub does, whose shell parts run as they are written', { timeout: 120_000 }, async () => {
  await using folder = await project({ 'traces/a.json': GOOD, 'traces/b.json': UNKNOWN_TOOL }, '{}');
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI_MAIN}' "$@"\n`, {
    mode: 0o755,
  });
  await writeFile(
    join(bin, 'git'),
    '#!/bin/sh\ntest "$2" = origin/main:turnwise.baseline.json && cat accepted.json\n',
    {
      mode: 0o755,
    },
  );
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, TURNWISE_HOME: join(folder.path, 'home') };
  const bash = (script: string) => {
    const { status, stderr } = spawnSync('bash', ['-e', '-c', script], { cwd: folder.path, env, encoding: 'utf8' });
    return { status, stderr };
  };
  await folder.run(['eval', 'traces', '--agent-version', 'v1']);
  await folder.run(['baseline', 'accept', 'last', '--reason', 'first', '--file', 'accepted.json']);
  for (const shard of ['1', '2', '3', '4']) {
    const [evaluate = ''] = await recipe({ 'matrix.shard': shard });
    expect(bash(evaluate)).toMatchObject({ status: 0 });
  }
  await mkdir(join(folder.path, 'parts'));
  for (const shard of [1, 2, 3, 4]) {
    await rename(join(folder.path, `shard-${shard}.turnwise.zip`), join(folder.path, `parts/${shard}.turnwise.zip`));
  }
  const [, merge = ''] = await recipe({ 'github.base_ref': 'main' });
  const merged = bash(merge);
  expect(merged).toEqual({ status: 0, stderr: expect.stringContaining('Recorded as run') });
  expect(await folder.read('comment.md')).toContain('2 sessions: 1 failed, 1 without problems');
});
