import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import { evaluateSessions } from '../../../src/engine/evaluate.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import { configuration, session, turn } from './support.ts';

type AttemptsGate = NonNullable<NonNullable<ConfigurationInput['gates']>['attempts']>;

/** A run of attempts of one task with these rewards. */
function run(rewards: readonly number[], attempts?: AttemptsGate) {
  const sessions = rewards.map((reward, index) =>
    session(`a${index}`, [turn('t1')], { task: { id: '1', trial: String(index) }, scores: { reward } }),
  );
  return evaluateSessions({
    sessions,
    configuration: configuration({ gates: attempts ? { attempts } : {} }),
    judges: NO_JUDGES,
    embedder: null,
    locate: () => new Map(),
    version: '',
    signal: new AbortController().signal,
  });
}

describe('a gate on all attempts of a task', () => {
  it('holds in spite of a failed attempt, which is still shown as failed', async () => {
    const report = await run([1, 1, 0], { k: 2, passAtK: 0.9 });
    expect(report.verdict).toBe('passed');
    expect(report.gates).toEqual([
      {
        scope: 'scenario',
        subject: '1',
        metric: 'pass@2',
        threshold: 0.9,
        actual: 1,
        scored: 3,
        of: 3,
        met: true,
        reason: 'pass@2 is 1.00 (unbiased), required: at least 0.90',
      },
    ]);
    expect(report.sessions.map(({ verdict, headline }) => [verdict, headline.kind])).toEqual([
      ['passed', 'succeeded'],
      ['passed', 'succeeded'],
      ['failed', 'failed'],
    ]);
    expect(report.scenarios[0]?.verdict).toBe('passed');
  });

  it('fails the run below its minimum', async () => {
    expect(await run([1, 1, 0], { k: 2, passPowK: 0.5 })).toMatchObject({
      verdict: 'failed',
      gates: [{ metric: 'pass^2', actual: expect.closeTo(1 / 3), met: false }],
    });
  });

  it('can ask for the lower end of the interval', async () => {
    expect((await run([1, 1, 1], { k: 1, passAtK: 0.9 })).verdict).toBe('passed');
    const report = await run([1, 1, 1], { k: 1, passAtK: 0.9, bound: 'lower' });
    // The 2.5% quantile of Beta(4, 1).
    expect(report).toMatchObject({ verdict: 'failed', gates: [{ actual: expect.closeTo(0.3976, 3) }] });
  });

  it('is undecided with fewer attempts than k', async () => {
    expect(await run([1], { k: 3, passAtK: 0.9 })).toMatchObject({
      verdict: 'undecided',
      gates: [{ met: null, reason: 'pass@3 needs 3 attempts with a known result, there is 1' }],
    });
  });

  it('is off by default: each attempt must hold', async () => {
    expect((await run([1, 1, 0])).verdict).toBe('failed');
  });
});
