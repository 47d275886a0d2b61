import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentConsistency, consistency } from '../../../../src/metrics/session/agent-consistency.ts';
import { agentReliability, reliability } from '../../../../src/metrics/session/agent-reliability.ts';
import { quadrant } from '../../../../src/metrics/session/quadrant.ts';
import { DEFAULT_WEIGHTS, SIGNALS, type TurnSignals, weightsOptions } from '../../../../src/metrics/session/signals.ts';
import { resultOf, scored, sessionOf, sessionView, unscored } from '../views.ts';

const score = fc.double({ min: 0, max: 1, noNaN: true });
const signals: fc.Arbitrary<TurnSignals> = fc.record(
  { confidence: score, loop_detection: score, tool_correctness: score, coherence: score },
  { requiredKeys: [] },
);
const weight = fc.double({ min: 0, max: 10, noNaN: true });
const weights = fc.record({ confidence: weight, loop_detection: weight, tool_correctness: weight, coherence: weight });

describe.each([
  ['reliability', reliability],
  ['consistency', consistency],
] as const)('%s', (_, formula) => {
  it('stays between 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(signals), weights, (turns, weighing) => {
        const result = formula(turns, weighing);
        expect(result.score).toBeGreaterThanOrEqual(0);
        expect(result.score).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('does not depend on the order of the turns', () => {
    const shuffled = fc
      .array(signals, { maxLength: 40 })
      .chain((turns) => fc.tuple(fc.constant(turns), fc.shuffledSubarray(turns, { minLength: turns.length })));
    fc.assert(
      fc.property(shuffled, weights, ([turns, other], weighing) => {
        expect(formula(other, weighing).score).toBe(formula(turns, weighing).score);
        expect(formula(other, weighing).reason).toBe(formula(turns, weighing).reason);
      }),
    );
  });

  it('never falls when a signal rises', () => {
    const changed = fc
      .array(signals, { minLength: 1, maxLength: 30 })
      .chain((turns) => fc.tuple(fc.constant(turns), fc.nat(turns.length - 1), fc.constantFrom(...SIGNALS), score));
    fc.assert(
      fc.property(changed, weights, ([turns, at, signal, raised], weighing) => {
        const before = turns[at]?.[signal];
        fc.pre(before !== undefined && raised >= before);
        const better = turns.map((turn, index) => (index === at ? { ...turn, [signal]: raised } : turn));
        expect(formula(better, weighing).score).toBeGreaterThanOrEqual(formula(turns, weighing).score - 1e-12);
      }),
    );
  });

  it('has defined values without turns or signals', () => {
    expect(formula([], DEFAULT_WEIGHTS)).toMatchObject({ score: 1, reason: 'No traces or signals to evaluate.' });
    expect(formula([{}, {}], DEFAULT_WEIGHTS)).toMatchObject({ score: 1, reason: 'No evaluable traces.' });
  });

  it('handles 100,000 turns', () => {
    const turns = Array.from({ length: 100_000 }, (_, i) => ({ confidence: (i % 100) / 100 }));
    expect(formula(turns, DEFAULT_WEIGHTS).details).not.toBeNull();
  });
});

it('sums in a fixed order, to the last bit', () => {
  const turns = Array.from({ length: 100 }, (_, i) => ({ confidence: 0.6 + (i % 37) / 100 }));
  const scores = turns.map((_, i) => consistency([...turns.slice(i), ...turns.slice(0, i)], DEFAULT_WEIGHTS).score);
  expect(new Set(scores).size).toBe(1);
});

it('flags only a risk above 0.5', () => {
  const { details } = reliability([{ confidence: 0.5 }, { confidence: 0.49 }], DEFAULT_WEIGHTS);
  expect(details?.flagged).toEqual([1]);
});

const options = weightsOptions.parse({});
const session = sessionOf([{ id: 'a' }, { id: '__proto__', file: 'b.json' }, { id: 'a' }]);
const results = {
  confidence: [scored(0.35, 'imported'), scored(0.9), unscored('error')],
  loop_detection: [scored(1, 'embedding', 'vacuous'), scored(0.28, 'embedding'), scored(0.75, 'embedding')],
  tool_correctness: [scored(0.9), scored(0.9), unscored('needs_judge')],
};

async function evaluate(metric: typeof agentReliability, view = sessionView(session, { results })) {
  return resultOf(await metric.evaluate(view, options), metric);
}

describe('agent_reliability', () => {
  it('returns the fields its source documents', async () => {
    const result = await evaluate(agentReliability);
    expect(result).toMatchObject({ status: 'scored', source: 'aggregate', passed: false, band: { name: 'high risk' } });
    expect(result.score).toBeCloseTo(0.28, 9);
    expect(result.reason).toBe('Elevated risk in 2 of 3 traces. Signals: 6 scored, 1 vacuous, 5 missing.');
    expect(result.evidence).toEqual([
      { pointer: '/turns/1', note: 'risk 0.72 by loop_detection', file: 'b.json' },
      { pointer: '/turns/0', note: 'risk 0.65 by confidence' },
      { pointer: '/turns/2', note: 'risk 0.25 by loop_detection' },
    ]);
    const { per_trace_signals: perTrace, ...metadata } = result.metadata;
    expect(metadata).toEqual({
      total_traces_in_session: 3,
      traces_evaluated: 3,
      raw_risk: 0.72,
      signal_weights: DEFAULT_WEIGHTS,
      flagged_traces: ['a', '__proto__'],
      aggregation: {
        method: 'max_compose_top_k',
        top_k_percentile: 0.15,
        ensemble_weight: 0.1,
        mean_top_k_risk: 0.72,
        max_risk: 0.72,
      },
      signals: { scored: 6, vacuous: 1, missing: 5 },
      threshold: 0.5,
      success: false,
    });
    expect(JSON.parse(JSON.stringify(Object.entries(Object(perTrace))))).toEqual([
      ['a', { confidence_risk: 0.65, loop_risk: 0, tool_risk: 0.1, step_risk: 0.65 }],
      ['__proto__', { confidence_risk: 0.1, loop_risk: 0.72, tool_risk: 0.1, step_risk: 0.72 }],
      ['a#2', { loop_risk: 0.25, step_risk: 0.25 }],
    ]);
  });
});

describe('agent_consistency', () => {
  it('returns the fields its source documents', async () => {
    const result = await evaluate(agentConsistency);
    expect(result).toMatchObject({ status: 'scored', source: 'aggregate', passed: false });
    expect(result.score).toBeCloseTo(1 - Math.sqrt((0.702 ** 2 + 0.18 ** 2) / 2), 9);
    expect(result.reason).toMatch(/^High instability across 2 traces; multiple signals compound\. Signals:/);
    expect(result.evidence[0]).toEqual({ pointer: '/turns/0', note: 'uncertainty 0.7' });
    expect(result.metadata).toMatchObject({
      total_traces_in_session: 3,
      traces_evaluated: 2,
      raw_instability: 0.5124,
      aggregation: { method: 'weighted_rms', rms_value: 0.5124 },
    });
    expect(Object.entries(Object(result.metadata.per_trace_signals))).toEqual([
      [
        'a',
        { confidence_risk: 0.65, loop_risk: 0, tool_risk: 0.1, situational_penalty: 0.08, weighted_uncertainty: 0.702 },
      ],
      ['__proto__', expect.objectContaining({ situational_penalty: 0.8, weighted_uncertainty: 0.18 })],
    ]);
  });
});

describe.each([agentReliability, agentConsistency])('$name', (metric) => {
  it('is vacuous without turns and without signals', async () => {
    expect(await evaluate(metric, sessionView(sessionOf([])))).toMatchObject({
      status: 'vacuous',
      score: 1,
      passed: null,
      reason: 'No traces or signals to evaluate.',
    });
    const result = await evaluate(metric, sessionView(sessionOf([{}])));
    expect(result).toMatchObject({ status: 'vacuous', score: 1, passed: null });
    expect(result.reason).toBe('No evaluable traces. Signals: 0 scored, 0 vacuous, 4 missing.');
    expect(result.metadata).toMatchObject({ traces_evaluated: 0, aggregation: null, success: null });
  });

  it('does not pass on vacuous signals', async () => {
    const vacuous = [scored(1, 'embedding', 'vacuous')];
    const view = sessionView(sessionOf([{}]), { results: { confidence: vacuous, loop_detection: vacuous } });
    expect(await evaluate(metric, view)).toMatchObject({ status: 'vacuous', score: 1, passed: null });
  });
});

it.each([
  [0.5, 0.5, 'safe and smooth'],
  [0.5, 0.49, 'uneven'],
  [0.49, 0.5, 'mediocre'],
  [0.49, 0.49, 'unreliable and unstable'],
])('quadrant(%d, %d) is %s', (first, second, words) => {
  expect(quadrant(first, second, 'clean')).toContain(words);
});

it('quadrant praises no session that failed or has problems', () => {
  expect(quadrant(1, 1, 'failed')).toBe(
    'By the signals of its turns, reliability is high and consistency is high; the session failed all the same.',
  );
  expect(quadrant(0.49, 0.5, 'failed')).toContain('reliability is low and consistency is high');
  expect(quadrant(1, 1, 'problems')).toMatch(/consistency is high; the session has problems all the same\.$/);
});
