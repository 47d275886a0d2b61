import { describe, expect, it } from 'vitest';
import { scaleRange } from '../../../src/core/scale.ts';
import { METRICS, metricByName } from '../../../src/metrics/index.ts';

describe('the metric registry', () => {
  it('finds every metric by its name and its aliases, which are unique', () => {
    const names = METRICS.flatMap((metric) => [metric.name, ...(metric.aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
    for (const metric of METRICS) {
      for (const name of [metric.name, ...(metric.aliases ?? [])]) expect(metricByName(name)).toBe(metric);
    }
  });

  it.each(['', 'no_such_metric', '__proto__', 'toString'])('does not know %j', (name) => {
    expect(metricByName(name)).toBeUndefined();
  });

  it('marks exactly the expected metrics as opt-in', () => {
    const optIn = METRICS.filter((metric) => metric.optIn).map(({ name }) => name);
    expect(optIn.sort()).toEqual([
      'agentic',
      'communication_style',
      'final_response_match_v2',
      'hallucinations_v1',
      'response_evaluation_score',
      'response_quality',
      'source_attribution',
      'user_satisfaction_proxy',
    ]);
  });

  it('has the thresholds of the source projects', () => {
    const thresholds = Object.fromEntries(METRICS.map(({ name, threshold }) => [name, threshold]));
    expect(thresholds).toMatchObject({
      task_completion: 0.5,
      tool_correctness: 0.5,
      argument_correctness: 0.5,
      step_efficiency: 0.5,
      confidence: 0.5,
      plan_adherence: 0.5,
      plan_quality: 0.5,
      coherence: 0.5,
      loop_detection: 0.5,
      agent_reliability: 0.5,
      agent_consistency: 0.5,
      response_evaluation_score: 3.5,
      safety_v1: 1,
      final_response_match_v2: 0.8,
      agentic_answer: 0.7,
    });
  });
});

describe.each(METRICS.map((metric) => [metric.name, metric] as const))('%s', (name, metric) => {
  it('has a well-formed name, question and source', () => {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(metric.question).toMatch(/^[A-Z].*\?$/);
    expect(metric.source).not.toBe('');
  });

  it('has bands from high to low that cover its scale, and a threshold within it', () => {
    const range = scaleRange(metric.scale);
    const starts = (metric.bands ?? []).map(({ from }) => from);
    expect(starts).toEqual([...starts].sort((a, b) => b - a));
    expect(new Set(starts).size).toBe(starts.length);
    if (starts.length > 0) expect(starts.at(-1)).toBe(range?.[0]);
    for (const { name: band, meaning } of metric.bands ?? []) expect(band && meaning).not.toBe('');
    if (metric.threshold !== null && range) {
      expect(metric.threshold).toBeGreaterThanOrEqual(range[0]);
      expect(metric.threshold).toBeLessThanOrEqual(range[1] ?? Number.POSITIVE_INFINITY);
    }
  });

  it('only uses metrics that exist', () => {
    for (const used of metric.uses ?? []) expect(metricByName(used), used).toBeDefined();
  });
});
