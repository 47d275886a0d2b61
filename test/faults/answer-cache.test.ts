import { cp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { SessionReport } from '../../src/core/report.ts';
import { turnwise } from '../support/cli.ts';
import { startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const DATABASE = 'judgements.db';
const RECORDED = join(FIXTURES, 'answer-cache', DATABASE);

/** Nothing listens here, except while answers are recorded: an answer that is not cached is an error. */
const PORT = 47831;
const SERVER = `http://127.0.0.1:${PORT}`;
const OPENAI = [
  ...['--judge', 'openai:judge-1', '--judge-url', `${SERVER}/v1`],
  ...['--embedder', 'openai:embed-1', '--embedder-url', `${SERVER}/v1`],
];
const OLLAMA = [
  ...['--judge', 'ollama:judge-2', '--judge-url', SERVER],
  ...['--embedder', 'ollama:embed-2', '--embedder-url', SERVER],
];
const SEPARATE = [
  ...['--questions-per-call', '1'],
  ...['--metrics', 'faithfulness,task_completion,loop_detection,safety_v1,plan_quality'],
];
const RUNS = [
  { title: 'packed questions to an OpenAI-compatible server', options: OPENAI, cached: 50 },
  { title: 'separate questions', options: [...OPENAI, ...SEPARATE], cached: 144 },
  { title: 'questions to Ollama', options: OLLAMA, cached: 148 },
];

/** A copy of the traces and of a data folder with the marker's key, for the command line. */
async function dataFolder() {
  const folder = await temporaryFolder();
  await cp(join(FIXTURES, 'v0.1.0'), folder.path, { recursive: true });
  return { ...folder, home: join(folder.path, 'home') };
}

async function evaluate({ path, home }: { readonly path: string; readonly home: string }, options: readonly string[]) {
  const gates = ['--fail-on', 'never', '--ignore-outcome'];
  const { code, stdout, stderr } = await turnwise(['eval', '.', ...options, '--format', 'json', ...gates], {
    cwd: join(path, 'traces'),
    env: { TURNWISE_HOME: home },
  });
  return { code, stderr, report: JSON.parse(stdout) };
}

/** Prompts, answer schemas and cache keys are unchanged as long as this holds. `RECORD_ANSWERS=1` records them again. */
describe('the answers of an earlier run', () => {
  it.runIf(process.env.RECORD_ANSWERS)('are recorded', async () => {
    await using folder = await dataFolder();
    await rm(join(folder.home, DATABASE));
    await using stub = await startStubModels();
    const relay = createServer((socket) => {
      const { hostname, port } = new URL(stub.origin);
      socket.pipe(connect(Number(port), hostname)).pipe(socket);
    }).listen(PORT, '127.0.0.1');
    for (const { options } of RUNS) await evaluate(folder, options);
    relay.close();
    const database = new DatabaseSync(join(folder.home, DATABASE));
    // In 2100, so that nothing expires.
    database.exec('UPDATE judgement SET created_at = 4102444800000, used_at = 4102444800000');
    database.exec('VACUUM');
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    await cp(join(folder.home, DATABASE), RECORDED);
  });

  it.each(RUNS)('answer it again as a whole: $title', async ({ options, cached }) => {
    await using folder = await dataFolder();
    await cp(RECORDED, join(folder.home, DATABASE));
    const { code, stderr, report } = await evaluate(folder, options);
    expect(stderr).not.toMatch(/not reach|refused/);
    expect(report.run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: cached, promptTokens: 0 });
    expect(code).toBe(0);
  });

  it('answer nothing where questions have changed since, which is an error and no score', async () => {
    await using folder = await dataFolder();
    const { code, stderr, report } = await evaluate(folder, OPENAI);
    expect(report.run.usage).toMatchObject({ judgeCallsCached: 0 });
    const results = report.sessions.flatMap(({ turns }: SessionReport) =>
      turns.map(({ metrics }) => `${metrics.task_completion?.status} ${metrics.task_completion?.score}`),
    );
    expect([...new Set(results)].sort()).toEqual(['error null', 'not_applicable null']);
    expect(stderr).toMatch(/The judge left \d+ questions without an answer, so the run cannot pass\./);
    expect(code).toBe(3);
  });
});
