import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { MetricOutcome, Result } from '../../../../src/core/result.ts';
import type { ToolStep, Turn } from '../../../../src/core/session.ts';
import { type FindingLevel, LEVELS } from '../../../../src/core/severity.ts';
import { lexicalEmbedder } from '../../../../src/embed/lexical.ts';
import { sessionRisk } from '../../../../src/metrics/session/session-risk.ts';
import { RISK_COEFFICIENTS } from '../../../../src/metrics/shared/risk-coefficients.ts';
import { conversationLength, riskOf } from '../../../../src/metrics/shared/risk-model.ts';
import { RULES } from '../../../../src/rules/index.ts';
import { coefficientsOf } from '../../../support/risk-coefficients.ts';
import { resultOf, scored, sessionOf, sessionView, unscored, type ViewOptions } from '../views.ts';

const NOTHING = resultOf(
  { status: 'scored', score: 0, source: 'rules', reason: 'Nothing found.' },
  { scale: 'unit', threshold: null },
);

function finding(rule: string, severity: FindingLevel = 'medium', turn = 0): Finding {
  const evidence = [{ pointer: `/${rule}/${turn}`, note: '' }];
  return { rule, severity, label: null, turn, message: `${rule} spoke.`, evidence };
}

function evaluate(findings: readonly Finding[], results: ViewOptions['results'] = {}, options: ViewOptions = {}) {
  const view = sessionView(sessionOf([{}, {}]), { results: { turn_risk: [NOTHING, NOTHING], ...results }, ...options });
  return Promise.resolve(sessionRisk.evaluate({ ...view, findings }, {}));
}

async function score(...args: Parameters<typeof evaluate>): Promise<number> {
  return scoreOf(await evaluate(...args));
}

function scoreOf(outcome: MetricOutcome): number {
  if (!('score' in outcome)) throw new Error(`It is ${outcome.status}.`);
  return outcome.score;
}

function termsOf({ metadata }: MetricOutcome): { adds: number }[] {
  const terms = metadata?.terms;
  if (!Array.isArray(terms)) throw new Error('It has no terms.');
  return terms;
}

