import { describe, expect, it } from 'vitest';
import { metricCosts } from '../../../scripts/metric-costs.ts';
import { metricFrames, withFrame } from '../../../scripts/metric-pages.ts';
import { METRICS } from '../../../src/metrics/index.ts';

describe('metricCosts', () => {
  it('says of every metric that asks what it adds to the others, and what it takes alone', async () => {
    const costs = await metricCosts();
    expect([...costs.keys()]).toEqual(METRICS.filter(({ usesJudge: asked }) => asked).map(({ name }) => name));
    for (const [name, { batched, alone }] of costs) {
      expect(alone.calls, name).toBeGreaterThan(0);
      expect(batched.promptTokens, name).toBeGreaterThan(0);
      // What a call shows of the trace is there already, unless the question is shown what no other may see.
      expect(batched.promptTokens, name).toBeLessThanOrEqual(alone.promptTokens);
      if (batched.calls === 0) expect(batched.promptTokens, name).toBeLessThan(alone.promptTokens / 2);
    }
    expect(costs.get('helpfulness')).toMatchObject({ batched: { calls: 0 }, alone: { calls: 1 } });
    // It asks five times, and shows a reference that no other question may see.
    expect(costs.get('final_response_match_v2')).toMatchObject({ batched: { calls: 5 }, alone: { calls: 5 } });
  });
});

describe('frames', () => {
  it('take the place of what stood between their lines, and of nothing else', () => {
    const page = '<!-- frame: written by `npm run docs` -->\nold\n<!-- /frame -->\n\n## How it is scored\n';
    expect(withFrame(page, '\n# new\n')).toBe(
      '<!-- frame: written by `npm run docs` -->\n\n# new\n<!-- /frame -->\n\n## How it is scored\n',
    );
    expect(withFrame('# A page without them', 'new')).toBeNull();
  });

  it('say that agreement is not measured until it is, and which scores were measured against outcomes', async () => {
    const unknown = await metricFrames({ agreement: false, validity: '' });
    expect(unknown.get('helpfulness')).toContain('is not measured: nobody has run `npm run bench:judge`');
    expect(unknown.get('session_risk')).not.toContain('validity');
    const known = await metricFrames({ agreement: true, validity: '| `session_risk` | 0.7 |' });
    expect(known.get('helpfulness')).toContain('[agreement](../agreement.md)');
    expect(known.get('session_risk')).toContain('[measured on labelled sessions](../validity.md)');
    expect(known.get('loop_detection')).not.toContain('agreement');
  });
});
