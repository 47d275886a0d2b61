import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES, type ProviderName } from '../../src/core/model-providers.ts';
import { judgedRun } from '../support/judged-run.ts';
import { answer, STUB_BASE_URLS, type StubModels, startStubModels } from '../support/stub-models.ts';
import { memoryCache } from '../unit/judge/support.ts';
import { sessionOf } from '../unit/metrics/views.ts';
import { ANSWER_CONTENT_FAULTS } from './judge/answer-content.ts';
import { GOOD, type JudgeFault } from './judge/fault.ts';
import { HTTP_STATUS_FAULTS } from './judge/http-status.ts';
import { RESPONSE_BODY_FAULTS } from './judge/response-body.ts';
import { TIMING_FAULTS } from './judge/timing.ts';
import { TRANSPORT_FAULTS } from './judge/transport.ts';

const GROUPS: Readonly<Record<string, readonly JudgeFault[]>> = {
  'HTTP status': HTTP_STATUS_FAULTS,
  'response body': RESPONSE_BODY_FAULTS,
  transport: TRANSPORT_FAULTS,
  'content of the answer': ANSWER_CONTENT_FAULTS,
  timing: TIMING_FAULTS,
};

/** Said in the second turn only, at which the server fails. */
const MARK = 'And where is order B-2?';
const SESSION = sessionOf([{ input: 'Where is order A-1?' }, { input: MARK }]);

/** Evaluates the session under a gate, as in CI. */
function evaluate(stub: StubModels, provider: ProviderName, cache: ReturnType<typeof memoryCache>, timeoutMs = 20_000) {
  return judgedRun({
    provider,
    baseUrl: STUB_BASE_URLS[provider](stub),
    sessions: [SESSION],
    cache,
    configuration: {
      metrics: ['helpfulness'],
      gates: { thresholds: { helpfulness: 3 }, minCoverage: 0.5 },
      // The first turn is answered before the server fails.
      judge: { concurrency: 1, timeoutMs, patienceMs: 120_000 },
    },
  });
}

for (const [group, faults] of Object.entries(GROUPS)) {
  describe.each(PROVIDER_NAMES)(`a fault in the ${group} over %s`, (provider) => {
    it.concurrent.each(faults)('is never a pass, and is made up for: $name', async ({ reply, reason, timeoutMs }) => {
      const fault = typeof reply === 'function' ? reply(provider) : reply;
      await using stub = await startStubModels(({ prompt }) => (prompt.includes(MARK) ? fault : answer(GOOD)));
      const cache = memoryCache();

      const failed = await evaluate(stub, provider, cache, timeoutMs);
      expect(failed).toMatchObject({ code: 3, report: { verdict: 'undecided' } });
      const [first, second] = failed.report.sessions[0]?.turns ?? [];
      expect(first?.metrics.helpfulness).toMatchObject({ status: 'scored', score: 4 });
      expect(second?.metrics.helpfulness).toMatchObject({
        status: 'error',
        score: null,
        reason: expect.stringMatching(reason instanceof RegExp ? reason : reason[provider]),
      });
      expect(failed.report.undecided[0]).toMatchObject({ code: 'judge-unanswered', count: 1 });

      const before = stub.requests.length;
      stub.play(() => answer(GOOD));
      const resumed = await evaluate(stub, provider, cache);
      expect(resumed).toMatchObject({ code: 0, report: { verdict: 'passed' } });
      // What was answered before is not asked again.
      expect(stub.requests.slice(before).map(({ prompt }) => prompt.includes(MARK))).toEqual([true]);

      const again = await evaluate(stub, provider, cache);
      expect(again).toMatchObject({ code: 0 });
      expect(stub.requests).toHaveLength(before + 1);
    });
  });
}

it('the faults are at least 112, each under a name of its own', () => {
  const names = Object.values(GROUPS).map((faults) => faults.map(({ name }) => name));
  expect(names.flat().length).toBeGreaterThanOrEqual(112);
  for (const group of names) expect(new Set(group).size).toBe(group.length);
});
