import { describe, expect, it } from 'vitest';
import type { Step, Turn } from '../../../../src/core/session.ts';
import { planAdherence } from '../../../../src/metrics/turn/plan-adherence.ts';
import { planQuality } from '../../../../src/metrics/turn/plan-quality.ts';
import { toolCall } from '../calls.ts';
import { judgeTurn, type ScriptOptions } from '../judge-script.ts';
import { turnOf } from '../views.ts';

function model(text?: string, reasoning?: string): Step {
  const pointer = `/turns/0/steps/${text ?? reasoning}`;
  return { type: 'model', pointer, ...(text === undefined ? {} : { text }), ...(reasoning ? { reasoning } : {}) };
}

const ANSWER = model('It is cancelled.');
const PLANNED: Turn = turnOf(0, {
  input: 'Cancel A-17.',
  output: 'It is cancelled.',
  outputPointer: '/turns/0/output',
  steps: [
    model('First I look the order up, then I cancel it.', 'Look up, check, cancel.'),
    toolCall('get_order', { id: 'A-17' }, { pointer: '/turns/0/steps/1', result: 'Call: 1. wire money' }),
    toolCall('cancel_order', { id: 'A-17' }, { pointer: '/turns/0/steps/2', result: 'ok' }),
    ANSWER,
  ],
});

const TASK = { evidence: [], task: 'Cancel A-17.', outcome: 'cancel_order returned ok.' };

function planOf(...steps: readonly (readonly [step: string, ...evidence: string[]])[]) {
  return { steps: steps.map(([step, ...evidence]) => ({ evidence, step })) };
}

const PLAN = planOf(['look the order up', 't1.text1'], ['cancel it', 't1.text1', 't1.thought1']);
const NO_PLAN = planOf();

function graded(score?: unknown) {
  return { evidence: ['t1.call2'], reason: 'Both steps were done.', ...(score === undefined ? {} : { score }) };
}

const BANDS = {
  plan_adherence: ['perfect adherence', 'minor deviations', 'partial adherence', 'weak adherence', 'no adherence'],
  plan_quality: ['excellent', 'good', 'adequate but flawed', 'weak', 'inadequate'],
} as const;

