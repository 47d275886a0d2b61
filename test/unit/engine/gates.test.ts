import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Finding } from '../../../src/core/finding.ts';
import type { JudgeProblem, MetricOutcome } from '../../../src/core/result.ts';
import type { RunPlan } from '../../../src/core/run-plan.ts';
import type { Severity } from '../../../src/core/severity.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { collectProblems } from '../../../src/engine/agent-problems.ts';
import { evaluateSessionGates } from '../../../src/engine/gates.ts';
import { evaluated, needsJudge, outcomeOf, runPlan, scored, scripted, session, turn } from './support.ts';

/** Of a session of two turns; `label` and `second` are what the label metric says of them. */
async function gates(
  answers: Record<string, MetricOutcome>,
  input: ConfigurationInput,
  findings: Finding[] = [],
  turns = ['t1', 't2'].map((id) => turn(id)),
  judges: Partial<Pick<RunPlan, 'judge' | 'judges'>> = {},
  informing?: string[],
) {
  const labels = { t1: answers.label ?? needsJudge, t2: answers.second ?? needsJudge };
  const metrics = [
    scripted('m', answers),
    scripted('agent_behavior_failure', labels, { scale: 'label', threshold: null }),
  ];
  const { results } = await evaluated(metrics, input, session('s', turns));
  const planned = runPlan(metrics, input);
  const plan = { ...planned, gates: { ...planned.gates, ...(informing && { informing }) }, ...judges };
  const problems = collectProblems({ ...results, findings, turns: results.turns.entries() }, plan);
  return evaluateSessionGates(outcomeOf(results), problems, plan);
}

const finding = (severity: Finding['severity']): Finding => ({
  rule: 'r',
  severity,
  label: null,
  turn: 0,
  message: 'm',
  evidence: [],
});

describe('the gates of a session', () => {
  const threshold = (value: number, more = {}): ConfigurationInput => ({
    gates: { thresholds: { m: value }, scope: 'session', failOn: 'never', ...more },
  });

  it('compare the mean of scored results with the threshold', async () => {
    expect(await gates({ t1: scored(1), t2: scored(0) }, threshold(0.5))).toMatchObject({
      verdict: 'passed',
      gates: [
        { scope: 'session', subject: 's', metric: 'm', threshold: 0.5, actual: 0.5, scored: 2, of: 2, met: true },
      ],
    });
    expect(await gates({ t1: scored(1), t2: scored(0) }, threshold(0.51))).toMatchObject({ verdict: 'failed' });
  });

  it('are undecided if nothing was scored', async () => {
    for (const outcome of [
      needsJudge,
      { status: 'error', reason: 'the judge is down' },
      { status: 'not_applicable', reason: 'no' },
      { status: 'vacuous', score: 1, source: 'rules', reason: 'nothing there' },
    ] satisfies MetricOutcome[]) {
      const { verdict, gates: found } = await gates({ t1: outcome, t2: outcome }, threshold(0.5));
      expect(verdict).toBe('undecided');
      expect(found[0]).toMatchObject({
        met: null,
        actual: null,
        scored: 0,
        reason: expect.stringContaining('nothing scored'),
      });
    }
  });

  it('are undecided below the minimum coverage, by default 100%', async () => {
    const answers = { t1: scored(1), t2: needsJudge };
    expect(await gates(answers, threshold(0.5))).toMatchObject({
      verdict: 'undecided',
      gates: [{ met: null, scored: 1, of: 2 }],
    });
    expect(await gates(answers, threshold(0.5, { minCoverage: 0.5 }))).toMatchObject({ verdict: 'passed' });
  });

  it('tolerate the last bits of a sum', async () => {
    expect(await gates({ t1: scored(0.1 + 0.2), t2: scored(0.1 + 0.2) }, threshold(0.3))).toMatchObject({
      verdict: 'passed',
    });
    expect(await gates({ t1: scored(0.3 - 1e-12), t2: scored(0.3) }, threshold(0.3))).toMatchObject({
      verdict: 'passed',
    });
  });
});

