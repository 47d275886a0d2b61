import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { Turn } from '../../../../src/core/session.ts';
import { type FailureLabel, NO_FAILURE, SEVERITIES, type Severity } from '../../../../src/core/severity.ts';
import type { BoundJudge } from '../../../../src/metrics/metric.ts';
import { agentBehaviorFailure } from '../../../../src/metrics/turn/agent-behavior-failure.ts';
import { toolCallBehaviorFailure } from '../../../../src/metrics/turn/tool-call-behavior-failure.ts';
import { ANY_IDS } from '../../judge/support.ts';
import { toolCall } from '../calls.ts';
import { judgeTurn, type ScriptOptions } from '../judge-script.ts';
import { sessionOf, turnView } from '../views.ts';

const TURN: Partial<Turn> = {
  inputPointer: '/turns/0/input',
  outputPointer: '/turns/0/output',
  steps: [toolCall('get_order', {}, { pointer: '/turns/0/steps/0', result: 'lost', resultPointer: '/turns/0/r' })],
};

interface Named {
  readonly evidence: readonly string[];
  readonly reason: string;
  readonly label: string;
  readonly severity?: Severity | null;
}

function named(label: string, own: Partial<Named> = {}): Named {
  return { evidence: ['t1.answer'], reason: `It shows ${label}.`, label, severity: null, ...own };
}

function finding(label: FailureLabel, severity: Severity = 'medium'): Finding {
  const evidence = [{ pointer: `/${label}`, note: label }];
  return { rule: `rule of ${label}`, severity, label, turn: 0, message: `It was ${label}.`, evidence };
}

/** Answers with these failures as a model gives them. */
function answering(labels: readonly string[]): BoundJudge {
  return {
    async ask(question) {
      const value = question.answer(ANY_IDS).parse({ failures: labels.map((label) => named(label)) });
      const cite = (ids: readonly string[]) => ids.map((id) => ({ pointer: `/${id}`, note: id }));
      return { status: 'answered', values: [value], facts: {}, judge: 'openai/m', cite };
    },
  };
}

type Usual = readonly (readonly [FailureLabel, Severity])[];

const OF_AGENTS: Usual = [
  ['unsafe action', 'critical'],
  ['unsafe state', 'critical'],
  ['false information', 'high'],
  ['disobey user request', 'high'],
  ['lack of specific information', 'medium'],
  ['failure to ask for clarification', 'medium'],
  ['repetition', 'low'],
];
const OF_TOOLS: Usual = [
  ['wrong tool', 'high'],
  ['wrong arguments', 'high'],
  ['ignored tool result', 'high'],
  ['missing tool call', 'medium'],
  ['unnecessary tool call', 'medium'],
  ['repeated tool call', 'low'],
];

