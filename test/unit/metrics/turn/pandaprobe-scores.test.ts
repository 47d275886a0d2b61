import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { Session, Turn } from '../../../../src/core/session.ts';
import type { FindingLevel } from '../../../../src/core/severity.ts';
import type { TurnMetric } from '../../../../src/metrics/metric.ts';
import { confidence } from '../../../../src/metrics/turn/confidence.ts';
import { stepEfficiency } from '../../../../src/metrics/turn/step-efficiency.ts';
import { taskCompletion } from '../../../../src/metrics/turn/task-completion.ts';
import { toolCorrectness } from '../../../../src/metrics/turn/tool-correctness.ts';
import { toolCall } from '../calls.ts';
import { judgeTurn, type ScriptedAnswers, type ScriptOptions } from '../judge-script.ts';
import { sessionOf, turnOf } from '../views.ts';

const REFUND: Turn = turnOf(0, {
  input: 'Refund A-17, 30 EUR.',
  inputPointer: '/turns/0/input',
  output: 'I refunded 30 EUR.',
  outputPointer: '/turns/0/output',
  steps: [
    toolCall('get_order', { id: 'A-17' }, { pointer: '/turns/0/steps/0', result: { total: 30 } }),
    toolCall(
      'refund_order',
      { id: 'A-17', amount: 30 },
      { pointer: '/turns/0/steps/1', resultPointer: '/turns/0/steps/1/result', result: { refunded: 30 } },
    ),
  ],
});
const TOOLS = [{ name: 'get_order', description: 'Looks an order up.' }, { name: 'refund_order' }];
const SESSION: Session = sessionOf([REFUND], { tools: TOOLS });

const TASK = { evidence: ['t1.result2'], task: 'Refund 30 EUR of A-17.', outcome: 'The result shows 30 refunded.' };
const RESULT = { pointer: '/turns/0/steps/1/result', note: 'the result of refund_order in turn 1' };

interface Row {
  readonly metric: TurnMetric;
  readonly facts: ScriptedAnswers;
  /** An answer with a score. */
  readonly answer: (score: unknown) => object;
  readonly asked: readonly string[];
  readonly metadata: object;
}

const graded = (score: unknown) => ({ evidence: ['t1.result2'], reason: 'It was refunded.', score });

const ROWS: readonly Row[] = [
  {
    metric: taskCompletion,
    facts: { task: TASK },
    answer: (verdict) => ({ reason: 'It was refunded.', verdict }),
    asked: ['task', 'task_completion'],
    metadata: { task: TASK.task, outcome: TASK.outcome },
  },
  {
    metric: toolCorrectness,
    facts: {},
    answer: graded,
    asked: ['tool_correctness'],
    metadata: {
      user_input: 'Refund A-17, 30 EUR.',
      tools_called: [
        { name: 'get_order', parameters: { id: 'A-17' } },
        { name: 'refund_order', parameters: { id: 'A-17', amount: 30 } },
      ],
      available_tools: [
        { name: 'get_order', description: 'Looks an order up.' },
        { name: 'refund_order', description: null },
      ],
    },
  },
  {
    metric: stepEfficiency,
    facts: { task: TASK },
    answer: graded,
    asked: ['task', 'step_efficiency'],
    metadata: { task: TASK.task },
  },
  { metric: confidence, facts: {}, answer: graded, asked: ['confidence'], metadata: {} },
];

function rowOf(metric: TurnMetric): Row {
  const row = ROWS.find((row) => row.metric === metric);
  if (!row) throw new Error(`There is no row for ${metric.name}.`);
  return row;
}

const BANDS: Readonly<Record<string, readonly (readonly [score: number, band: string])[]>> = {
  task_completion: [
    [1, 'complete'],
    [0.99, 'mostly complete'],
    [0.75, 'mostly complete'],
    [0.74, 'partially complete'],
    [0.49, 'significant gaps'],
    [0.24, 'not addressed'],
  ],
  confidence: [
    [1, 'fully confident'],
    [0.75, 'minor hesitation'],
    [0.5, 'noticeable indecision'],
    [0.25, 'significant uncertainty'],
    [0.1, 'completely uncertain'],
  ],
};

