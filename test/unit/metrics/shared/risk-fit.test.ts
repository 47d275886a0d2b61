import { describe, expect, it } from 'vitest';
import { crossValidate, fitRisk, type RiskSample } from '../../../../src/metrics/shared/risk-fit.ts';
import { PRIOR_WEIGHTS, type RiskCoefficients, riskOf } from '../../../../src/metrics/shared/risk-model.ts';

const OPTIONS = { fittedOn: 'a test' };

/** What a rule with a prior of medium severity finds; any rule does. */
const RULE = 'unconfirmed-change';

interface SampleCounts {
  readonly passed: number;
  readonly failed: number;
}

/** Samples of one set, with a finding of a rule each. */
function samples(
  { passed, failed }: SampleCounts,
  { rule, ...change }: Partial<RiskSample> & { readonly rule?: string } = {},
): RiskSample[] {
  const sample = {
    domain: 'shop',
    set: 'agent, shop',
    family: 'task',
    findings: rule === undefined ? [] : [{ rule, severity: 'medium' as const }],
    length: 500,
    agreement: null,
    ...change,
  };
  return Array.from({ length: passed + failed }, (_, i) => ({ ...sample, failed: i < failed }));
}

/** Sessions with findings fail more often, or less often, in a domain. */
function domain(name: string, isInformative: boolean, size = 20): RiskSample[] {
  const place = { domain: name, set: `agent, ${name}` };
  const [more, less] = isInformative ? [size * 0.75, size * 0.25] : [size * 0.25, size * 0.75];
  return [
    ...samples({ passed: less, failed: more }, { ...place, rule: RULE }),
    ...samples({ passed: more, failed: less }, place),
  ];
}