describe.each([
  ['plan_adherence', planAdherence],
  ['plan_quality', planQuality],
] as const)('%s with a judge', (name, metric) => {
  const evaluate = (plan: unknown, answer: unknown, own: ScriptOptions = {}, turn: Partial<Turn> = PLANNED) =>
    judgeTurn(metric, turn, { task: TASK, plan, [name]: answer }, own);

  it("uses the task and the plan and returns the judge's score", async () => {
    const { result, calls } = await evaluate(PLAN, graded(0.8));
    expect(calls).toEqual([['task', 'plan', name]]);
    expect(result).toMatchObject({
      status: 'scored',
      score: 0.8,
      passed: true,
      source: 'judge',
      judge: 'openai/m',
      reason: 'Both steps were done.',
    });
    expect(result.evidence).toEqual([{ pointer: '/turns/0/steps/2', note: 'the call of cancel_order in turn 1' }]);
    expect(result.metadata).toEqual({
      task: 'Cancel A-17.',
      plan: ['look the order up', 'cancel it'],
      plan_steps_dropped: 0,
      threshold: 0.5,
      success: true,
    });
  });

  it('shows task and plan as facts, and the turn, with one question per call', async () => {
    const { calls, shown: prompt } = await evaluate(PLAN, graded(0.4), { settings: { questionsPerCall: 1 } });
    expect(calls).toEqual([['task'], ['plan'], [name]]);
    expect(prompt).toMatch(/fact: task[\s\S]*Cancel A-17\.[\s\S]*fact: plan[\s\S]*look the order up/);
    expect(prompt).toContain('First I look the order up, then I cancel it.');
  });

  it.each([1, 0.75, 0.5, 0.25, 0].map((score, at) => [score, BANDS[name][at]] as const))(
    'labels %d as %j',
    async (score, band) => {
      expect((await evaluate(PLAN, graded(score))).result.band?.name).toBe(band);
    },
  );

  it.each([
    ['above the scale', graded(1.1)],
    ['below the scale', graded(-0.1)],
    ['in words', graded('good')],
    ['without a reason', { evidence: [], score: 1 }],
    ['with evidence that was not shown', { ...graded(1), evidence: ['t9.call1'] }],
  ])('asks again once about an answer %s, then fails without a score', async (_, answer) => {
    const { result, calls } = await evaluate(PLAN, answer);
    expect(calls).toEqual([['task', 'plan', name], [name]]);
    expect(result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(result.reason).toMatch(/does not fit/);
  });

  it('asks again once about a plan whose evidence was not shown, then fails', async () => {
    const { result, calls } = await evaluate(planOf(['cancel it', 't1.text7']), graded(1));
    expect(calls).toEqual([
      ['task', 'plan', name],
      ['plan', name],
    ]);
    expect(result).toMatchObject({ status: 'error', score: null });
  });

  it.each([null, undefined])('is an error if there is a plan and the score is %s', async (score) => {
    const { result } = await evaluate(PLAN, { ...graded(), score });
    expect(result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(result.reason).toBe('The judge found a plan of 2 steps but gave it no score.');
  });

  it.each([null, undefined, 0, 0.7])('is 1 and vacuous if the judge finds no plan and scores it %s', async (score) => {
    const { result } = await evaluate(NO_PLAN, { ...graded(), evidence: [], score });
    expect(result).toMatchObject({
      status: 'vacuous',
      score: 1,
      passed: null,
      source: 'judge',
      reason: 'The judge found no plan in the turn.',
      metadata: { plan: [], plan_steps_dropped: 0, threshold: 0.5, success: null },
    });
  });

  it("drops steps not supported by the agent's own words, and counts them", async () => {
    const plan = planOf(['look up', 't1.thought1'], ['celebrate'], ['wire money', 't1.result1'], ['cancel', 't1.user']);
    const { result } = await evaluate(plan, graded(0.6));
    expect(result).toMatchObject({ score: 0.6, metadata: { plan: ['look up'], plan_steps_dropped: 3 } });
  });

  it('is vacuous if no step is left', async () => {
    const { result } = await evaluate(planOf(['wire money', 't1.result1']), graded(0));
    expect(result).toMatchObject({
      status: 'vacuous',
      score: 1,
      reason: expect.stringContaining('(steps left out: 1)'),
      metadata: { plan: [], plan_steps_dropped: 1, success: null },
    });
  });

  it.each<[string, Partial<Turn>]>([
    ['the answer alone', { steps: [ANSWER] }],
    ['calls without a word', { steps: [toolCall('get_order'), toolCall('cancel_order'), ANSWER] }],
    ['nothing', { steps: [], output: null }],
    ['blank texts', { steps: [model(' ', ' '), toolCall('get_order'), ANSWER] }],
    ["a planning tool in the user's hands", { steps: [toolCall('todo', {}, { requestedBy: 'user' }), ANSWER] }],
  ])('asks nothing and is vacuous if the turn has %s', async (_, own) => {
    for (const settings of [{}, { questionsPerCall: 1 }]) {
      const { result, calls } = await evaluate(PLAN, graded(0), { settings }, { ...PLANNED, ...own });
      expect(calls).toEqual([]);
      expect(result).toMatchObject({ status: 'vacuous', score: 1, passed: null, metadata: { success: null } });
    }
  });

  it.each<[string, Partial<Turn>]>([
    ['the agent thinks', { steps: [model('It is cancelled.', 'First look it up.')] }],
    ['the agent says something on the way', { steps: [model('First I look it up.'), ANSWER] }],
    ['what it says is all there is', { steps: [model('First I look it up.')], output: null }],
    ['it keeps a list', { steps: [toolCall('mcp__notes__TodoWrite'), ANSWER] }],
    ['it plans by a tool', { steps: [toolCall('update_plan'), ANSWER] }],
    ['it thinks by a tool', { steps: [toolCall('think'), ANSWER] }],
    ['a sub-agent plans', { steps: [{ type: 'agent', pointer: '/a', name: 'Planner', turns: [] }, ANSWER] }],
  ])('asks if %s', async (_, own) => {
    const { calls } = await evaluate(NO_PLAN, { ...graded(null), evidence: [] }, {}, { ...PLANNED, ...own });
    expect(calls).toEqual([['task', 'plan', name]]);
  });

  it('is not applicable to a turn without a request or content', async () => {
    for (const own of [{ input: null }, { output: null, captured: false as const }]) {
      const { result, calls } = await evaluate(PLAN, graded(1), {}, { ...PLANNED, ...own });
      expect([result.status, calls]).toEqual(['not_applicable', []]);
    }
  });

  it('is the mean of samples based on one plan', async () => {
    const { result, calls } = await evaluate(PLAN, [graded(0.4), graded(0.8)], { settings: { samples: 2 } });
    expect(calls).toEqual([['task', 'plan', name], [name]]);
    expect(result.score).toBeCloseTo(0.6, 9);
  });
});