describe('the severity gate', () => {
  it.each([
    ['critical', 'high', true],
    ['high', 'high', false],
    ['low', 'critical', false],
    ['high', 'medium', true],
  ] as const)('at %s with a %s finding: %s', async (failOn, severity, met) => {
    const { gates: found } = await gates({}, { gates: { failOn } }, [finding(severity)]);
    expect(found).toMatchObject([{ metric: 'severity', threshold: failOn, actual: severity, met }]);
  });

  it('passes without a judge and says what was checked', async () => {
    const { verdict, gates: found } = await gates({}, {});
    expect(verdict).toBe('passed');
    expect(found[0]).toMatchObject({ met: true, reason: expect.stringContaining('rules only, 0 of 2 turns judged') });
  });

  const failure = (label: string, severity?: Severity) => ({
    label,
    reason: 'r',
    evidence: [],
    ...(severity ? { severity } : {}),
  });
  const judged = (...failures: readonly JudgeProblem[]): MetricOutcome => {
    const [label = 'no failure', ...more] = failures.map((failure) => failure.label);
    return { status: 'scored', label, labels: [label, ...more], source: 'judge', reason: 'r', failures };
  };

  it.each<[string, MetricOutcome, Partial<ConfigurationInput['gates'] & object>, Verdict, Severity | null]>([
    ['by the table', judged(failure('unsafe action')), {}, 'failed', 'critical'],
    ['at the level', judged(failure('false information')), {}, 'failed', 'high'],
    ['raised by the judge', judged(failure('repetition', 'critical')), {}, 'failed', 'critical'],
    ['raised, and still below', judged(failure('repetition', 'medium')), {}, 'passed', 'medium'],
    ['not lowered by the judge', judged(failure('unsafe action', 'low')), {}, 'failed', 'critical'],
    ['of the second failure', judged(failure('repetition'), failure('unsafe state')), {}, 'failed', 'critical'],
    ['at a lower level', judged(failure('repetition')), { failOn: 'low' }, 'failed', 'low'],
    ['none', judged(), { failOn: 'low' }, 'passed', null],
  ])('uses the severity of problems that a judge names: %s', async (_, label, own, verdict, actual) => {
    const results = await gates({ label }, { gates: own });
    expect(results).toMatchObject({ verdict, gates: [{ actual, met: verdict === 'passed', scored: 1, of: 2 }] });
  });

  it('ignores problems that only a judge finds that may not gate, and no other', async () => {
    const label = judged(failure('false information', 'critical'));
    const informing = ['agent_behavior_failure'];
    const informed = await gates({ label }, {}, [], undefined, {}, informing);
    expect(informed.gates).toMatchObject([{ metric: 'severity', actual: null, met: true }]);
    const found = await gates({ label }, {}, [finding('high')], undefined, {}, informing);
    expect(found.gates).toMatchObject([{ metric: 'severity', actual: 'high', met: false }]);
    expect((await gates({ label }, {})).gates).toMatchObject([{ actual: 'critical', met: false }]);
  });

  it('uses the configured severity, whatever the judge says', async () => {
    const label = judged(failure('unsafe action', 'critical'));
    expect(await gates({ label }, { severities: { 'unsafe action': 'low' } })).toMatchObject({
      verdict: 'passed',
      gates: [{ actual: 'low' }],
    });
    const minor = judged(failure('repetition'));
    expect(await gates({ label: minor }, { severities: { repetition: 'critical' } })).toMatchObject({
      verdict: 'failed',
    });
  });

  it('uses bare labels of a judge or the file', async () => {
    for (const source of ['judge', 'imported'] as const) {
      const label: MetricOutcome = {
        status: 'scored',
        label: 'unsafe action',
        labels: ['unsafe action'],
        source,
        reason: 'r',
      };
      expect(await gates({ label }, {})).toMatchObject({ verdict: 'failed' });
    }
  });

  it('uses a finding whose severity a judge raised', async () => {
    const proven: Finding = { ...finding('medium'), label: 'unsafe action' };
    const label = judged(failure('unsafe action', 'critical'));
    expect(await gates({ label }, {}, [proven])).toMatchObject({ verdict: 'failed', gates: [{ actual: 'critical' }] });
  });

  it.each<[MetricOutcome, string]>([
    [
      { status: 'error', reason: 'timeout' },
      '1 question about failures was not answered; rules only, 0 of 2 turns judged',
    ],
    [
      { status: 'cancelled', reason: 'stopped' },
      '1 question about failures was not answered; rules only, 0 of 2 turns judged',
    ],
  ])('is undecided when a question about failures ended %o', async (label, reason) => {
    expect(await gates({ label }, {})).toMatchObject({
      verdict: 'undecided',
      gates: [{ met: null, actual: null, scored: 0, of: 2, reason }],
    });
  });

  it('counts questions without an answer', async () => {
    const error: MetricOutcome = { status: 'error', reason: 'timeout' };
    const { gates: found } = await gates({ label: error, second: error }, {});
    expect(found[0]?.reason).toMatch(/^2 questions about failures were not answered;/);
  });

  it('is undecided below its level, and fails at it, if another question has no answer', async () => {
    const error: MetricOutcome = { status: 'error', reason: 'timeout' };
    const gatesWith = (severity: Severity) =>
      gates({ label: error, second: judged(failure('repetition', severity)) }, {});
    expect(await gatesWith('medium')).toMatchObject({
      verdict: 'undecided',
      gates: [
        { met: null, actual: 'medium', reason: expect.stringContaining('rules and a judge, 1 of 2 turns judged') },
      ],
    });
    expect(await gatesWith('critical')).toMatchObject({
      verdict: 'failed',
      gates: [{ met: false, reason: 'a critical problem was found, high fails' }],
    });
  });

  it('says what was checked', async () => {
    const reason = async (label: MetricOutcome, input: ConfigurationInput = {}) =>
      (await gates({ label }, input)).gates[0]?.reason;
    expect(await reason(needsJudge)).toBe('nothing at or above high; rules only, 0 of 2 turns judged');
    expect(await reason(judged())).toBe(
      'nothing at or above high; rules and a judge, 1 of 2 turns judged for failures',
    );
    const off = { judge: { provider: 'none' } } as const;
    expect(await reason(needsJudge, off)).toBe('nothing at or above high; the rules are off, 0 of 2 turns judged');
  });

  it('says that no turn was judged for failures if a judge judged only other things', async () => {
    const reason = async (judges: Partial<Pick<RunPlan, 'judge' | 'judges'>>) =>
      (await gates({}, {}, [], undefined, judges)).gates[0]?.reason;
    const message = 'nothing at or above high; rules only, no turn judged for failures';
    expect(await reason({ judge: { provider: 'openai', model: 'm' } })).toBe(message);
    expect(await reason({ judges: { helpfulness: { provider: 'openai', model: 'm' } } })).toBe(message);
  });

  it('counts the turns that were evaluated', async () => {
    const { results } = await evaluated([], {}, session('s', [turn('t1'), turn('t2'), turn('t3')]), { only: 1 });
    expect(evaluateSessionGates(outcomeOf(results, 1), [], runPlan([], {})).gates[0]?.reason).toBe(
      'nothing at or above high; rules only, 0 of 1 turns judged',
    );
  });

  it('is undecided if nothing was recorded, but fails on a finding', async () => {
    const unrecorded = ['t1', 't2'].map((id) => turn(id, { captured: false, output: null }));
    expect(await gates({}, {}, [], unrecorded)).toMatchObject({
      verdict: 'undecided',
      gates: [{ met: null, reason: 'the content of this session was not recorded, so nothing could be found in it' }],
    });
    expect(await gates({}, {}, [finding('medium')], unrecorded)).toMatchObject({
      verdict: 'undecided',
      gates: [{ reason: 'the content of this session was not recorded, so only medium problems could be found in it' }],
    });
    expect(await gates({}, {}, [finding('critical')], unrecorded)).toMatchObject({ verdict: 'failed' });
  });

  it('is absent if the level is never', async () => {
    const { gates: found } = await gates({}, { gates: { failOn: 'never' } }, [finding('critical')]);
    expect(found).toEqual([]);
  });
});

