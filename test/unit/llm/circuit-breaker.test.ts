import { describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../src/llm/circuit-breaker.ts';
import type { Clock } from '../../../src/llm/clock.ts';
import { ModelError, type ModelErrorKind, RequestRejected, RequestSkipped } from '../../../src/llm/model-error.ts';

function start() {
  let now = 0;
  let sent = 0;
  const clock: Clock = { now: () => now, wait: () => Promise.resolve() };
  const breaker = createCircuitBreaker('ollama/m', clock);
  const call = (outcome: Error | string) =>
    breaker
      .run(async () => {
        sent += 1;
        if (typeof outcome === 'string') return outcome;
        throw outcome;
      })
      .catch((cause: unknown) => cause);
  return {
    breaker,
    call,
    calls: async (times: number, outcome: Error | string) => {
      for (let i = 0; i < times; i += 1) await call(outcome);
    },
    pass: (ms: number) => {
      now += ms;
    },
    sent: () => sent,
  };
}

const fault = (kind: ModelErrorKind) => new ModelError(kind, 'The host is gone.');
const refusal = (status: number) => new RequestRejected('refused', `The host said ${status}.`, status, null);
const DOWN = 'ollama/m did not answer 5 times in a row, so it was not asked again: The host is gone.';

describe('a failing server', () => {
  it.each<ModelErrorKind>(['connection', 'timeout', 'server', 'no_answer'])(
    'by %s is not asked again after five calls in a row, and all callers get the same error',
    async (kind) => {
      const { calls, call, sent } = start();
      await calls(5, fault(kind));
      const messages = [await call('never sent'), await call('never sent')];
      expect(sent()).toBe(5);
      for (const item of messages) {
        expect(item).toBeInstanceOf(RequestSkipped);
        expect(item).toMatchObject({ missingAnswer: { status: 'error', reason: DOWN } });
      }
    },
  );

  it('is called again after a success', async () => {
    const { calls, call, sent } = start();
    await calls(4, fault('server'));
    await call('answer');
    await calls(4, fault('server'));
    expect(await call('answer')).toBe('answer');
    expect(sent()).toBe(10);
  });

  it.each<ModelErrorKind>(['rate_limit', 'structured_output', 'prompt_cut'])('by %s is there', async (kind) => {
    const { calls, call } = start();
    await calls(4, fault('server'));
    await call(fault(kind));
    await calls(4, fault('server'));
    expect(await call('answer')).toBe('answer');
  });

  it.each([401, 402, 404, 407, 429])('by %i is not asked again at once', async (status) => {
    const { call, sent } = start();
    await call(refusal(status));
    expect(await call('never sent')).toMatchObject({
      missingAnswer: { reason: `The host said ${status}. ollama/m was not asked again.` },
    });
    expect(sent()).toBe(1);
  });

  it('is not called again after a redirect', async () => {
    const { calls, sent } = start();
    await calls(2, fault('redirect'));
    expect(sent()).toBe(1);
  });

  it('is not called again after five 403 responses, but after 400 responses', async () => {
    const forbidden = start();
    await forbidden.calls(9, refusal(403));
    expect(forbidden.sent()).toBe(5);
    const bad = start();
    await bad.calls(9, refusal(400));
    expect(bad.sent()).toBe(9);
  });

  it('gets one call after 30 s, and all calls once that succeeds', async () => {
    const { breaker, calls, call, pass, sent } = start();
    await calls(5, fault('server'));
    pass(29_999);
    await call('never sent');
    expect(sent()).toBe(5);
    pass(1);
    const { promise, resolve } = Promise.withResolvers<string>();
    const probe = breaker.run((check) => {
      check();
      return promise;
    });
    expect(await call('never sent')).toMatchObject({ missingAnswer: { reason: DOWN } });
    resolve('there');
    expect(await probe).toBe('there');
    expect(await call('answer')).toBe('answer');
  });

  it('gets no call for another 30 s if that one fails', async () => {
    const { calls, call, pass, sent } = start();
    await calls(5, fault('server'));
    pass(30_000);
    await call(fault('connection'));
    await call('never sent');
    expect(sent()).toBe(6);
    pass(30_000);
    expect(await call('answer')).toBe('answer');
  });

  it('gets the next call if that one was not sent', async () => {
    const { calls, call, pass } = start();
    await calls(5, fault('server'));
    pass(30_000);
    await call(new RequestSkipped({ status: 'cancelled', reason: 'The limit is reached.' }));
    expect(await call('answer')).toBe('answer');
  });

  it('gets no call before the time that it asked for', async () => {
    const { call, calls, pass, sent } = start();
    await call(new ModelError('rate_limit', 'The host is busy.', { retryAfterMs: 86_400_000 }));
    await calls(3, 'never sent');
    expect(sent()).toBe(1);
    pass(86_399_999);
    expect(await call('never sent')).toMatchObject({
      missingAnswer: { reason: 'The host is busy. ollama/m was not asked again.' },
    });
    pass(1);
    expect(await call('answer')).toBe('answer');
  });

  it('stops calls that were about to retry', async () => {
    const { breaker, calls } = start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = breaker.run(async (check) => {
      await promise;
      check();
    });
    await calls(5, fault('server'));
    resolve();
    await expect(waiting).rejects.toMatchObject({ missingAnswer: { reason: DOWN } });
  });
});
