import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '../../src/core/model-providers.ts';
import { judgedRun } from '../support/judged-run.ts';
import { answer, STUB_BASE_URLS, startStubModels } from '../support/stub-models.ts';
import { sessionOf } from '../unit/metrics/views.ts';
import { GOOD } from './judge/fault.ts';

const SESSION = sessionOf(Array.from({ length: 20 }, (_, index) => ({ input: `Where is order ${index}?` })));

/** Counts that no request has, and those that the stub makes up itself. */
const LIES = [-1e9, -0.5, 1.5, 1e15, 1e308, '12', null, true, [7], { tokens: 7 }];

describe.each(PROVIDER_NAMES)('a server that lies about tokens over %s', (provider) => {
  const evaluate = async (usage: { prompt?: unknown; completion?: unknown } | null | undefined, judge = {}) => {
    await using stub = await startStubModels(() => answer(GOOD, usage === undefined ? {} : { usage }));
    const { report, code } = await judgedRun({
      provider,
      baseUrl: STUB_BASE_URLS[provider](stub),
      sessions: [SESSION],
      configuration: { metrics: ['helpfulness'], judge: { concurrency: 1, ...judge } },
    });
    return { usage: report.run.usage, code, requests: stub.requests.length };
  };

  it('gets estimates in the report instead', async () => {
    const uncounted = await evaluate(null);
    expect(uncounted.usage.promptTokens).toBeGreaterThan(1000);
    for (const lie of LIES) {
      const [ofPrompt, ofAnswer] = [await evaluate({ prompt: lie }), await evaluate({ completion: lie })];
      expect(ofPrompt.usage).toEqual(uncounted.usage);
      expect(ofAnswer.usage).toEqual(uncounted.usage);
    }
  });

  it.each([-1e9, 0, 1e308])('cannot raise the budget of a run with %d', async (prompt) => {
    const { code, requests } = await evaluate({ prompt, completion: 1 }, { maxTokens: 10_000 });
    expect(code).toBe(3);
    expect(requests).toBeGreaterThan(2);
    expect(requests).toBeLessThan(15);
  });
});
