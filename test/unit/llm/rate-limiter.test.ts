import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../../src/llm/rate-limiter.ts';
import { NEVER, testClock } from '../judge/support.ts';

/** Starts requests of some tokens as fast as the limits let it; gives when each began. */
async function startsOf(limits: { requestsPerMinute?: number; tokensPerMinute?: number }, tokens: readonly number[]) {
  const clock = testClock();
  const limiter = createRateLimiter({ concurrency: 1000, ...limits }, clock);
  const starts: { at: number; tokens: number }[] = [];
  await Promise.all(
    tokens.map(async (each) => {
      await limiter.reserve(each, NEVER);
      starts.push({ at: clock.now(), tokens: each });
    }),
  );
  return starts;
}

describe('limits per minute', () => {
  it("allow a minute's requests at once, and the next one after a minute", async () => {
    const starts = await startsOf({ requestsPerMinute: 2 }, [1, 1, 1, 1, 1]);
    expect(starts.map(({ at }) => at)).toEqual([0, 0, 60_000, 60_000, 120_000]);
  });

  it('send a request of more tokens than a minute allows alone', async () => {
    const starts = await startsOf({ tokensPerMinute: 100 }, [10, 500, 10]);
    expect(starts.map(({ at }) => at)).toEqual([0, 60_000, 120_000]);
  });

  it('count the actual tokens', async () => {
    const clock = testClock();
    const limiter = createRateLimiter({ concurrency: 1, tokensPerMinute: 100 }, clock);
    const correct = await limiter.reserve(90, NEVER);
    correct(20);
    await limiter.reserve(80, NEVER);
    expect(clock.now()).toBe(0);
    await limiter.reserve(1, NEVER);
    expect(clock.now()).toBe(60_000);
  });

  it('end a cancelled wait without counting it', async () => {
    const clock = testClock();
    const limiter = createRateLimiter({ concurrency: 1, requestsPerMinute: 1 }, clock);
    await limiter.reserve(0, NEVER);
    const stopped = new AbortController();
    const waiting = limiter.reserve(0, stopped.signal);
    stopped.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await limiter.reserve(0, NEVER);
    expect(clock.now()).toBe(60_000);
  });

  it('apply to every minute, whenever it begins, in order', async () => {
    const tokens = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        tokens,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        async (each, requestsPerMinute, tokensPerMinute) => {
          const starts = await startsOf({ requestsPerMinute, tokensPerMinute }, each);
          expect(starts.map(({ tokens }) => tokens)).toEqual(each);
          for (const { at: from } of starts) {
            const minute = starts.filter(({ at }) => at >= from && at < from + 60_000);
            const sum = minute.reduce((total, { tokens }) => total + tokens, 0);
            expect(minute.length).toBeLessThanOrEqual(requestsPerMinute);
            if (minute.length > 1) expect(sum).toBeLessThanOrEqual(tokensPerMinute);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
