import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../../src/core/session.ts';
import type { BoundJudge } from '../../../../src/metrics/metric.ts';
import { rubricOptions } from '../../../../src/metrics/shared/rubrics.ts';
import { rubricBasedFinalResponseQualityV1 } from '../../../../src/metrics/turn/rubric-based-final-response-quality-v1.ts';
import { rubricBasedToolUseQualityV1 } from '../../../../src/metrics/turn/rubric-based-tool-use-quality-v1.ts';
import { evaluateTurn, toolCall } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';
import { sessionOf, turnView } from '../views.ts';

const RUBRICS = [
  { id: 'date', text: 'The answer names the day of arrival.' },
  { id: 'kind', text: 'The answer is\nkind.' },
  { id: 'price', text: 'If a price is named, it has a currency.' },
];

type Vote = 'yes' | 'no' | null;

const verdict = (rubric: string, vote: unknown, own: object = {}) => ({
  rubric,
  evidence: ['t1.answer'],
  reason: `${rubric}: ${vote}.`,
  verdict: vote,
  ...own,
});

const answer = (date: Vote, kind: Vote, price: Vote) => ({
  verdicts: [verdict('date', date), verdict('kind', kind), verdict('price', price)],
});

const TURN: Partial<Turn> = { outputPointer: '/out', tools: [{ name: 'find_order' }] };

describe.each([
  { metric: rubricBasedFinalResponseQualityV1, name: 'rubric_based_final_response_quality_v1' },
  { metric: rubricBasedToolUseQualityV1, name: 'rubric_based_tool_use_quality_v1' },
])('$name', ({ metric, name }) => {
  const runMetric = (answers: unknown, options: object = {}) =>
    judgeTurn(metric, TURN, { [name]: answers }, { options: { rubrics: RUBRICS, ...options } });

  it('is the share of satisfied rubrics among the decided ones', async () => {
    const { result, calls } = await runMetric(answer('yes', 'no', null));
    expect(result).toMatchObject({
      status: 'scored',
      score: 0.5,
      threshold: null,
      passed: null,
      band: null,
      source: 'judge',
      reason: '1 of 2 rubrics holds; not "kind". 1 cannot be decided. On "kind": kind: no.',
      evidence: [{ pointer: '/out' }],
    });
    expect(result.metadata).toEqual({
      rubrics: { date: 1, kind: 0, price: null },
      reasons: { date: 'date: yes.', kind: 'kind: no.', price: 'price: null.' },
    });
    expect(calls).toEqual([[name]]);
  });

  it.each<[Vote, Vote, Vote, number | null, string]>([
    ['yes', 'yes', 'yes', 1, 'All 3 rubrics hold.'],
    ['yes', null, null, 1, 'The rubric holds. 2 cannot be decided.'],
    ['no', 'no', 'no', 0, '0 of 3 rubrics hold; not "date", "kind" and "price". On "date": date: no.'],
    [null, null, null, null, 'The turn shows nothing to decide the rubrics by.'],
  ])('of %s, %s and %s is %s', async (date, kind, price, score, reason) => {
    const { result } = await runMetric(answer(date, kind, price));
    expect(result).toMatchObject({ status: score === null ? 'not_applicable' : 'scored', score, reason });
    expect(result.metadata.rubrics).toBeDefined();
  });

  it('accepts the verdicts in any order and spelling', async () => {
    const { result } = await runMetric({
      verdicts: [verdict('price', 'No'), verdict('date', 'YES'), verdict('kind', ' yes')],
    });
    expect(result.metadata.rubrics).toEqual({ date: 1, kind: 1, price: 0 });
  });

  it.each<[samples: readonly Vote[], decided: number | null, reason: string]>([
    [['no', 'yes', 'yes'], 1, 'date: yes.'],
    [['yes', 'no'], 0, 'date: no.'],
    [['yes', null, null], 1, 'date: yes.'],
    [[null, null], null, 'date: null.'],
  ])('decides each rubric by the majority of %j', async (votes, decided, reason) => {
    const { result } = await runMetric(
      votes.map((vote) => answer(vote, 'yes', null)),
      { samples: votes.length },
    );
    expect(result.metadata).toMatchObject({
      rubrics: { date: decided, kind: 1, price: null },
      reasons: { date: reason },
      samples: votes.map((vote) => ({ date: vote, kind: 'yes', price: null })),
    });
    expect(result.score).toBe(decided === null ? 1 : (decided + 1) / 2);
  });

  const [date, kind, price] = answer('yes', 'yes', 'yes').verdicts;
  it.each<[string, unknown, string]>([
    ['no verdicts', { verdicts: [] }, `${name}.verdicts`],
    ['one too few', { verdicts: [date, kind] }, `${name}.verdicts`],
    ['one too many', { verdicts: [date, kind, price, price] }, `${name}.verdicts`],
    ['one twice', { verdicts: [date, kind, kind] }, 'give exactly one verdict on each of the statements'],
    ['an invented rubric', { verdicts: [date, kind, verdict('short', 'yes')] }, `${name}.verdicts.2.rubric`],
    ['a verdict of another kind', { verdicts: [date, kind, verdict('price', 'maybe')] }, `${name}.verdicts.2.verdict`],
    [
      'an id that is not shown',
      { verdicts: [date, kind, verdict('price', 'no', { evidence: ['t7.answer'] })] },
      '.evidence.0',
    ],
  ])('asks again once after %s, then fails', async (_, misfit, complaint) => {
    const { result, calls, shown: prompt } = await runMetric(misfit);
    expect(calls).toHaveLength(2);
    expect(prompt).toContain(complaint);
    expect(result).toMatchObject({ status: 'error', score: null });
    expect((await runMetric([misfit, answer('no', 'no', 'no')])).result).toMatchObject({ status: 'scored', score: 0 });
  });

  it('shows every rubric on its own line', async () => {
    const { shown: prompt } = await runMetric(answer('yes', 'yes', 'yes'));
    expect(prompt).toContain(
      '\n- date: The answer names the day of arrival.\n- kind: The answer is kind.\n- price: If a price is named, it has a currency.',
    );
  });

  it('shows many rubrics as data so that none is truncated', async () => {
    const many = Array.from({ length: 60 }, (_, at) => ({
      id: `r${at}`,
      text: `The answer has property ${at}. ${'x'.repeat(60)}`,
    }));
    const { prompts } = await judgeTurn(metric, TURN, {}, { options: { rubrics: many } });
    const text = prompts[0]?.parts.join('\n') ?? '';
    expect(text).toContain('data: statements');
    for (const rubric of many) expect(text).toContain(`- ${rubric.id}: ${rubric.text}`);
    expect(text).not.toContain('left out');
  });

  it('asks the same question for all turns', async () => {
    const requests = new Set<unknown>();
    const judge: BoundJudge = {
      async ask(question) {
        requests.add(question);
        return { status: 'cancelled', reason: '' };
      },
    };
    const options = rubricOptions.parse({ rubrics: RUBRICS });
    const session = sessionOf([TURN, TURN]);
    for (const index of [0, 1]) await metric.evaluate(turnView(session, index, { judge }), options);
    expect(requests.size).toBe(1);
    await metric.evaluate(turnView(session, 0, { judge }), rubricOptions.parse({ rubrics: RUBRICS }));
    expect(requests.size).toBe(2);
  });

  it('asks nothing without rubrics, and needs a judge with them', () => {
    expect(evaluateTurn(metric, TURN)).toMatchObject({
      status: 'not_applicable',
      reason: expect.stringContaining('No rubrics'),
    });
    expect(evaluateTurn(metric, TURN, { rubrics: RUBRICS }).status).toBe('needs_judge');
  });
});

