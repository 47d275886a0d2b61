import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../src/config/check.ts';
import { REGISTRY } from '../../src/config/registry.ts';
import type { ProviderName } from '../../src/core/model-providers.ts';
import { turnwise } from '../support/cli.ts';
import { judgedRun } from '../support/judged-run.ts';
import { answer, error, rateLimited, STUB_BASE_URLS, type StubReply, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';
import { sessionOf } from '../unit/metrics/views.ts';

const SENTENCE = /^No model answered for 2 min \(judge\.patienceMs\), so no more questions were asked\./;
const PROVIDERS: readonly ProviderName[] = ['openai', 'ollama'];

/** 200 turns, each with a question of its own. */
const LONG = sessionOf(Array.from({ length: 200 }, (_, index) => ({ input: `Where is order ${index}?` })));
const HELPFULNESS = { metrics: ['helpfulness'] };
const GOOD = answer({ helpfulness: { evidence: [], reason: 'So it is.', score: 4 } });

describe.each(PROVIDERS)('a run over %s', (provider) => {
  const evaluate = async (script: (number: number) => StubReply, judge = {}) => {
    await using stub = await startStubModels(({ number }) => script(number));
    const run = await judgedRun({
      provider,
      baseUrl: STUB_BASE_URLS[provider](stub),
      sessions: [LONG],
      configuration: { ...HELPFULNESS, judge },
    });
    return { ...run, requests: stub.requests.length };
  };

  it.each<[string, StubReply]>([
    ['limits the rate of requests', rateLimited('5')],
    ['limits it for half a minute each time', rateLimited('30')],
  ])('ends undecided after two minutes if the server always %s', async (_, reply) => {
    const { report, code, waitedMs, outages, requests } = await evaluate(() => reply);
    expect(code).toBe(3);
    expect(waitedMs).toBeGreaterThanOrEqual(120_000);
    expect(waitedMs).toBeLessThan(125_000);
    expect(requests).toBeLessThan(800);
    expect(outages).toEqual([expect.stringMatching(SENTENCE)]);
    expect(outages[0]).toMatch(/The last error: .*limits the rate of requests/);
    expect(report.undecided.map(({ cause, reason }) => cause ?? reason).join('\n')).toContain('judge.patienceMs');
    const statuses = report.sessions.flatMap(({ turns }) => turns.map(({ metrics }) => metrics.helpfulness?.status));
    expect(new Set(statuses)).toEqual(new Set(['error']));
  });

  it('is as patient as configured', async () => {
    const { code, waitedMs } = await evaluate(() => rateLimited(), { patienceMs: 10_000 });
    expect(code).toBe(3);
    expect(waitedMs).toBeLessThan(12_000);
  });

  it('keeps what was answered before, and ends though it was', async () => {
    const { report, code, outages } = await evaluate((number) => (number < 20 ? GOOD : rateLimited('5')));
    expect(code).toBe(3);
    expect(outages).toHaveLength(1);
    const scored = report.sessions[0]?.turns.filter(({ metrics }) => metrics.helpfulness?.status === 'scored');
    expect(scored).toHaveLength(20);
  });

  it('goes on as long as there is an answer now and then', async () => {
    const { report, outages } = await evaluate((number) => (number % 3 === 0 ? GOOD : rateLimited('20')));
    expect(outages).toEqual([]);
    const scored = report.sessions[0]?.turns.filter(({ metrics }) => metrics.helpfulness?.status === 'scored');
    expect(scored?.length).toBeGreaterThan(60);
  });

  it.each<[string, StubReply]>([
    ['a rate limit', rateLimited('86400')],
    ['an overload', error(503, 'Busy', { retryAfter: '86400' })],
  ])('sends no further calls if the server asks to wait a day because of %s', async (_, reply) => {
    const { code, waitedMs, requests, report } = await evaluate(() => reply);
    expect(code).toBe(3);
    expect(waitedMs).toBe(0);
    expect(requests).toBeLessThanOrEqual(8);
    expect(report.undecided[0]?.cause).toContain('It asks to wait 86400 s, which is longer than a run waits.');
  });

  it('is no longer than a minute behind a limit of requests per minute when it ends', async () => {
    const { code, waitedMs } = await evaluate(() => rateLimited(), { requestsPerMinute: 2, patienceMs: 10_000 });
    expect(code).toBe(3);
    expect(waitedMs).toBeLessThan(70_000);
  });
});

it('an embedder that always limits the rate ends the run as well', async () => {
  await using stub = await startStubModels(() => rateLimited('5'));
  const { code, waitedMs, outages } = await judgedRun({
    provider: 'openai',
    baseUrl: stub.openai,
    sessions: [LONG],
    configuration: {
      metrics: ['loop_detection'],
      gates: { thresholds: { loop_detection: 0.5 } },
      embedder: { provider: 'openai', model: 'e', baseUrl: stub.openai },
    },
  });
  expect(code).toBe(3);
  expect(outages).toEqual([expect.stringMatching(SENTENCE)]);
  expect(waitedMs).toBeLessThan(125_000);
});

describe('the patience of a configuration', () => {
  it.each([
    [{}, 120_000],
    [{ timeoutMs: 10_000 }, 120_000],
    [{ timeoutMs: 600_000 }, 1_200_000],
    [{ timeoutMs: 600_000, patienceMs: 5000 }, 5000],
  ])('with %j is %i ms', (judge, patienceMs) => {
    expect(checkConfiguration({ judge }, REGISTRY).configuration?.judge.patienceMs).toBe(patienceMs);
  });
});

it('the command line says in the terminal and in the report why it stopped asking', async () => {
  await using stub = await startStubModels(() => rateLimited());
  const trace = chat(user('Where is my order?'), agent('It is on its way.'));
  await using folder = await temporaryFolder({ '.git': '', 'a.json': trace });
  const options = ['--judge', 'openai:m', '--judge-url', stub.openai, '--metrics', 'helpfulness', '--patience', '200'];
  const { code, stdout, stderr } = await turnwise(['eval', 'a.json', ...options, '--report', 'json=report.json'], {
    cwd: folder.path,
    env: { TURNWISE_HOME: join(folder.path, 'home') },
  });
  expect(code).toBe(3);
  expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(
    'No model answered for 200 ms (judge.patienceMs), so no more questions were asked. The last error:',
  );
  const { problems } = JSON.parse(await readFile(join(folder.path, 'report.json'), 'utf8'));
  expect(problems).toContainEqual(expect.objectContaining({ code: 'model-outage', severity: 'warning' }));
});
