import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import { type FindingLevel, LEVELS } from '../../../../src/core/severity.ts';
import {
  type AttemptAgreement,
  baseLogOdds,
  conversationLength,
  countWeight,
  explainRisk,
  findingTerms,
  type RiskCoefficients,
  riskOf,
  riskOfTerm,
  signalTerm,
} from '../../../../src/metrics/shared/risk-model.ts';
import { sessionOf } from '../views.ts';

/** A third fails without findings; `known` doubles them each time, by data. */
const COEFFICIENTS: RiskCoefficients = {
  fittedOn: 'a test',
  isProbability: false,
  intercept: Math.log(1 / 2),
  length: { weight: 0.5, centre: 2 },
  agreement: { weight: 1, centre: 0 },
  weights: { known: Math.log(2), harmless: 0, 'state-change': 0 },
  levels: { elevated: 0.4, high: 0.6 },
};

function finding(rule: string, severity: FindingLevel = 'low', message = `${rule} spoke.`): Finding {
  return { rule, severity, label: null, turn: 0, message, evidence: [{ pointer: `/${rule}`, note: '' }] };
}

function riskWith(...findings: readonly Finding[]): number {
  return explainRisk(findingTerms(findings, COEFFICIENTS), COEFFICIENTS.intercept).risk;
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
    ['an observation that labelled data finds harmless', [finding('state-change', 'info')], 1 / 3],
    ['one that is more severe than its rule is by default', [finding('state-change', 'medium')], 1 / 2],
    ['two rules', [finding('known'), finding('new', 'high')], 10 / 12],
  ])('is right for %s', (_, findings, expected) => {
    expect(riskWith(...findings)).toBeCloseTo(expected, 4);
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

  it('says that a weight is by severity where a finding is more severe than its rule is by default', () => {
    const calibrated = (severity: FindingLevel) =>
      findingTerms([finding('state-change', severity)], COEFFICIENTS)[0]?.calibrated;
    expect(calibrated('info')).toBe(true);
    expect(calibrated('medium')).toBe(false);
  });

  it('stops counting at seven', () => {
    expect([0, 1, 3, 7, 8, 100_000].map(countWeight)).toEqual([0, 1, 2, 3, 3, 3]);
  });

  it('does not read weights from the prototype', () => {
    expect(riskWith(finding('constructor', 'info'))).toBeCloseTo(1 / 3, 4);
  });

  it('is never lowered by a finding of any rule and level', () => {
    const some = fc.record({
      rule: fc.constantFrom('known', 'harmless', 'new', 'other'),
      severity: fc.constantFrom(...LEVELS),
    });
    fc.assert(
      fc.property(fc.array(some), some, (drawn, more) => {
        const findings = drawn.map(({ rule, severity }) => finding(rule, severity));
        expect(riskWith(...findings, finding(more.rule, more.severity))).toBeGreaterThanOrEqual(riskWith(...findings));
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
        const { base, risk, adds } = explainRisk(terms, intercept);
        expect(adds.reduce((sum, add) => sum + add, base)).toBeCloseTo(risk, 9);
        for (const add of adds) expect(add).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('the risk of a session before findings', () => {
  /** 1500 characters are of average length. */
  const base = (length: number, agreement: AttemptAgreement | null = null) =>
    baseLogOdds(length, agreement, COEFFICIENTS) - COEFFICIENTS.intercept;

  it('grows with each doubling of the length', () => {
    expect(base(1500)).toBeCloseTo(0, 9);
    expect(base(0)).toBeCloseTo(-1, 9);
    expect(base(3500)).toBeCloseTo(0.5, 9);
  });

  it('moves with the share of other attempts that made the same changes, and more with more of them', () => {
    expect(base(1500, { others: 1, share: 1 })).toBeCloseTo(-Math.log(3), 9);
    expect(base(1500, { others: 3, share: 1 })).toBeCloseTo(-Math.log(7), 9);
    expect(base(1500, { others: 3, share: 0 })).toBeCloseTo(Math.log(7), 9);
    expect(base(1500, { others: 2, share: 0.5 })).toBeCloseTo(0, 9);
  });

  it('is the risk of a session with its findings', () => {
    const findings = [finding('known'), finding('new', 'high')];
    const logOdds = COEFFICIENTS.intercept + 0.5 + Math.log(2) + Math.log(5);
    expect(riskOf({ findings, length: 3500, agreement: null }, COEFFICIENTS)).toBeCloseTo(
      1 / (1 + Math.exp(-logOdds)),
      9,
    );
  });

  it('measures the length by the messages of user and agent', () => {
    const turns = [
      { input: 'four', output: 'nine more' },
      { input: null, output: null },
    ];
    expect(conversationLength(sessionOf(turns))).toBe(13);
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
    expect(term && riskOfTerm(term, COEFFICIENTS.intercept)).toBeCloseTo(expected, 9);
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