describe.each([
  { metric: agentBehaviorFailure, usual: OF_AGENTS, foreign: 'wrong tool' },
  { metric: toolCallBehaviorFailure, usual: OF_TOOLS, foreign: 'repetition' },
] as const)('$metric.name with a judge', ({ metric, usual, foreign }) => {
  const family = usual.map(([label]) => label);
  const [first = foreign, second = foreign, third = foreign] = family;
  const runMetric = (failures: unknown, own: ScriptOptions = {}) =>
    judgeTurn(metric, TURN, { [metric.name]: failures }, own);
  const evaluateWith = (...failures: readonly Named[]) => runMetric({ failures });

  it('is "no failure" if the judge names none', async () => {
    const { result, calls } = await evaluateWith();
    expect(result).toMatchObject({
      status: 'scored',
      score: null,
      label: NO_FAILURE,
      labels: [NO_FAILURE],
      failures: [],
      source: 'judge',
      judge: 'openai/m',
      reason: 'The judge names no failure.',
      evidence: [],
    });
    expect(result.metadata).toEqual({});
    expect(calls).toEqual([[metric.name]]);
  });

  it.each(family)('accepts the label %s, with its evidence', async (label) => {
    const { result } = await evaluateWith(named(label, { evidence: ['t1.result1', 't1.answer'] }));
    const evidence = [{ pointer: '/turns/0/r' }, { pointer: '/turns/0/output' }];
    expect(result).toMatchObject({
      label,
      labels: [label],
      passed: null,
      failures: [{ label, reason: `It shows ${label}.`, evidence }],
      reason: `${label}: It shows ${label}.`,
      evidence,
    });
    expect(result.failures?.[0]).not.toHaveProperty('severity');
  });

  it('names the most severe first, each with its own evidence', async () => {
    const { result } = await evaluateWith(named(third), named(first, { evidence: ['t1.user'] }), named(second));
    expect(result).toMatchObject({ label: first, labels: [first, second, third] });
    expect(result.failures?.map(({ label }) => label)).toEqual([first, second, third]);
    expect(result.failures?.[0]?.evidence).toMatchObject([{ pointer: '/turns/0/input' }]);
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/input', '/turns/0/output']);
  });

  it('merges failures with the same label', async () => {
    const { result } = await evaluateWith(
      named(second, { reason: 'It says 72', severity: 'critical' }),
      named(second, { reason: 'It says 8 pm.', evidence: ['t1.user', 't1.answer'] }),
    );
    expect(result).toMatchObject({
      labels: [second],
      reason: `${second}: It says 72. It says 8 pm.`,
      evidence: [{ pointer: '/turns/0/output' }, { pointer: '/turns/0/input' }],
    });
    expect(result.failures).toHaveLength(1);
  });

  it.each(usual.flatMap(([label, severity]) => SEVERITIES.map((details) => [label, severity, details] as const)))(
    'allows a judge to raise the severity of %s (%s) but not to lower it: %s',
    async (label, severity, details) => {
      const { result } = await evaluateWith(named(label, { severity: details }));
      const isWorse = SEVERITIES.indexOf(details) > SEVERITIES.indexOf(severity);
      expect(result.failures).toHaveLength(1);
      expect(result.failures?.[0]?.severity).toBe(isWorse ? details : undefined);
    },
  );

  it.each<[string, unknown]>([
    ['a label of the other family', { failures: [named(foreign)] }],
    ['"no failure" as a failure', { failures: [named(NO_FAILURE)] }],
    ['an unknown label', { failures: [named('rudeness')] }],
    ['a severity that there is not', { failures: [{ ...named(first), severity: 'severe' }] }],
    ['a failure without evidence', { failures: [named(first, { evidence: [] })] }],
    ['an id that was not shown', { failures: [named(first, { evidence: ['t9.answer'] })] }],
    ['a failure without a reason', { failures: [{ ...named(first), reason: undefined }] }],
    ['no list', {}],
  ])('asks again once for %s, then fails', async (_, wrong) => {
    const corrected = await runMetric([wrong, { failures: [named(second)] }]);
    expect(corrected.result).toMatchObject({ status: 'scored', label: second });
    expect(corrected.calls).toHaveLength(2);
    const failed = await runMetric(wrong);
    expect(failed.result).toMatchObject({ status: 'error', label: null, labels: [] });
    expect(failed.calls).toHaveLength(2);
  });

  it('uses the usual severity if it is missing', async () => {
    const { severity: _, ...rest } = named(first);
    expect((await runMetric({ failures: [rest] })).result).toMatchObject({ status: 'scored', label: first });
  });

  describe('combined with rule findings', () => {
    it('has the labels of both, with their sources', async () => {
      const { result } = await runMetric({ failures: [named(first)] }, { findings: [finding(second)] });
      expect(result).toMatchObject({
        label: first,
        labels: [first, second],
        source: 'judge',
        failures: [{ label: first }],
        reason: `Proven by rules: It was ${second}. Named by the judge: ${first}: It shows ${first}.`,
        metadata: { rules: [`rule of ${second}`], judged: [first] },
      });
      expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/output', `/${second}`]);
    });

    it('keeps a proven label if the judge names no failure', async () => {
      const { result, shown: prompt } = await runMetric({ failures: [] }, { findings: [finding(second)] });
      expect(result).toMatchObject({
        label: second,
        labels: [second],
        failures: [],
        reason: `Proven by rules: It was ${second}. The judge names no others.`,
        metadata: { rules: [`rule of ${second}`], judged: [] },
        evidence: [{ pointer: `/${second}` }],
      });
      expect(prompt).toContain('[t1.finding1]');
    });

    it('lists a failure once if a rule proved it and the judge repeats it', async () => {
      const { result } = await runMetric({ failures: [named(second)] }, { findings: [finding(second)] });
      expect(result).toMatchObject({
        labels: [second],
        failures: [],
        reason: `Proven by rules: It was ${second}. Named by the judge: ${second}: It shows ${second}.`,
        metadata: { judged: [second] },
      });
      expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/output', `/${second}`]);
    });

    it('lists it twice if the judge says that it is worse than the rule does', async () => {
      const worse = { failures: [named(second, { severity: 'critical' })] };
      expect((await runMetric(worse, { findings: [finding(second)] })).result).toMatchObject({
        labels: [second],
        failures: [{ label: second, severity: 'critical' }],
      });
      expect((await runMetric(worse, { findings: [finding(second, 'critical')] })).result).toMatchObject({
        labels: [second],
        failures: [],
      });
    });

    it('does not go below the usual severity, even if the rule gives less', async () => {
      const [label = first] = usual.flatMap(([failureLabel, severity]) => (severity === 'high' ? failureLabel : []));
      const details = (severity: Severity) =>
        runMetric({ failures: [named(label, { severity })] }, { findings: [finding(label, 'low')] });
      expect((await details('medium')).result.failures).toEqual([]);
      expect((await details('high')).result.failures).toMatchObject([{ label, severity: 'high' }]);
    });

    it('ignores findings of the other family and findings without a label', async () => {
      const findings = [finding(foreign), { ...finding(foreign), label: null }];
      const { result } = await runMetric({ failures: [] }, { findings });
      expect(result).toMatchObject({ labels: [NO_FAILURE], reason: 'The judge names no failure.' });
      expect(result.metadata).toEqual({});
    });

    it('is an error with the proven findings if the judge does not answer', async () => {
      const { result } = await runMetric({}, { findings: [finding(first)] });
      expect(result).toMatchObject({
        status: 'error',
        labels: [],
        metadata: { rules: [`rule of ${first}`] },
        evidence: [{ pointer: `/${first}` }],
      });
      expect(result.reason).toMatch(new RegExp(`Proven by rules: It was ${first}\\.$`));
    });

    it('asks nothing if there is nothing to judge', async () => {
      const blank = { input: 'Bye!', output: null, steps: [] };
      const { result, calls } = await judgeTurn(metric, blank, {}, { findings: [finding(first)] });
      expect(result).toMatchObject({ label: first, source: 'rules' });
      expect(calls).toEqual([]);
    });
  });

  describe('with several samples', () => {
    const sampled = (...samples: readonly (readonly Named[])[]) =>
      runMetric(
        samples.map((failures) => ({ failures })),
        { settings: { samples: samples.length } },
      );

    it.each<[string, readonly (readonly string[])[], readonly string[]]>([
      ['what most of them name', [[first], [first, third], [second, third]], [first, third]],
      ['nothing where half of them name it', [[first], []], [NO_FAILURE]],
      ['nothing where they name nothing', [[], [], []], [NO_FAILURE]],
      ['nothing where each names another', [[first], [second], [third]], [NO_FAILURE]],
    ])('has %s', async (_, samples, labels) => {
      const { result } = await sampled(...samples.map((sample) => sample.map((label) => named(label))));
      expect(result).toMatchObject({
        label: labels[0],
        labels,
        metadata: { samples: samples.map(([label]) => label ?? NO_FAILURE) },
      });
      const votes = family.flatMap((label) => {
        const count = samples.filter((sample) => sample.includes(label)).length;
        return count === 0 ? [] : [[label, count] as const];
      });
      expect(result.metadata.votes).toEqual(Object.fromEntries(votes));
    });

    it('uses the reason of a sample of median severity', async () => {
      const last = family.at(-1) ?? foreign;
      const { result } = await sampled(
        [named(last, { severity: 'critical', reason: 'Ruinous.' })],
        [named(last, { reason: 'Bad.' })],
        [named(last, { severity: 'high', reason: 'Worse.', evidence: ['t1.user'] })],
      );
      expect(result.failures).toMatchObject([
        { reason: 'Worse.', severity: 'high', evidence: [{ pointer: '/turns/0/input' }] },
      ]);
    });
  });

  it('has the sorted union of proven and named labels', async () => {
    const labels = fc.subarray(family);
    await fc.assert(
      fc.asyncProperty(labels, labels, async (proven, judged) => {
        const findings = proven.toReversed().map((label) => finding(label));
        const view = { ...turnView(sessionOf([TURN]), 0, { judge: answering(judged) }), findings };
        const union = family.filter((label) => proven.includes(label) || judged.includes(label));
        expect(await metric.evaluate(view, {})).toMatchObject({
          labels: union.length === 0 ? [NO_FAILURE] : union,
          failures: family
            .filter((label) => judged.includes(label) && !proven.includes(label))
            .map((label) => ({ label })),
        });
      }),
    );
  });
});
