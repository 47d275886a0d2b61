import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../../src/llm/model-error.ts';
import { withRetries } from '../../../src/llm/retry.ts';
import { NEVER, testClock } from '../judge/support.ts';

/** Fails so often and then works; gives how often it was sent and what was waited. */
async function failing(times: number, fault: () => Error, random = () => 1, maxAttempts?: number) {
  const clock = testClock();
  let sent = 0;
  const send = async () => {
    sent += 1;
    if (sent <= times) throw fault();
    return 'answer';
  };
  const ended = await withRetries(send, { signal: NEVER, clock, random, maxAttempts }).catch((cause: unknown) => cause);
  return { sent, waits: clock.waits, ended };
}

describe('failed requests', () => {
  it.each<[ModelErrorKind, number]>([
    ['timeout', 4],
    ['connection', 4],
    ['rate_limit', 4],
    ['server', 4],
    ['no_answer', 2],
    ['refused', 1],
    ['parameter', 1],
    ['structured_output', 1],
    ['redirect', 1],
    ['prompt_cut', 1],
  ])('for %s are sent %i times', async (kind, times) => {
    const { sent, ended } = await failing(9, () => new ModelError(kind, 'It failed.'));
    expect(sent).toBe(times);
    expect(ended).toMatchObject({ kind, message: 'It failed.' });
  });

  it('are retried until one succeeds', async () => {
    expect(await failing(3, () => new ModelError('server', 'x'))).toMatchObject({ sent: 4, ended: 'answer' });
  });

  it('are not sent more often than the caller allows', async () => {
    const fault = () => new ModelError('server', 'x');
    expect(await failing(9, fault, () => 1, 1)).toMatchObject({ sent: 1, waits: [], ended: { message: 'x' } });
    expect(await failing(9, fault, () => 1, 9)).toMatchObject({ sent: 4 });
  });

  it('wait up to twice as long each time, with jitter', async () => {
    expect((await failing(3, () => new ModelError('server', 'x'))).waits).toEqual([1000, 2000, 4000]);
    const draws = [0.5, 0, 0.25];
    const { waits } = await failing(
      3,
      () => new ModelError('server', 'x'),
      () => draws.shift() ?? 0,
    );
    expect(waits).toEqual([500, 0, 1000]);
  });

  it('wait as long as the server asks, plus jitter', async () => {
    const { waits } = await failing(
      2,
      () => new ModelError('rate_limit', 'x', { retryAfterMs: 7000 }),
      () => 0.5,
    );
    expect(waits).toEqual([7500, 8000]);
  });

  it('are not retried if the server asks to wait too long', async () => {
    const { sent, ended } = await failing(
      9,
      () => new ModelError('rate_limit', 'Slow down.', { retryAfterMs: 61_000 }),
    );
    expect(sent).toBe(1);
    expect(ended).toMatchObject({
      kind: 'rate_limit',
      message: 'Slow down. It asks to wait 61 s, which is longer than a run waits.',
    });
  });

  it('are not retried for other errors', async () => {
    expect(await failing(9, () => new TypeError('a mistake'))).toMatchObject({
      sent: 1,
      ended: { message: 'a mistake' },
    });
  });

  it('end immediately when cancelled, also while waiting', async () => {
    const stopped = new AbortController();
    const never = { now: () => 0, wait: (_: number, signal: AbortSignal) => onceAborted(signal) };
    const send = () => Promise.reject(new ModelError('server', 'x'));
    const ended = withRetries(send, { signal: stopped.signal, clock: never, random: Math.random });
    setImmediate(() => stopped.abort(new Error('stopped')));
    await expect(ended).rejects.toThrow('stopped');
  });
});

function onceAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
