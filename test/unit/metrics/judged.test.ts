import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Outcome } from '../../../src/core/result.ts';
import type { Session } from '../../../src/core/session.ts';
import type { Answered } from '../../../src/judge/question.ts';
import type { Asker } from '../../../src/metrics/metric.ts';
import { goalCompletion } from '../../../src/metrics/session/goal-completion.ts';
import { bySamples } from '../../../src/metrics/shared/conclusion.ts';
import { helpfulness } from '../../../src/metrics/turn/helpfulness.ts';
import { relevance } from '../../../src/metrics/turn/relevance.ts';
import { taskCompletion } from '../../../src/metrics/turn/task-completion.ts';
import { sessionView, turnView } from './views.ts';

const SESSION: Session = {
  id: 's',
  source: { file: 'a.json', format: 'turnwise', pointer: '' },
  goal: 'Have order A-1 refunded',
  turns: [
    { id: 't1', pointer: '/0', input: null, output: 'Hello!', steps: [] },
    { id: 't2', pointer: '/1', input: 'Refund A-1, please.', output: 'Done.', steps: [] },
    { id: 't3', pointer: '/2', input: 'Thanks, bye!', output: null, steps: [] },
  ],
};

/** Answers as a model would, in the shape that the question demands. */
function judge(answers: readonly unknown[], facts: Readonly<Record<string, unknown>> = {}): Asker {
  return {
    async ask(question) {
      const schema = question.answer({ id: z.string(), calls: [] });
      const [first, ...more] = answers.map((answer) => schema.parse(answer));
      if (first === undefined) return { status: 'error', reason: 'It gave no answer.' };
      const cite = (ids: readonly string[]) => ids.map((id) => ({ pointer: `/${id}`, note: id }));
      return { status: 'answered', values: [first, ...more], facts, judge: 'openai/m', cite };
    },
  };
}

const failing: Asker = {
  ask: async (): Promise<Answered<never>> => ({ status: 'error', reason: '127.0.0.1:1 does not answer.' }),
};

const ofTurn = (index: number, asked: Asker | null) => turnView(SESSION, index, { judge: asked });

describe('helpfulness', () => {
  const answer = { evidence: ['t2.answer'], reason: 'It says what was done.', score: 4 };

  it('is what the judge says, with its reason, its name and the places that it cites', async () => {
    expect(await helpfulness.evaluate(ofTurn(1, judge([answer])), {})).toMatchObject({
      status: 'scored',
      score: 4,
      source: 'judge',
      judge: 'openai/m',
      reason: 'It says what was done.',
      evidence: [{ pointer: '/t2.answer', note: 't2.answer' }],
    });
  });

  it('is the mean of several samples, told by the nearest', async () => {
    const samples = [answer, { ...answer, score: 5 }, { ...answer, score: 5, reason: 'Complete.' }];
    expect(await helpfulness.evaluate(ofTurn(1, judge(samples)), {})).toMatchObject({
      score: 14 / 3,
      metadata: { samples: [4, 5, 5] },
    });
  });

  it('is an error, and no score, where the judge fails', async () => {
    expect(await helpfulness.evaluate(ofTurn(1, failing), {})).toEqual({
      status: 'error',
      reason: '127.0.0.1:1 does not answer.',
    });
  });

  it.each([
    ['no judge is there', 1, 'needs_judge'],
    ['the agent spoke first', 0, 'not_applicable'],
    ['there is no answer', 2, 'not_applicable'],
  ])('asks nothing where %s', async (_, index, status) => {
    const asked = status === 'needs_judge' ? null : failing;
    expect(await helpfulness.evaluate(ofTurn(index, asked), {})).toMatchObject({ status });
  });

  it.each([0, 6, 4.5])('takes no score of %d', async (score) => {
    await expect(judge([{ ...answer, score }]).ask(questionOf())).rejects.toThrow();
  });

  function questionOf() {
    let found: Parameters<Asker['ask']>[0] | undefined;
    const spy: Asker = {
      async ask(question) {
        found = question;
        return { status: 'cancelled', reason: '' };
      },
    };
    void helpfulness.evaluate(ofTurn(1, spy), {});
    if (!found) throw new Error('Nothing was asked.');
    return found;
  }
});

it('task_completion goes by task and outcome, and cites what shows the outcome', async () => {
  const facts = { task: { evidence: ['t2.result1'], task: 'Refund A-1', outcome: 'The refund was issued.' } };
  const outcome = await taskCompletion.evaluate(ofTurn(1, judge([{ reason: 'All of it.', verdict: 1 }], facts)), {});
  expect(outcome).toMatchObject({
    score: 1,
    evidence: [{ note: 't2.result1' }],
    metadata: { task: 'Refund A-1', outcome: 'The refund was issued.' },
    verdictInMetadata: true,
  });
});

it.each<[votes: readonly number[], score: number]>([
  [[1], 1],
  [[0, 1, 1], 1],
  [[0, 1], 0],
])('goal_completion goes by majority: %j is %d', async (votes, score) => {
  const answers = votes.map((vote) => ({ evidence: [], reason: `It is ${vote}.`, score: vote }));
  const outcome: Outcome = await goalCompletion.evaluate(sessionView(SESSION, { judge: judge(answers) }), {});
  expect(outcome).toMatchObject({ score, reason: `It is ${score}.` });
});

it('says of a metric that has no question yet that it has none', async () => {
  expect(await relevance.evaluate(ofTurn(1, failing), {})).toMatchObject({
    status: 'needs_judge',
    reason: expect.stringContaining('does not ask it of one yet'),
  });
  expect([helpfulness.asked, relevance.asked]).toEqual([true, undefined]);
});

it('takes of labels the one that most samples name', () => {
  const labelled = (label: string) => ({ labels: [label] as const, reason: label, cited: [] });
  fc.assert(
    fc.property(fc.nat({ max: 3 }), fc.nat({ max: 3 }), (a, b) => {
      fc.pre(a > b);
      const [first, ...more] = [...Array(a).fill('a'), ...Array(b).fill('b')].map((label: string) => labelled(label));
      if (!first) return;
      expect(bySamples([first, ...more], false)).toMatchObject({ labels: ['a'], reason: 'a' });
    }),
  );
});
