import { describe, expect, it } from 'vitest';
import { metricCosts } from '../../../scripts/metric-costs.ts';
import { metricFrames, withFrame } from '../../../scripts/metric-pages.ts';
import { METRICS } from '../../../src/metrics/index.ts';

describe('metricCosts', () => {
  it('gives the cost of every metric that uses a judge, batched and alone', async () => {
    const costs = await metricCosts();
    expect([...costs.keys()]).toEqual(METRICS.filter(({ usesJudge }) => usesJudge).map(({ name }) => name));
    for (const [name, { batched, alone }] of costs) {
      expect(alone.calls, name).toBeGreaterThan(0);
      expect(batched.promptTokens, name).toBeGreaterThan(0);
      // A batch contains the trace already, unless the question has data that no other question may see.
      expect(batched.promptTokens, name).toBeLessThanOrEqual(alone.promptTokens);
      if (batched.calls === 0) expect(batched.promptTokens, name).toBeLessThan(alone.promptTokens / 2);
    }
    expect(costs.get('helpfulness')).toMatchObject({ batched: { calls: 0 }, alone: { calls: 1 } });
    // It takes five samples and contains a reference that no other question may see.
    expect(costs.get('final_response_match_v2')).toMatchObject({ batched: { calls: 5 }, alone: { calls: 5 } });
  });
});

describe('frames', () => {
  it('replace the text between their markers and nothing else', () => {
    const page = '<!-- frame: written by `npm run docs` -->\nold\n<!-- /frame -->\n\n## How it is scored\n';
    expect(withFrame(page, '\n# new\n')).toBe(
      '<!-- frame: written by `npm run docs` -->\n\n# new\n<!-- /frame -->\n\n## How it is scored\n',
    );
    expect(withFrame('# A page without them', 'new')).toBeNull();
  });

  it('say whether agreement is measured and which scores are measured against outcomes', async () => {
    const unknown = await metricFrames({ agreement: false, validity: '' });
    expect(unknown.get('helpfulness')).toContain('Not measured yet: whether a model gives the same answers');
    expect(unknown.get('session_risk')).not.toContain('validity');
    const known = await metricFrames({ agreement: true, validity: '| `session_risk` | 0.7 |' });
    expect(known.get('helpfulness')).toContain('[Agreement](../agreement.md)');
    expect(known.get('session_risk')).toContain('[measured on labelled sessions](../validity.md)');
    expect(known.get('loop_detection')).not.toContain('greement');
  });
});