describe('session_risk', () => {
  it('is the risk of a conversation of its length without findings, and says so', async () => {
    const outcome = await evaluate([]);
    const length = conversationLength(sessionOf([{}, {}]));
    expect(scoreOf(outcome)).toBeCloseTo(riskOf({ findings: [], length, agreement: null }, RISK_COEFFICIENTS), 4);
    expect(outcome).toMatchObject({
      status: 'scored',
      source: 'rules',
      reason: `Nothing found. Ranked by the length of the conversation alone: ${length} characters.`,
      evidence: [],
      metadata: {
        level: 'low',
        isProbability: false,
        length,
        terms: [],
        calibrated: true,
        fittedOn: RISK_COEFFICIENTS.fittedOn,
      },
    });
  });

  it('rises with the length of the conversation', async () => {
    const longer = sessionView(sessionOf([{}, { output: 'word '.repeat(2000) }]), {
      results: { turn_risk: [NOTHING, NOTHING] },
    });
    const outcome = await sessionRisk.evaluate(longer, {});
    expect(scoreOf(outcome)).toBeGreaterThan(await score([]));
    expect(outcome.metadata?.level).not.toBe('low');
  });

  it('is unknown if one message and one answer are all there is, and nothing was found in them', async () => {
    const once = (findings: readonly Finding[], change: Partial<Turn> = {}) => {
      const view = sessionView(sessionOf([change]), { results: { turn_risk: [NOTHING] } });
      return sessionRisk.evaluate({ ...view, findings }, {});
    };
    expect(await once([])).toEqual({
      status: 'not_applicable',
      reason: 'The session has no tool call and one message of the user, and nothing was found: its risk is unknown.',
    });
    expect(await once([finding('seen', 'info')])).toMatchObject({ status: 'not_applicable' });
    expect(await once([finding('grave', 'critical')])).toMatchObject({ status: 'scored', metadata: { level: 'high' } });
    const call: ToolStep = {
      type: 'tool',
      pointer: '/0',
      name: 'get',
      arguments: {},
      outcome: 'ok',
      requestedBy: 'agent',
    };
    expect(await once([], { steps: [call] })).toMatchObject({ status: 'scored' });
  });

  it("names the heaviest rule and each rule's share; the parts sum to the risk", async () => {
    const outcome = await evaluate([finding('small', 'low'), finding('grave', 'high'), finding('small', 'low', 1)]);
    expect(outcome).toMatchObject({
      reason: 'grave spoke.',
      evidence: [{ pointer: '/grave/0' }, { pointer: '/small/0' }, { pointer: '/small/1' }],
      metadata: {
        terms: [
          { rule: 'grave', count: 1, because: 'grave spoke.', calibrated: false },
          { rule: 'small', count: 2, because: 'small spoke. And 1 more like it.', calibrated: false },
        ],
      },
    });
    const adds = termsOf(outcome).reduce((sum, term) => sum + term.adds, 0);
    expect(Number(outcome.metadata?.base) + adds).toBeCloseTo(scoreOf(outcome), 9);
  });

  it('says that findings are harmless if they add no risk', async () => {
    const outcome = await evaluate([finding('seen', 'info')]);
    expect(scoreOf(outcome)).toBe(await score([]));
    expect(outcome.reason).toContain('The findings do not indicate failure. Ranked by the length');
    expect(outcome.evidence).toEqual([]);
  });

  it('does not count an observation as a problem', async () => {
    const [rule = ''] = Object.keys(RISK_COEFFICIENTS.weights);
    const observed = await evaluate([finding(rule, 'info')]);
    expect(observed.reason).toBe(`No problem was found. The heaviest observation: ${rule} spoke.`);
    expect((await evaluate([finding(rule, 'info'), finding('new', 'low')])).reason).toBe(`${rule} spoke.`);
    expect((await evaluate([finding(rule, 'info')], { confidence: [scored(0.99)] })).reason).toBe(`${rule} spoke.`);
  });

  it('marks weights calibrated on labelled data', async () => {
    const [rule] = Object.keys(RISK_COEFFICIENTS.weights);
    expect(rule).toBeDefined();
    const outcome = await evaluate([finding(rule ?? '')]);
    expect(outcome).toMatchObject({ metadata: { terms: [{ rule, calibrated: true }] } });
  });

  it('is high if there is a critical finding', async () => {
    expect(await score([finding('new', 'critical')])).toBeGreaterThan(0.85);
  });

  it('uses the lowest score of each signal, except those from rules and the lexical embedder', async () => {
    const lowest = await evaluate([finding('small', 'low')], { confidence: [scored(0.9), scored(0.2)] });
    expect(lowest).toMatchObject({
      source: 'aggregate',
      reason: 'confidence is 0.2.',
      metadata: { terms: [{ signal: 'confidence', score: 0.2, calibrated: false }, { rule: 'small' }] },
    });
    const loops: readonly Result[] = [scored(0.1, 'embedding')];
    expect(await score([], { loop_detection: loops })).toBeGreaterThan(await score([]));
    expect(await score([], { loop_detection: loops }, { embedder: lexicalEmbedder() })).toBe(await score([]));
    const byRules = resultOf(
      { status: 'scored', score: 0, source: 'rules', reason: null },
      { scale: 'unit', threshold: null },
    );
    expect(await score([], { tool_correctness: [byRules] })).toBe(await score([]));
  });

  it('is near 1 if a judge says that the goal was missed, and not lower if it was reached', async () => {
    const goal = (value: number) => ({
      result: (name: string) => (name === 'goal_completion' ? scored(value) : undefined),
    });
    const view = sessionView(sessionOf([{}]), { results: { turn_risk: [NOTHING] } });
    const risk = async (value: number) =>
      scoreOf(await sessionRisk.evaluate({ ...view, findings: [], ...goal(value) }, {}));
    expect(await risk(0)).toBeGreaterThan(0.85);
    const length = conversationLength(sessionOf([{}]));
    expect(await risk(1)).toBeCloseTo(riskOf({ findings: [], length, agreement: null }, RISK_COEFFICIENTS), 4);
  });

  it('counts failure labels from a judge like findings of one rule', async () => {
    const failing = resultOf(
      {
        status: 'scored',
        label: 'repetition',
        labels: ['repetition'],
        source: 'judge',
        reason: null,
        failures: [{ label: 'repetition', reason: 'Said twice.', evidence: [] }],
      },
      { scale: 'label', threshold: null },
    );
    const once = await score([], { agent_behavior_failure: [failing] });
    const twice = await score([], { agent_behavior_failure: [failing, failing] });
    expect(once).toBe(await score([finding('new', 'low')]));
    expect(twice).toBe(await score([finding('new', 'low'), finding('new', 'low', 1)]));
  });

  it('uses the weights of the project, and says what they were fitted on', async () => {
    const risk = coefficientsOf({ weights: { new: 1 } });
    const view = sessionView(sessionOf([{}]), { results: { turn_risk: [NOTHING] } });
    const outcome = await sessionRisk.evaluate({ ...view, risk, findings: [finding('new', 'low')] }, {});
    expect(scoreOf(outcome)).toBeCloseTo(1 / (1 + Math.exp(-1)), 4);
    expect(outcome).toMatchObject({ metadata: { base: 0.5, fittedOn: 'sessions of the project' } });
  });

  it('has no score if no turn has a risk', async () => {
    const none = (turn_risk: readonly Result[]) => evaluate([], { turn_risk });
    expect(await none([])).toMatchObject({ status: 'not_applicable' });
    expect(await none([unscored('not_applicable')])).toMatchObject({ status: 'not_applicable' });
    expect(await none([unscored('needs_judge')])).toMatchObject({ status: 'needs_judge' });
  });

  it('is the risk of the findings in a session without turns', async () => {
    const outcome = await evaluate([finding('stopped-early', 'high')], { turn_risk: [] });
    expect(outcome).toMatchObject({ status: 'scored', reason: 'stopped-early spoke.' });
  });

  it('is never lowered by a finding or by a lower signal', async () => {
    const some = fc.record({
      severity: fc.constantFrom(...LEVELS),
      rule: fc.constantFrom('new', ...RULES.map(({ id }) => id)),
    });
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(some), some, unit, unit, async (drawn, more, confidence, lower) => {
        const findings = drawn.map(({ severity, rule }) => finding(rule, severity));
        const signal = (value: number) => ({ confidence: [scored(value)] });
        const before = await score(findings, signal(confidence));
        expect(
          await score([...findings, finding(more.rule, more.severity)], signal(confidence)),
        ).toBeGreaterThanOrEqual(before);
        expect(await score(findings, signal(confidence * lower))).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});