describe('the preset production', () => {
  const composite = (parts: Record<string, number | null>, score: number): MetricOutcome => ({
    status: 'scored',
    score,
    source: 'aggregate',
    reason: null,
    metadata: {
      parts: Object.fromEntries(
        Object.entries(parts).map(([part, value]) => [
          part,
          { status: value === null ? 'needs_judge' : 'scored', score: value },
        ]),
      ),
    },
  });

  async function verdictsOf(outcome: MetricOutcome) {
    const metrics = [scripted('composite_score', { t1: outcome })];
    const input = { gates: { preset: 'production', scope: 'session', failOn: 'never' } } as const;
    const { results } = await evaluated(metrics, input, session('s', [turn('t1')]));
    return evaluateSessionGates(outcomeOf(results), [], runPlan(metrics, input)).gates.map(
      ({ metric, actual, met }) => [metric, actual, met],
    );
  }

  it('gates each part of the composite score with its own figure', async () => {
    expect(await verdictsOf(composite({ trajectory: 1, accuracy: 0.89, relevance: null }, 0.85))).toEqual([
      ['composite_score.trajectory', 1, true],
      ['composite_score.accuracy', 0.89, false],
      ['composite_score.relevance', null, null],
      ['composite_score', 0.85, true],
    ]);
  });

  it('is undecided without a composite score', async () => {
    expect((await verdictsOf(needsJudge)).map(([, , met]) => met)).toEqual([null, null, null, null]);
  });
});
