import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'v0.1.0');
/** Nothing listens here: an answer that is not cached is an error. */
const SERVER = 'http://127.0.0.1:47831';
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

/** Prompts, answer schemas and cache keys are unchanged as long as this holds. */
it.each([
  { title: 'packed questions to an OpenAI-compatible server', options: OPENAI, cached: 50 },
  { title: 'separate questions', options: [...OPENAI, ...SEPARATE], cached: 144 },
  { title: 'questions to Ollama', options: OLLAMA, cached: 148 },
])('answers a whole run from the cache of 0.1.0: $title', async ({ options, cached }) => {
  await using folder = await temporaryFolder();
  await cp(FIXTURE, folder.path, { recursive: true });
  const gates = ['--fail-on', 'never', '--ignore-outcome'];
  const { code, stdout, stderr } = await turnwise(['eval', '.', ...options, '--format', 'json', ...gates], {
    cwd: join(folder.path, 'traces'),
    env: { TURNWISE_HOME: join(folder.path, 'home') },
  });
  expect(stderr).not.toMatch(/not reach|refused/);
  const report = JSON.parse(stdout);
  expect(report.run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: cached, promptTokens: 0 });
  expect(code).toBe(0);
});
