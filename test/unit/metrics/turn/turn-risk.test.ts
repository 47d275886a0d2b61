import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { MetricOutcome, Result } from '../../../../src/core/result.ts';
import { type FindingLevel, LEVELS, type Severity } from '../../../../src/core/severity.ts';
import { lexicalEmbedder } from '../../../../src/embed/lexical.ts';
import type { TurnView } from '../../../../src/metrics/metric.ts';
import { RISK_COEFFICIENTS } from '../../../../src/metrics/shared/risk-coefficients.ts';
import { turnRisk } from '../../../../src/metrics/turn/turn-risk.ts';
import { RULES } from '../../../../src/rules/index.ts';
import { coefficientsOf } from '../../../support/risk-coefficients.ts';
import { resultOf, scored, sessionOf, turnView, unscored } from '../views.ts';

function finding(severity: FindingLevel, rule = `rule-${severity}`): Finding {
  const evidence = [{ pointer: `/${severity}`, note: severity }];
  return { rule, severity, label: null, turn: 0, message: `That was ${severity}.`, evidence };
}

function evaluate(
  findings: readonly Finding[],
  signals: Readonly<Record<string, Result>> = {},
  change: Partial<TurnView> = {},
  turn: Parameters<typeof sessionOf>[0][number] = {},
) {
  const results = Object.fromEntries(Object.entries(signals).map(([name, result]) => [name, [result]]));
  const view = { ...turnView(sessionOf([turn]), 0, { results }), findings, ...change };
  return Promise.resolve(turnRisk.evaluate(view, {}));
}

function scoreOf(outcome: MetricOutcome): number {
  if (!('score' in outcome)) throw new Error(`It is ${outcome.status}.`);
  return outcome.score;
}

