import { describe, expect, it } from 'vitest';
import { ModelError, RequestSkipped } from '../../../src/llm/model-error.ts';
import { createPatience } from '../../../src/llm/patience.ts';
import { NEVER, testClock } from '../judge/support.ts';

const REASON = 'No model answered for 2 min (judge.patienceMs), so no more questions were asked.';
const BUSY = new ModelError('rate_limit', 'The host is busy.');

function start(limitMs = 120_000) {
  const clock = testClock();
  const sentences: string[] = [];
  const patience = createPatience(limitMs, clock, (sentence) => sentences.push(sentence));
  /** A request that takes a while. */
  const send = (outcome: Error | string, ms = 0) =>
    patience
      .run(() =>
        patience.send(async () => {
          if (ms > 0) await clock.wait(ms, NEVER);
          if (typeof outcome === 'string') return outcome;
          throw outcome;
        }),
      )
      .catch((cause: unknown) => cause);
  return { clock, patience, send, sentences };
}

describe('the patience of a run', () => {
  it('ends when requests have failed for its time, and says so once', async () => {
    const { patience, send, sentences } = start();
    expect(await send(BUSY, 60_000)).toBe(BUSY);
    expect(await send(BUSY, 59_999)).toBe(BUSY);
    expect(patience.signal.aborted).toBe(false);
    expect(await send(BUSY, 1)).toBeInstanceOf(RequestSkipped);
    expect(await send('never sent')).toMatchObject({ missingAnswer: { status: 'error', reason: REASON } });
    expect(sentences).toEqual([`${REASON} The last error: The host is busy.`]);
    expect(patience.signal.reason).toBeInstanceOf(RequestSkipped);
  });

  it('begins again with each answer of any model', async () => {
    const { send } = start();
    await send(BUSY, 119_000);
    expect(await send('answer', 500)).toBe('answer');
    expect(await send(BUSY, 119_999)).toBe(BUSY);
    expect(await send(BUSY, 1)).toBeInstanceOf(RequestSkipped);
  });

  it('counts no time in which nothing is asked', async () => {
    const { clock, send } = start();
    await send(BUSY, 1000);
    await clock.wait(600_000, NEVER);
    expect(await send(BUSY, 1000)).toBe(BUSY);
  });

  it('counts overlapping requests once', async () => {
    const { send } = start();
    await Promise.all(Array.from({ length: 8 }, () => send(BUSY, 60_000)));
    expect(await send(BUSY, 59_999)).toBe(BUSY);
  });

  it('does not end while a slow model fails at nothing', async () => {
    const { send } = start();
    const slow = send('answer', 600_000);
    expect(await send('another', 300_000)).toBe('another');
    expect(await slow).toBe('answer');
  });

  it('ends a wait for another attempt', async () => {
    const { clock, patience, send } = start();
    await send(BUSY, 100_000);
    await expect(patience.run(() => patience.wait(60_000, NEVER))).rejects.toBeInstanceOf(RequestSkipped);
    expect(clock.now()).toBe(120_000);
  });

  it('waits on if another request was answered meanwhile', async () => {
    const { clock, patience, send } = start();
    await send(BUSY, 100_000);
    await Promise.all([patience.run(() => patience.wait(60_000, NEVER)), send('answer', 10_000)]);
    expect(clock.now()).toBe(160_000);
  });

  it('does not count what is no failure of a model', async () => {
    const { send } = start();
    await send(new Error('stopped'), 200_000);
    expect(await send('answer')).toBe('answer');
  });

  it.each([
    [120_000, '2 min'],
    [1500, '1.5 s'],
    [300, '300 ms'],
  ])('of %i ms is named %s', async (ms, text) => {
    const { send } = start(ms);
    expect(await send(BUSY, ms)).toMatchObject({ message: expect.stringContaining(`for ${text} (judge.patienceMs)`) });
  });
});