describe('rubrics', () => {
  it.each([
    ['an id twice', [...RUBRICS, { id: 'kind', text: 'Again.' }], 'each rubric needs an id of its own'],
    ['more than a prompt can show', [{ id: 'a', text: 'x'.repeat(8000) }], 'so that they fit into a prompt'],
    ['an empty text', [{ id: 'a', text: '' }], ''],
  ])('with %s are rejected', (_, rubrics, sentence) => {
    const { success, error } = rubricOptions.safeParse({ rubrics });
    expect(success).toBe(false);
    expect(error?.message).toContain(sentence);
  });

  it('may have any ids', async () => {
    const rubrics = [{ id: '__proto__', text: 'It is short.' }];
    const verdicts = [verdict('__proto__', 'no')];
    const { result } = await judgeTurn(
      rubricBasedFinalResponseQualityV1,
      TURN,
      { rubric_based_final_response_quality_v1: { verdicts } },
      { options: { rubrics } },
    );
    expect(Object.entries(result.metadata.rubrics ?? {})).toEqual([['__proto__', 0]]);
    expect(result.score).toBe(0);
  });
});

describe('the judged part of a turn', () => {
  const options = { rubrics: RUBRICS };

  it('is the answer for the final response', () => {
    expect(evaluateTurn(rubricBasedFinalResponseQualityV1, { ...TURN, output: null }, options).status).toBe(
      'not_applicable',
    );
  });

  it.each<[string, Partial<Turn>, string]>([
    ['calls', { steps: [toolCall('find_order')] }, 'needs_judge'],
    ['tools that were not called', { tools: [{ name: 'find_order' }] }, 'needs_judge'],
    ['a sub-agent', { steps: [{ type: 'agent', pointer: '', name: 'helper', turns: [] }] }, 'needs_judge'],
    ['neither', { steps: [{ type: 'model', pointer: '', text: 'Hi.' }] }, 'not_applicable'],
    ['no tools', { tools: [] }, 'not_applicable'],
    ["a user's own call alone", { steps: [toolCall('check', {}, { requestedBy: 'user' })] }, 'not_applicable'],
  ])('for the use of tools is %s', (_, turn, status) => {
    expect(evaluateTurn(rubricBasedToolUseQualityV1, { output: null, ...turn }, options).status).toBe(status);
  });
});
