import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/session.ts';
import { labelledSamples, ownSession } from '../../../src/engine/labelled-sessions.ts';
import { configuration, session, turn } from './support.ts';

const FAILED: Session['outcome'] = { status: 'failed', reason: 'reward 0.0' };
const SUCCEEDED: Session['outcome'] = { status: 'succeeded', reason: 'reward 1.0' };

function samplesOf(sessions: readonly Session[], settings = configuration({})) {
  return labelledSamples(sessions.flatMap((one) => ownSession(one, settings) ?? []));
}

const CALL = { type: 'tool', requestedBy: 'agent', arguments: {} } as const;

/** A turn with a call that failed twice in the same way. */
function repeated(): ReturnType<typeof turn> {
  const failed = { ...CALL, name: 'find_order', result: 'Error: no such order', outcome: 'error' } as const;
  return turn('t', {
    steps: [
      { ...failed, pointer: '/steps/0' },
      { ...failed, pointer: '/steps/1' },
    ],
  });
}

/** A turn that changes an order, with words of its own. */
function change(status: string, output: string): ReturnType<typeof turn> {
  const step = { ...CALL, name: 'update_order', arguments: { status }, result: 'ok', outcome: 'ok' } as const;
  return turn('t', { output, steps: [{ ...step, pointer: '/steps/0' }] });
}

describe('labelledSamples', () => {
  it("has the sessions whose outcome the trace or the user's feedback says", () => {
    const samples = samplesOf([
      session('a', [turn('t')], { outcome: FAILED }),
      session('b', [turn('t')], { feedback: [{ value: 'up' }] }),
      session('c', [turn('t')]),
      session('d', [turn('t')], { feedback: [{ value: 'down', metric: 'coherence' }] }),
    ]);
    expect(samples.map(({ failed }) => failed)).toEqual([true, false]);
  });

  it('compares a session with all other attempts of its task, and keeps them in one family', () => {
    const task = { id: '1', dataset: 'd' };
    const [first, second, other] = samplesOf([
      session('a', [change('paid', 'Done.')], { outcome: FAILED, task: { ...task, agent: 'x' } }),
      session('b', [change('sent', 'It is sent.')], { outcome: SUCCEEDED, task: { ...task, agent: 'y' } }),
      session('c', [change('sent', 'Your order was sent.')], { task }),
      session('d', [turn('t')], { outcome: SUCCEEDED }),
    ]);
    expect([first?.agreement, second?.agreement]).toEqual([
      { others: 2, share: 0 },
      { others: 2, share: 0.5 },
    ]);
    expect(first?.family).toBe(second?.family);
    expect([other?.family === first?.family, other?.agreement]).toEqual([false, null]);
  });

  it('counts findings as an evaluation does: at their configured level, and none that is suppressed', () => {
    const suppressions = [{ rule: 'error-repeated-unchanged', reason: 'polling' }];
    const rule = 'error-repeated-unchanged';
    const ofRule = (samples: ReturnType<typeof samplesOf>) =>
      samples.flatMap(({ findings }) =>
        findings.filter((finding) => finding.rule === rule).map(({ severity }) => severity),
      );
    const plain = session('a', [repeated()], { outcome: FAILED });
    expect(ofRule(samplesOf([plain]))).toHaveLength(1);
    expect(ofRule(samplesOf([plain], configuration({ rules: { [rule]: 'critical' } })))).toEqual(['critical']);
    expect(ofRule(samplesOf([{ ...plain, suppressions }]))).toEqual([]);
  });
});
