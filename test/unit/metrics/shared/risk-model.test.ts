import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import { type FindingLevel, LEVELS } from '../../../../src/core/severity.ts';
import {
  countWeight,
  explainRisk,
  findingTerms,
  type RiskCoefficients,
  riskOfTerm,
  signalTerm,
} from '../../../../src/metrics/shared/risk-model.ts';

/** Even odds without findings; `known` doubles them each time, by data. */
const COEFFICIENTS: RiskCoefficients = {
  fittedOn: 'a test',
  intercept: Math.log(1 / 2),
  weights: { known: Math.log(2), harmless: 0 },
};

function finding(rule: string, severity: FindingLevel = 'low', message = `${rule} spoke.`): Finding {
  return { rule, severity, label: null, turn: 0, message, evidence: [{ pointer: `/${rule}`, note: '' }] };
}

function riskOf(...findings: readonly Finding[]): number {
  return explainRisk(findingTerms(findings, COEFFICIENTS), COEFFICIENTS).risk;
}

describe('the risk of findings', () => {
  it.each([
    ['nothing', [], 1 / 3],
    ['one finding of a rule that was fitted', [finding('known')], 1 / 2],
    ['three of them, which count as two', [finding('known'), finding('known'), finding('known')], 2 / 3],
    ['one that labelled data finds harmless, whatever its level', [finding('harmless', 'high')], 1 / 3],
    ['a low one of a rule without data', [finding('new', 'low')], 1.25 / 3.25],
    ['a medium one', [finding('new', 'medium')], 1 / 2],
    ['a high one', [finding('new', 'high')], 5 / 7],
    ['a critical one', [finding('new', 'critical')], 50 / 52],
    ['a critical one of a rule that was fitted', [finding('known', 'critical')], 50 / 52],
    ['an observation', [finding('new', 'info')], 1 / 3],
    ['two rules', [finding('known'), finding('new', 'high')], 10 / 12],
  ])('is right for %s', (_, findings, expected) => {
    expect(riskOf(...findings)).toBeCloseTo(expected, 4);
  });

  it('counts the worst finding of a rule in full and the others less', () => {
    const [term] = findingTerms([finding('new', 'low', 'small'), finding('new', 'high', 'grave')], COEFFICIENTS);
    expect(term).toMatchObject({
      from: { rule: 'new', count: 2 },
      calibrated: false,
      because: 'grave And 1 more like it.',
    });
    expect(term?.logOdds).toBeCloseTo(Math.log(5) + Math.log(1.25) * (Math.log2(3) - 1), 9);
  });

  it('stops counting at seven', () => {
    expect([0, 1, 3, 7, 8, 100_000].map(countWeight)).toEqual([0, 1, 2, 3, 3, 3]);
  });

  it('does not read weights from the prototype', () => {
    expect(riskOf(finding('constructor', 'info'))).toBeCloseTo(1 / 3, 4);
  });

  it('is never lowered by a finding of any rule and level', () => {
    const some = fc.record({
      rule: fc.constantFrom('known', 'harmless', 'new', 'other'),
      severity: fc.constantFrom(...LEVELS),
    });
    fc.assert(
      fc.property(fc.array(some), some, (drawn, more) => {
        const findings = drawn.map(({ rule, severity }) => finding(rule, severity));
        expect(riskOf(...findings, finding(more.rule, more.severity))).toBeGreaterThanOrEqual(riskOf(...findings));
      }),
    );
  });

  it('is fully explained: base and parts sum to it', () => {
    const logOdds = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(logOdds, fc.double({ min: -5, max: 5, noNaN: true }), (parts, intercept) => {
        const terms = parts.map((part) => ({
          from: { rule: 'x', count: 1 },
          logOdds: part,
          calibrated: true,
          observed: false,
          because: '',
          evidence: [],
        }));
        const { base, risk, adds } = explainRisk(terms, { ...COEFFICIENTS, intercept });
        expect(adds.reduce((sum, add) => sum + add, base)).toBeCloseTo(risk, 9);
        for (const add of adds) expect(add).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('the risk of a single finding', () => {
  it.each([
    ['harmless', 'low', 0],
    // Of two in three sessions that would not have failed anyway, one in four fails: from 1/3 to 1/2.
    ['known', 'low', 0.25],
    ['new', 'critical', (50 / 52 - 1 / 3) / (2 / 3)],
  ] as const)('excludes failures that would have happened anyway: %s, %s', (rule, severity, expected) => {
    const [term] = findingTerms([finding(rule, severity)], COEFFICIENTS);
    expect(term && riskOfTerm(term, COEFFICIENTS)).toBeCloseTo(expected, 9);
  });
});

describe('the term of a signal', () => {
  it('weighs at its worst like a high finding and is marked as not calibrated', () => {
    const { logOdds, ...described } = signalTerm('confidence', 0, [], 1);
    expect(logOdds).toBeCloseTo(Math.log(5), 9);
    expect(described).toMatchObject({
      calibrated: false,
      from: { signal: 'confidence', score: 0 },
      because: 'confidence is 0.',
    });
    expect(signalTerm('tool_correctness', 0.5, [], 0.8)).toMatchObject({
      because: 'tool_correctness is 0.5, weighted 0.8.',
    });
    expect(signalTerm('tool_correctness', 0.5, [], 0.8).logOdds).toBeCloseTo(Math.log(5) * 0.4, 9);
    expect(signalTerm('confidence', 1, [], 1).logOdds).toBe(0);
  });
});
