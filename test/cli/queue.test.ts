import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { error, startStubModels } from '../support/stub-models.ts';
import { TASK_PATTERN, taskAttempts } from '../support/task-attempts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, GOOD, LOOPING, user } from '../support/traces.ts';

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
});

const ARGS = ['eval', 'runs', '--task-by', TASK_PATTERN, '--format', 'json'];
/** A worker that is gone is missed after so many seconds. */
const LEASE = ['--lease', '3'];

async function project(files: Readonly<Record<string, string>> = taskAttempts()) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const url = await postgres.createDatabase();
  const env = { TURNWISE_HOME: join(folder.path, 'home'), TURNWISE_QUEUE: url };
  const run = (...args: readonly string[]) => turnwise(args, { cwd: folder.path, env });
  /** Resolves when the command waits for workers. */
  const queue = async (...args: readonly string[]) => {
    const { promise, resolve } = Promise.withResolvers<ChildProcess>();
    const ended = turnwise([...args, '--queue', '--no-work', ...LEASE], {
      cwd: folder.path,
      env,
      whileRunning: (child) => child.stderr?.on('data', (text) => /Queued as/.test(String(text)) && resolve(child)),
    });
    return { child: await promise, ended };
  };
  return { path: folder.path, url, env, run, queue, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** Of a run, apart from which run it is. */
function comparable(stdout: string): unknown {
  const { run, ...report } = JSON.parse(stdout);
  const { id, startedAt, durationMs, ...compared } = run;
  return { ...report, run: compared };
}

describe('eval --queue', () => {
  it('makes the same report as one process, and leaves no session in the database', { timeout: 300_000 }, async () => {
    await using folder = await project();
    const alone = await folder.run(...ARGS);
    const queued = await folder.run(...ARGS, '--queue');
    expect(queued.stderr).toMatch(/turnwise: Queued as run [0-9a-f]{8} at 127\.0\.0\.1:\d+\/\w+\.\n/);
    expect(comparable(queued.stdout)).toEqual(comparable(alone.stdout));
    expect(queued.code).toBe(alone.code);
    const status = await folder.run('status', '--format', 'json');
    expect(JSON.parse(status.stdout)).toEqual([
      expect.objectContaining({ state: 'finished', verdict: 'failed', sessions: 14, done: 14, parked: 0 }),
    ]);
    const client = new Client({ connectionString: folder.url });
    await client.connect();
    expect((await client.query('SELECT id FROM turnwise.session')).rows).toEqual([]);
    await client.end();
  });

  it('lets a worker finish a run whose command was killed, and gets everything when it runs again', {
    timeout: 300_000,
  }, async () => {
    await using folder = await project({ ...taskAttempts(), 'runs/broken.json': '{"messages": [' });
    const alone = await folder.run(...ARGS);
    const { child, ended } = await folder.queue(...ARGS, '--with-transcripts');
    const stateOf = async () => JSON.parse((await folder.run('status', '--format', 'json')).stdout)[0].state;
    while ((await stateOf()) !== 'running');
    child.kill('SIGKILL');
    await ended;
    const worker = await folder.run('worker', '--exit-when-done', ...LEASE);
    expect(worker.stderr).toMatch(/Made the report of run [0-9a-f]{8}\./);
    expect(worker.code).toBe(0);
    const [, run = ''] = /report of run (\w+)/.exec(worker.stderr) ?? [];
    const status = await folder.run('status', run, '--record', 'kept');
    expect(status.stdout).toMatch(/ {2}failed, with 1 error, 14 of 14 sessions; the report is in the database/);
    const saved = await folder.run('report', 'kept.turnwise.zip', '--to', 'json,html=kept.html');
    expect(comparable(saved.stdout)).toEqual(comparable(alone.stdout));
    expect(saved.stderr).not.toContain('without transcripts');
    expect(await folder.run('status', run, '--record', 'kept')).toMatchObject({ code: 0 });
    await folder.run('eval', 'runs', '--record', 'other.turnwise.zip');
    await writeFile(join(folder.path, 'archive.turnwise.zip'), 'No record.');
    expect(await folder.run('status', run, '--record', 'other')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--record other\.turnwise\.zip would replace run \w{8}\. Name another file\.\n$/),
    });
    expect(await folder.run('status', run, '--record', 'archive')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a recorded run, and is not replaced.'),
    });
    const again = await folder.run(...ARGS, '--with-transcripts', '--queue', ...LEASE);
    expect(again.stderr).toContain(`Continues run ${run} at`);
    expect(comparable(again.stdout)).toEqual(comparable(alone.stdout));
    expect(await folder.run('status', run)).toMatchObject({
      stdout: expect.stringContaining('failed, with 1 error, 14 of 14'),
    });
  });

  it('parks a session that ends its worker three times, and no other', { timeout: 300_000 }, async () => {
    const config = `export default { custom: [{ name: 'fatal', scale: 'unit', threshold: 0.5, evaluate(turn) {
      if (turn.input.includes('poison')) process.kill(process.ppid, 'SIGKILL');
      return { score: 1 };
    } }], gates: { failOn: 'never' } };`;
    const poison = chat(user('This is poison.'), agent('It is.'));
    await using folder = await project({ 'turnwise.config.mjs': config, 'runs/a.json': poison, 'runs/b.json': GOOD });
    const waiting = await folder.queue('eval', 'runs', '--format', 'json');
    const refused = await folder.run('worker', '--exit-when-done', ...LEASE);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Start the worker with the same file')]);
    const codes: (number | null)[] = [];
    while (codes.at(-1) !== 0 && codes.length < 5) {
      const worker = await folder.run('worker', '--exit-when-done', '--config', 'turnwise.config.mjs', ...LEASE);
      codes.push(worker.code);
    }
    expect(codes).toEqual([null, null, null, 0]);
    const { stdout, code } = await waiting.ended;
    const report = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(report.sessions.map(({ source }: { source: { file: string } }) => source.file)).toEqual(['runs/b.json']);
    expect(report.problems.map(({ message }: { message: string }) => message)).toContainEqual(
      expect.stringMatching(/^Session a was not evaluated in three tries: The worker that evaluated it ended\.$/),
    );
    expect((await folder.run('status')).stdout).toContain('undecided, 1 of 2 sessions, 1 parked');
  });

  it('is undecided where no worker gets an answer of the judge: one leaves it, and ends it if no other does', {
    timeout: 180_000,
  }, async () => {
    await using stub = await startStubModels(() => error(500, 'down'));
    await using folder = await project({ 'runs/a.json': GOOD, 'runs/b.json': LOOPING });
    const judge = ['--judge', 'openai:stub', '--judge-url', stub.openai, '--patience', '300'];
    const waiting = await folder.queue('eval', 'runs', '--format', 'json', ...judge);
    const worker = await folder.run('worker', '--exit-when-done', ...LEASE);
    expect([worker.code, worker.stderr]).toEqual([0, expect.stringMatching(/Run \w+ is left to other workers\. /)]);
    const { code, stdout } = await waiting.ended;
    expect(code).toBe(3);
    expect(JSON.parse(stdout).undecided).toContainEqual(expect.objectContaining({ code: 'judge-unanswered' }));
  });

  it('refuses workers with another configuration', { timeout: 180_000 }, async () => {
    const config = (limit: number) =>
      `export default { custom: [{ name: 'short', scale: 'unit', threshold: 0.5, evaluate: (turn) => ({ score: turn.output.length < ${limit} ? 1 : 0 }) }] };`;
    await using folder = await project({
      'turnwise.config.mjs': config(10),
      'other.config.mjs': config(20),
      'runs/b.json': GOOD,
    });
    const waiting = await folder.queue('eval', 'runs');
    const other = await folder.run('worker', '--exit-when-done', '--config', 'other.config.mjs', ...LEASE);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('The configuration of this worker is another'),
    ]);
    await folder.run('worker', '--exit-when-done', '--config', 'turnwise.config.mjs', ...LEASE);
    expect((await waiting.ended).stdout).toContain('short');
  });

  it('asks the judge as one process does, and finds the answers of earlier runs in the database', {
    timeout: 180_000,
  }, async () => {
    await using stub = await startStubModels();
    const gates = { judge: 'calibrated', thresholds: { coherence: 0.9 } };
    await using folder = await project({
      'runs/a.json': GOOD,
      'runs/b.json': LOOPING,
      'turnwise.config.json': JSON.stringify({ gates }),
    });
    const judge = ['--judge', 'openai:stub', '--judge-url', stub.openai];
    const alone = JSON.parse((await folder.run('eval', 'runs', '--format', 'json', ...judge)).stdout);
    const before = stub.requests.length;
    const evaluated = await folder.run('eval', 'runs', '--format', 'json', '--queue', ...judge);
    const asked = stub.requests.length - before;
    const { run, verdict, problems } = JSON.parse(evaluated.stdout);
    expect(run.usage).toMatchObject({ judgeCalls: asked });
    expect(asked).toBeGreaterThan(0);
    expect([verdict, problems]).toEqual([alone.verdict, alone.problems]);
    expect(problems).toContainEqual(expect.objectContaining({ code: 'judge-uncalibrated' }));
    // Answers of earlier runs are in the database.
    const again = await folder.run('eval', 'runs', '--format', 'json', '--queue', ...judge);
    expect(stub.requests.length).toBe(before + asked);
    expect(JSON.parse(again.stdout).run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: asked });
  });

  it('says what is wrong with its options, and never prints the password', { timeout: 180_000 }, async () => {
    await using folder = await project({ 'runs/a.json': GOOD });
    const wrong = folder.url.replace(postgres.password, 'a-wrong-secret');
    const cases = [
      [['eval', 'runs', '--no-work'], 'Add --queue.'],
      [['eval', 'runs', '--queue', '--dry-run'], '--dry-run queues nothing.'],
      [['eval', 'runs', '--queue', '--no-cache'], '--no-cache does not go with --queue'],
      [['eval', 'runs', '--queue', '--max-calls', '5'], 'judge.requestsPerMinute is shared by all workers'],
      [['eval', '--queue', 'runs'], 'write it after the paths'],
      [['worker', '--queue', wrong], 'cannot be used: password authentication failed'],
      [['status', 'deadbeef'], 'has no run deadbeef'],
      [['status', '--delete'], '--delete is about one run'],
    ] as const;
    const results = await Promise.all(cases.map(([args]) => folder.run(...args)));
    for (const [at, { code, stdout, stderr }] of results.entries()) {
      expect([code, stderr]).toEqual([2, expect.stringContaining(cases[at]?.[1] ?? '?')]);
      expect(stdout + stderr).not.toMatch(/the-password-of-a-test|a-wrong-secret/);
    }
  });
});