describe('fitRisk', () => {
  it('weighs a rule whose sessions fail more often in all domains, drawn to the weight of its severity', () => {
    const { weights } = fitRisk([...domain('shop', true), ...domain('bank', true)], OPTIONS);
    expect(weights[RULE]).toBeGreaterThan(PRIOR_WEIGHTS.medium);
    expect(weights[RULE]).toBeLessThan(2 * Math.log(3));
  });

  it('gives no weight to a rule whose sign is wrong in one domain', () => {
    const { weights } = fitRisk([...domain('shop', true, 60), ...domain('bank', false, 60)], OPTIONS);
    expect(weights).toEqual({ [RULE]: 0 });
  });

  it('gives none for a slightly wrong sign in a large domain, and does not mind it in a small one', () => {
    const slightly = (size: number) => [
      ...samples({ passed: size, failed: size - 1 }, { domain: 'bank', set: 'agent, bank', rule: RULE }),
      ...samples({ passed: size - 1, failed: size }, { domain: 'bank', set: 'agent, bank' }),
    ];
    const weightWith = (size: number) => fitRisk([...domain('shop', true), ...slightly(size)], OPTIONS).weights[RULE];
    expect(weightWith(8)).toBeGreaterThan(0);
    expect(weightWith(30)).toBe(0);
  });

  it('learns nothing from how often a set fails: only sessions of one set are compared', () => {
    const easy = samples({ passed: 38, failed: 2 }, { domain: 'shop', set: 'good, shop' });
    const hard = samples({ passed: 2, failed: 38 }, { domain: 'shop', set: 'bad, shop', rule: RULE });
    const { weights } = fitRisk([...easy, ...hard], OPTIONS);
    expect(weights[RULE]).toBeLessThan(PRIOR_WEIGHTS.medium + 0.25);
  });

  it('leaves out rules that spoke in too few sessions', () => {
    expect(fitRisk([...domain('shop', true).slice(16)], OPTIONS).weights).toEqual({});
  });

  it('raises the risk with the length of a conversation where long ones fail', () => {
    const long = samples({ passed: 5, failed: 15 }, { length: 8000 });
    const short = samples({ passed: 15, failed: 5 }, { length: 500 });
    const fitted = fitRisk([...long, ...short], OPTIONS);
    expect(fitted.length.weight).toBeGreaterThan(0.2);
    expect(fitted.length.centre).toBeCloseTo((1 + Math.log2(17)) / 2, 2);
    expect(
      fitRisk([...long.map((sample) => ({ ...sample, failed: !sample.failed })), ...short], OPTIONS).length.weight,
    ).toBe(0);
  });

  it('learns how much the disagreement of other attempts says; a session without any is like the average one', () => {
    const agreed = samples({ passed: 18, failed: 2 }, { agreement: { others: 3, share: 1 } });
    const alone = samples({ passed: 4, failed: 16 }, { agreement: { others: 3, share: 0 } });
    const fitted = fitRisk([...agreed, ...alone], OPTIONS);
    const risk = (agreement: RiskSample['agreement']) => riskOf({ findings: [], length: 500, agreement }, fitted);
    expect(risk({ others: 3, share: 1 })).toBeLessThan(0.25);
    expect(risk({ others: 3, share: 0 })).toBeGreaterThan(0.7);
    expect(risk({ others: 1, share: 0 })).toBeLessThan(risk({ others: 3, share: 0 }));
    expect(risk(null)).toBeGreaterThan(0.35);
    expect(risk(null)).toBeLessThan(0.65);
  });

  it('calls half of the sessions low and one in five high, or thirds of the scale where it is a probability', () => {
    const all = Array.from({ length: 10 }, (_, i) =>
      samples({ passed: 10 - i, failed: i }, { length: 500 * 2 ** i }),
    ).flat();
    const { levels, ...fitted } = fitRisk(all, OPTIONS);
    const risks = all.map((sample) => riskOf(sample, fitted));
    expect(risks.filter((risk) => risk >= levels.elevated - 0.001)).toHaveLength(50);
    expect(risks.filter((risk) => risk >= levels.high - 0.001)).toHaveLength(20);
    expect(fitRisk(all, { ...OPTIONS, isProbability: true })).toMatchObject({
      isProbability: true,
      levels: { elevated: 1 / 3, high: 2 / 3 },
    });
  });

  it('starts from given coefficients and stays near them with little data', () => {
    const prior: RiskCoefficients = {
      fittedOn: 'before',
      isProbability: false,
      intercept: 0,
      length: { weight: 0.5, centre: 3 },
      agreement: { weight: 0.9, centre: 1 },
      weights: { [RULE]: 2, 'repeated-call': 0.9 },
      levels: { elevated: 0.3, high: 0.6 },
    };
    const fitted = fitRisk(domain('shop', true, 8), { ...OPTIONS, prior });
    expect(fitted.weights[RULE]).toBeCloseTo(2, 0);
    expect(fitted).toMatchObject({ length: prior.length, agreement: prior.agreement });
    expect(fitted.weights).toMatchObject({ 'repeated-call': 0.9 });
  });
});

describe('crossValidate', () => {
  const place = { domain: 'bank', set: 'agent, bank' };
  const all = [...domain('shop', true), ...domain('bank', true).map((sample) => ({ ...sample, family: 'other' }))];

  it('scores each session by coefficients that know nothing of its group', () => {
    const held = crossValidate(all, (sample) => sample.domain, OPTIONS);
    expect(held).toHaveLength(all.length);
    const shop = fitRisk(
      all.filter((sample) => sample.domain === 'shop'),
      OPTIONS,
    );
    for (const { sample, risk, coefficients } of held.filter((item) => item.sample.domain === 'bank')) {
      expect(coefficients).toEqual(shop);
      expect(risk).toBe(riskOf(sample, shop));
    }
  });

  it('does not fit on the family of a session that is left out', () => {
    const twins = samples({ passed: 1, failed: 1 }, { ...place, set: 'twin, bank', family: 'task' });
    const held = crossValidate([...all, ...twins], (sample) => sample.set, OPTIONS);
    const [twin] = held.filter(({ sample }) => sample.set === 'twin, bank');
    const unrelated = all.filter((sample) => sample.family === 'other');
    expect(twin?.coefficients).toEqual(fitRisk(unrelated, OPTIONS));
  });

  it('tests no group without others', () => {
    expect(crossValidate(domain('shop', true), (sample) => sample.domain, OPTIONS)).toEqual([]);
  });
});