describe.each(ROWS.map((row) => [row.metric.name, row] as const))('%s with a judge', (name, row) => {
  const { metric, facts, answer } = row;
  const evaluate = (answers: unknown, own: ScriptOptions = {}) =>
    judgeTurn(metric, { session: SESSION, index: 0 }, { ...facts, [name]: answers }, own);

  it("is the judge's score with reason, cited locations and the metadata of the source", async () => {
    const { result, calls } = await evaluate(answer(0.8));
    expect(calls).toEqual([row.asked]);
    expect(result).toMatchObject({
      status: 'scored',
      score: 0.8,
      passed: true,
      source: 'judge',
      judge: 'openai/m',
      reason: 'It was refunded.',
    });
    expect(result.evidence).toEqual([RESULT]);
    expect(result.metadata).toEqual({ ...row.metadata, threshold: 0.5, success: true });
  });

  it('fails below the threshold, and says so in its metadata too', async () => {
    const { result } = await evaluate(answer(0.4));
    expect(result).toMatchObject({ score: 0.4, passed: false, metadata: { threshold: 0.5, success: false } });
  });

  it.each(BANDS[name] ?? [])('labels %d as %j', async (score, band) => {
    expect((await evaluate(answer(score))).result.band?.name).toBe(band);
  });

  it.each([
    ['above the scale', 1.1],
    ['below the scale', -0.1],
    ['in words', 'high'],
    ['null', null],
    ['missing', undefined],
  ])('asks again once about a score that is %s, then fails without a score', async (_, score) => {
    const { result, calls } = await evaluate(answer(score));
    expect(calls).toEqual([row.asked, [name]]);
    expect(result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(result.reason).toMatch(/does not fit/);
  });

  it('accepts a valid answer when it asks again', async () => {
    const { result, calls } = await evaluate([answer(7), answer(0.6)]);
    expect([calls.length, result.score]).toEqual([2, 0.6]);
  });

  it('is the mean of several samples', async () => {
    const { result } = await evaluate([answer(0.2), answer(0.4), answer(0.9)], { settings: { samples: 3 } });
    expect(result.score).toBeCloseTo(0.5, 9);
    expect(result.metadata.samples).toEqual([0.2, 0.4, 0.9]);
  });

  it('asks nothing if the agent did nothing and answered nothing', async () => {
    const { result, calls } = await judgeTurn(metric, { steps: [], output: null }, {});
    expect([result.status, calls]).toEqual(['not_applicable', []]);
  });

  it('asks nothing about a turn that was not recorded', async () => {
    const { result, calls } = await judgeTurn(metric, { ...REFUND, output: null, captured: false }, {});
    expect([result.status, calls]).toEqual(['not_applicable', []]);
  });
});

it.each(ROWS.filter(({ metric }) => metric !== confidence).map(({ metric }) => [metric.name, metric] as const))(
  '%s skips the judge without a request from the user',
  async (_, metric) => {
    const { result, calls } = await judgeTurn(metric, { ...REFUND, input: null }, {});
    expect([result.status, calls]).toEqual(['not_applicable', []]);
  },
);

function finding(rule: string, severity: FindingLevel, calls: readonly string[] = []): Finding {
  const evidence = [{ pointer: '/turns/0/steps/1', note: rule }];
  return { rule, severity, label: null, turn: 0, message: `It was ${rule}.`, evidence, calls };
}

const FIRST = ['/turns/0/steps/0'];

describe('findings', () => {
  it.each<[string, TurnMetric, Finding, number]>([
    ['task_completion', taskCompletion, finding('success-after-error', 'high'), 0.74],
    ['task_completion', taskCompletion, finding('tests-claimed-to-pass', 'high'), 0.74],
    ['task_completion', taskCompletion, finding('claim-without-call', 'medium'), 0.74],
    ['tool_correctness', toolCorrectness, finding('unknown-tool', 'high', FIRST), 0.5],
    ['step_efficiency', stepEfficiency, finding('repeated-call', 'low', FIRST), 2 / 3],
    ['confidence', confidence, finding('error-repeated-unchanged', 'medium', FIRST), 0.75],
  ])('cap %s, and the result says so', async (name, metric, actual, most) => {
    const { facts, answer } = rowOf(metric);
    const ask = (score: number) =>
      judgeTurn(
        metric,
        { session: SESSION, index: 0 },
        { ...facts, [name]: answer(score) },
        { findings: [actual, finding('no-answer', 'critical')] },
      );
    const { result, shown: prompt } = await ask(1);
    expect(result.score).toBeCloseTo(most, 9);
    expect(result).toMatchObject({
      status: 'scored',
      source: 'judge',
      reason: expect.stringMatching(/^It was refunded\. Capped at 0\.\d+ \(the judge gave 1\): It was /),
      metadata: { cap: { judged: 1, findings: [{ rule: actual.rule }] }, threshold: 0.5, success: true },
    });
    expect(result.evidence).toEqual([...actual.evidence, RESULT]);
    expect(prompt).toContain(`It was ${actual.rule}.`);

    const lower = (await ask(0.3)).result;
    expect(lower).toMatchObject({ score: 0.3, reason: 'It was refunded.' });
    expect(lower.metadata.cap).toBeUndefined();
  });

  it.each<[string, TurnMetric, Finding]>([
    ['an error that nothing made up for', taskCompletion, finding('unrecovered-error', 'info')],
    ['a rule that was made an observation', taskCompletion, finding('success-after-error', 'info')],
    ['a turn without an answer', taskCompletion, finding('no-answer', 'medium')],
    ['a wrong figure', taskCompletion, finding('misquoted-figure', 'medium')],
    ['words of doubt', confidence, finding('hedging', 'info')],
    ['something taken back', confidence, finding('self-contradiction', 'info')],
    ['a change of course', confidence, finding('abandoned-strategy', 'info')],
    ['a search that found nothing', stepEfficiency, finding('stalled-turn', 'info', FIRST)],
  ])('of %s cap nothing', async (_, metric, actual) => {
    const { facts, answer } = rowOf(metric);
    const { result } = await judgeTurn(
      metric,
      { session: SESSION, index: 0 },
      { ...facts, [metric.name]: answer(1) },
      { findings: [actual] },
    );
    expect(result).toMatchObject({ score: 1, reason: 'It was refunded.' });
  });

  it('cap confidence if they are configured as failures', async () => {
    const { result } = await judgeTurn(
      confidence,
      { session: SESSION, index: 0 },
      { confidence: graded(1) },
      { findings: [finding('hedging', 'low')] },
    );
    expect(result).toMatchObject({ score: 0.75, metadata: { cap: { most: 0.75, findings: [{ rule: 'hedging' }] } } });
  });
});

describe('tool_correctness', () => {
  it('shows the calls and the tools as recorded in the trace', async () => {
    const { shown: prompt } = await judgeTurn(
      toolCorrectness,
      { session: SESSION, index: 0 },
      { tool_correctness: graded(1) },
    );
    expect(prompt).toMatch(/\[t1\.call1\][\s\S]*get_order\(\{"id":"A-17"\}\)/);
    expect(prompt).toContain('get_order(): Looks an order up.');
    expect(prompt).toMatch(/\[t1\.user\][\s\S]*Refund A-17, 30 EUR\./);
  });

  it('is not applicable without tool calls and without tools', async () => {
    const { result, calls } = await judgeTurn(toolCorrectness, { output: 'Hello!' }, {});
    expect([result.status, calls]).toEqual(['not_applicable', []]);
  });

  it.each<[string, Session, number]>([
    ['tools were there', sessionOf([{}], { tools: TOOLS }), 0],
    ['the turn has tools of its own', sessionOf([{ tools: TOOLS }]), 0],
    ['a turn before it called one', sessionOf([REFUND, {}, {}, {}]), 3],
    [
      'a sub-agent was called',
      sessionOf([{ steps: [{ type: 'agent', pointer: '/a', name: 'helper', turns: [] }] }]),
      0,
    ],
  ])('asks about a turn without calls if %s', async (_, session, index) => {
    const { result } = await judgeTurn(
      toolCorrectness,
      { session, index },
      { tool_correctness: { ...graded(0), evidence: [] } },
    );
    expect(result).toMatchObject({ status: 'scored', score: 0, metadata: { tools_called: [] } });
  });

  it('says that the tools are unknown if the trace does not list them', async () => {
    const { result } = await judgeTurn(toolCorrectness, REFUND, { tool_correctness: graded(1) });
    expect(result.metadata.available_tools).toBeNull();
  });

  it('leaves secrets and long file contents out of its metadata', async () => {
    const key = `sk-or-v1-${createHash('sha256').update('a key').digest('hex')}`;
    const steps = [
      toolCall('login', { key }),
      toolCall('write', { path: 'a.txt', text: 'x'.repeat(10_000) }),
      toolCall('run', '{broken'),
    ];
    const turn = { input: `My key is ${key}. ${'word '.repeat(1000)}`, steps };
    const { result } = await judgeTurn(toolCorrectness, turn, { tool_correctness: { ...graded(1), evidence: [] } });
    const text = JSON.stringify(result.metadata);
    expect(text).not.toContain(key);
    expect(text.length).toBeLessThan(4000);
    expect(result.metadata).toMatchObject({
      tools_called: [
        { name: 'login', parameters: '{"key":"(redacted: OpenRouter key)"}' },
        { name: 'write', parameters: expect.stringMatching(/^\{"path":"a\.txt".*characters left out/) },
        { name: 'run', parameters: '{broken' },
      ],
    });
  });
});