describe('turn_risk', () => {
  it('grows with the severity of a finding, from 0 for an observation to nearly 1 for a critical one', async () => {
    const risks = await Promise.all(LEVELS.map(async (level) => scoreOf(await evaluate([finding(level)]))));
    expect(risks).toEqual([...risks].sort((a, b) => a - b));
    expect(new Set(risks).size).toBe(LEVELS.length);
    expect(risks[0]).toBe(0);
    expect(risks.at(-1)).toBeGreaterThan(0.9);
  });

  it('is the highest of all, and explains every term', async () => {
    const outcome = await evaluate([finding('medium'), finding('info')], {
      loop_detection: scored(0, 'embedding'),
      tool_correctness: scored(0.5),
      confidence: unscored('needs_judge'),
    });
    expect(outcome).toMatchObject({
      source: 'aggregate',
      reason: 'loop_detection is 0.',
      evidence: [{ pointer: '/medium' }],
      metadata: {
        calibrated: true,
        fittedOn: RISK_COEFFICIENTS.fittedOn,
        terms: [
          { signal: 'loop_detection', score: 0, because: 'loop_detection is 0.', calibrated: false },
          { rule: 'rule-medium', count: 1, because: 'That was medium.', calibrated: false },
          { signal: 'tool_correctness', because: 'tool_correctness is 0.5, weighted 0.8.', calibrated: false },
          { rule: 'rule-info', risk: 0, because: 'That was info.' },
        ],
      },
    });
    expect(scoreOf(outcome)).toBe(scoreOf(await evaluate([], { loop_detection: scored(0, 'embedding') })));
  });

  const judged = (score: number, scale: 'unit' | 'likert' = 'unit', metadata = {}) =>
    resultOf({ status: 'scored', score, source: 'judge', reason: null, metadata }, { scale, threshold: null });
  const named = (label: string, severity?: Severity) =>
    resultOf(
      {
        status: 'scored',
        label,
        labels: [label],
        source: 'judge',
        reason: null,
        failures: [{ label, ...(severity ? { severity } : {}), reason: 'It did so.', evidence: [] }],
      },
      { scale: 'label', threshold: null },
    );
  const risk = async (...input: Parameters<typeof evaluate>) => scoreOf(await evaluate(...input));

  it("is as high for a judge's failure label as for a finding of that severity", async () => {
    const critical = await evaluate([], { agent_behavior_failure: named('unsafe action') });
    expect(scoreOf(critical)).toBe(await risk([finding('critical')]));
    expect(critical).toMatchObject({
      reason: 'The judge names unsafe action: It did so.',
      metadata: { terms: [{ label: 'unsafe action', count: 1, calibrated: false }] },
    });
    const low = await risk([], { tool_call_behavior_failure: named('repeated tool call') });
    expect(low).toBe(await risk([finding('low')]));
    expect(await risk([], { tool_call_behavior_failure: named('repeated tool call', 'high') })).toBeGreaterThan(low);
    expect(await risk([], { tool_call_behavior_failure: named('repeated tool call', 'low') })).toBe(low);
  });

  it.each([
    ['task_completion', judged(0)],
    ['safety_v1', judged(0)],
    ['faithfulness', judged(1, 'likert')],
  ])('counts the worst %s of a judge as a high finding and the best as no risk', async (metric, worst) => {
    expect(await risk([], { [metric]: worst })).toBe(await risk([finding('high')]));
    const best = { ...worst, score: worst.scale?.[1] ?? 1 };
    const perfect = await evaluate([], { [metric]: best });
    expect(perfect).toMatchObject({ score: 0, reason: 'Neither the rules nor the scores indicate a problem.' });
  });

  it("counts a capped score once: as the finding and as the judge's score", async () => {
    const capped = judged(0, 'unit', { cap: { most: 0, judged: 1, findings: [] } });
    expect(await risk([finding('medium')], { safety_v1: capped })).toBe(await risk([finding('medium')]));
  });

  it('names the source "rules" if only rules contributed', async () => {
    expect(await evaluate([finding('high')])).toMatchObject({ source: 'rules', reason: 'That was high.' });
  });

  it('ignores signals of the lexical embedder, but uses a real embedder or an imported score', async () => {
    const change = { embedder: lexicalEmbedder() };
    for (const signal of ['coherence', 'loop_detection']) {
      expect(scoreOf(await evaluate([], { [signal]: scored(0.1, 'embedding') }, change))).toBe(0);
      expect(scoreOf(await evaluate([], { [signal]: scored(0.1, 'imported') }, change))).toBeGreaterThan(0.4);
      expect(scoreOf(await evaluate([], { [signal]: scored(0.1, 'embedding') }))).toBeGreaterThan(0.4);
    }
  });

  it('does not count a signal twice that rules derived from their findings', async () => {
    const byRules = resultOf(
      { status: 'scored', score: 0, source: 'rules', reason: null },
      { scale: 'unit', threshold: 0.5 },
    );
    expect(await evaluate([finding('low')], { tool_correctness: byRules })).toEqual(await evaluate([finding('low')]));
  });

  it('does not use vacuous results as a signal', async () => {
    const outcome = await evaluate([], { loop_detection: scored(0, 'embedding', 'vacuous') });
    expect(outcome.reason).toBe(`Nothing found by ${RULES.length} rules; not judged by a model.`);
  });

  it('gives no credit for an absence of findings, and shares that outcome', async () => {
    const outcome = await evaluate([]);
    expect(outcome).toMatchObject({ status: 'scored', score: 0, source: 'rules' });
    expect(outcome.reason).toContain('not judged by a model');
    expect(await evaluate([])).toBe(outcome);
    expect((await evaluate([], {}, { ruleIds: ['loop'] })).reason).toBe(
      'Nothing found by 1 rule; not judged by a model.',
    );
  });

  it('uses the weights of the project, and says what they were fitted on', async () => {
    const risk = coefficientsOf({ weights: { 'rule-low': 20 } });
    expect(scoreOf(await evaluate([finding('low')], {}, { risk }))).toBeCloseTo(1, 4);
    expect(await evaluate([], {}, { risk })).toMatchObject({ metadata: { fittedOn: 'sessions of the project' } });
  });

  it('has no score if nothing was recorded or no rule ran', async () => {
    expect(await evaluate([], {}, {}, { captured: false })).toMatchObject({ status: 'not_applicable' });
    expect(await evaluate([], {}, { ruleIds: [] })).toMatchObject({ status: 'needs_judge' });
    expect(scoreOf(await evaluate([finding('high')], {}, {}, { captured: false }))).toBeGreaterThan(0.4);
  });

  it('is never lowered by a finding or by a lower signal', async () => {
    const some = fc.record({
      severity: fc.constantFrom(...LEVELS),
      rule: fc.constantFrom('new', ...RULES.map(({ id }) => id)),
    });
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(some), some, unit, unit, async (drawn, more, loop, lower) => {
        const findings = drawn.map(({ severity, rule }) => finding(severity, rule));
        const after = [...findings, finding(more.severity, more.rule)];
        const signal = (score: number) => ({ loop_detection: scored(score, 'embedding') });
        const before = scoreOf(await evaluate(findings, signal(loop)));
        expect(scoreOf(await evaluate(after, signal(loop)))).toBeGreaterThanOrEqual(before);
        expect(scoreOf(await evaluate(findings, signal(loop * lower)))).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});
