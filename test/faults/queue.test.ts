import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { CLI_MAIN, turnwise } from '../support/cli.ts';
import { startPostgres } from '../support/postgres.ts';
import { delayedReply, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const SESSIONS = 400;
const TURNS = 4;
const WORKERS = 4;
const KILLS = 5;
/** Of the judge, by all workers together. */
const CONCURRENCY = 4;

/** Sessions of which no two have the same text. */
function traces(): Readonly<Record<string, string>> {
  const session = (number: number) =>
    chat(
      ...Array.from({ length: TURNS }, (_, turn) => [
        user(`What does item ${number * 100 + turn} cost?`),
        agent(`Item ${number * 100 + turn} costs ${turn + 1} euros.`),
      ]).flat(),
    );
  return Object.fromEntries(Array.from({ length: SESSIONS }, (_, at) => [`traces/s-${at}.json`, session(at)]));
}

it('loses no session, counts none twice and asks hardly anything twice while workers are killed and the database restarts', {
  timeout: 400_000,
}, async ({ annotate }) => {
  await using postgres = await startPostgres();
  await using stub = await startStubModels(() => delayedReply(5));
  await using folder = await temporaryFolder({ '.git': '', ...traces() });
  const env = { TURNWISE_HOME: join(folder.path, 'home'), TURNWISE_QUEUE: postgres.url };
  const judge = ['--judge', 'openai:stub', '--judge-url', stub.openai, '--concurrency', String(CONCURRENCY)];
  const lease = ['--lease', '8'];
  const output: string[] = [];
  const startWorker = () => {
    const child = spawn(process.execPath, [CLI_MAIN, 'worker', ...lease], {
      cwd: folder.path,
      env: { ...childEnvironment(folder.path), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
    return child;
  };
  const workers: ChildProcess[] = Array.from({ length: WORKERS }, startWorker);
  const calls = SESSIONS * TURNS;
  const disturb = async () => {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await stub.arrived(Math.floor((kill * calls) / (KILLS + 1)));
      const victim = workers.shift();
      victim?.kill('SIGKILL');
      workers.push(startWorker());
      if (kill === Math.ceil(KILLS / 2)) await postgres.restart();
    }
  };
  const args = [
    'eval',
    'traces',
    '--metrics',
    'relevance',
    ...judge,
    '--format',
    'json',
    '--queue',
    '--no-work',
    ...lease,
  ];
  const [evaluated] = await Promise.all([turnwise(args, { cwd: folder.path, env }), disturb()]);
  for (const worker of workers) {
    const ended = once(worker, 'exit');
    worker.kill('SIGTERM');
    await ended;
  }

  const report = JSON.parse(evaluated.stdout);
  expect(report.undecided).toEqual([]);
  const ids: string[] = report.sessions.map(({ id }: { id: string }) => id);
  expect(ids.length).toBe(SESSIONS);
  expect(new Set(ids).size).toBe(SESSIONS);
  for (const { turns } of report.sessions) {
    expect(turns.map((turn: { metrics: { relevance: { status: string } } }) => turn.metrics.relevance.status)).toEqual(
      Array.from({ length: TURNS }, () => 'scored'),
    );
  }
  const prompts = Map.groupBy(stub.requests, ({ prompt }) => prompt);
  const repeated = stub.requests.length - prompts.size;
  expect(prompts.size).toBe(calls);
  annotate(`${stub.requests.length} calls, ${repeated} of them repeated`);
  expect(repeated / calls).toBeLessThanOrEqual(0.005);
  expect(stub.mostAtOnce).toBeLessThanOrEqual(CONCURRENCY);
  expect(evaluated.stderr + output.join('')).not.toContain(postgres.password);
});
