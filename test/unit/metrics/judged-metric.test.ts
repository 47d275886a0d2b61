import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.ts';
import type { MetricOutcome } from '../../../src/core/result.ts';
import type { Session } from '../../../src/core/session.ts';
import type { JudgeAnswer } from '../../../src/judge/question.ts';
import { judgedTurn } from '../../../src/metrics/judged-metric.ts';
import type { BoundJudge, TurnMetric, TurnView } from '../../../src/metrics/metric.ts';
import { goalCompletion } from '../../../src/metrics/session/goal-completion.ts';
import {
  type GradedAnswer,
  gradedQuestion,
  interpretGrade,
  LIKERT,
} from '../../../src/metrics/shared/graded-question.ts';
import { combineSamples, type JudgedOutcome } from '../../../src/metrics/shared/judged-outcome.ts';
import { scoreFromFindings } from '../../../src/metrics/shared/rule-based-scores.ts';
import { applyCap, capFromFindings, lowerCap } from '../../../src/metrics/shared/score-cap.ts';
import { helpfulness } from '../../../src/metrics/turn/helpfulness.ts';
import { taskCompletion } from '../../../src/metrics/turn/task-completion.ts';
import { ANY_IDS } from '../judge/support.ts';
import { judgeTurn } from './judge-script.ts';
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

/** Answers as a model gives them, in the shape the question requires. */
function judge(answers: readonly unknown[], facts: Readonly<Record<string, unknown>> = {}): BoundJudge {
  return {
    async ask(question) {
      const schema = question.answer(ANY_IDS);
      const [first, ...more] = answers.map((answer) => schema.parse(answer));
      if (first === undefined) return { status: 'error', reason: 'It gave no answer.' };
      const cite = (ids: readonly string[]) => ids.map((id) => ({ pointer: `/${id}`, note: id }));
      return { status: 'answered', values: [first, ...more], facts, judge: 'openai/m', cite };
    },
  };
}

const failing: BoundJudge = {
  ask: async (): Promise<JudgeAnswer<never>> => ({ status: 'error', reason: '127.0.0.1:1 does not answer.' }),
};

const ofTurn = (index: number, judge: BoundJudge | null) => turnView(SESSION, index, { judge });

describe('helpfulness', () => {
  const answer = { evidence: ['t2.answer'], reason: 'It says what was done.', score: 4 };

  it("returns the judge's score, its reason, the judge's name and the cited locations", async () => {
    expect(await helpfulness.evaluate(ofTurn(1, judge([answer])), {})).toMatchObject({
      status: 'scored',
      score: 4,
      source: 'judge',
      judge: 'openai/m',
      reason: 'It says what was done.',
      evidence: [{ pointer: '/t2.answer', note: 't2.answer' }],
    });
  });

  it('is the mean of several samples, with the reason of the nearest sample', async () => {
    const samples = [answer, { ...answer, score: 5 }, { ...answer, score: 5, reason: 'Complete.' }];
    expect(await helpfulness.evaluate(ofTurn(1, judge(samples)), {})).toMatchObject({
      score: 14 / 3,
      metadata: { samples: [4, 5, 5] },
    });
  });

  it('is an error without a score if the judge fails', async () => {
    expect(await helpfulness.evaluate(ofTurn(1, failing), {})).toEqual({
      status: 'error',
      reason: '127.0.0.1:1 does not answer.',
    });
  });

  it.each([
    ['no judge is there', 1, 'needs_judge'],
    ['the agent spoke first', 0, 'not_applicable'],
    ['there is no answer', 2, 'not_applicable'],
  ])('asks nothing if %s', async (_, index, status) => {
    const judge = status === 'needs_judge' ? null : failing;
    expect(await helpfulness.evaluate(ofTurn(index, judge), {})).toMatchObject({ status });
  });

  it.each([0, 6, 4.5])('rejects a score of %d', async (score) => {
    await expect(judge([{ ...answer, score }]).ask(questionOf())).rejects.toThrow();
  });

  function questionOf() {
    let request: Parameters<BoundJudge['ask']>[0] | undefined;
    const spy: BoundJudge = {
      async ask(question) {
        request = question;
        return { status: 'cancelled', reason: '' };
      },
    };
    void helpfulness.evaluate(ofTurn(1, spy), {});
    if (!request) throw new Error('Nothing was asked.');
    return request;
  }
});

it('task_completion is computed from task and outcome, and cites what shows the outcome', async () => {
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
])('goal_completion is the majority vote: %j gives %d', async (votes, score) => {
  const answers = votes.map((vote) => ({ evidence: [], reason: `It is ${vote}.`, score: vote }));
  const outcome: MetricOutcome = await goalCompletion.evaluate(sessionView(SESSION, { judge: judge(answers) }), {});
  expect(outcome).toMatchObject({ score, reason: `It is ${score}.` });
});

const PLAIN = {
  name: 'plain',
  question: 'How good is it?',
  source: 'a test',
  scale: 'likert',
  threshold: 3,
} as const;

const QUESTION = gradedQuestion({ name: 'plain', instructions: 'How good is it?', score: LIKERT });
const ASKS = { question: () => QUESTION, interpret: interpretGrade };
const TURN = { output: 'Done.', outputPointer: '/turns/0/output' };

const grade = (score: number, reason = `It is a ${score}.`) => ({ evidence: ['t1.answer'], reason, score });

function findingOf(rule: string): Finding {
  const evidence = [{ pointer: `/${rule}`, note: rule }];
  return { rule, severity: 'medium', label: null, turn: 0, message: `It was ${rule}.`, evidence };
}

describe('a cap', () => {
  const capping = (most: number) =>
    judgedTurn({ ...PLAIN, ask: ASKS, cap: ({ findings }: TurnView) => capFromFindings(findings, most) });
  const runMetric = (metric: TurnMetric, score: unknown, findings: readonly Finding[] = [findingOf('r')]) =>
    judgeTurn(metric, TURN, { plain: score }, { findings });

  it("limits the judge's score, and the result says so", async () => {
    const { result } = await runMetric(capping(2), grade(4));
    expect(result).toMatchObject({
      status: 'scored',
      score: 2,
      passed: false,
      source: 'judge',
      reason: 'It is a 4. Capped at 2 (the judge gave 4): It was r.',
      metadata: { cap: { most: 2, judged: 4, findings: [{ rule: 'r', calls: [] }] } },
    });
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/r', '/turns/0/output']);
  });

  it.each([1, 2])('does not change a score of %d if the cap is 2', async (score) => {
    const { result } = await runMetric(capping(2), grade(score));
    expect(result).toMatchObject({ score, reason: `It is a ${score}.` });
    expect(result.metadata).toEqual({});
  });

  it('is absent without findings', async () => {
    const { result } = await runMetric(capping(2), grade(5), []);
    expect([result.score, result.metadata]).toEqual([5, {}]);
  });

  it('applies to the mean of several samples', async () => {
    const { result } = await judgeTurn(
      capping(2),
      TURN,
      { plain: [grade(1), grade(5), grade(5)] },
      { findings: [findingOf('r')], settings: { samples: 3 } },
    );
    expect(result).toMatchObject({ score: 2, metadata: { samples: [1, 5, 5], cap: { judged: 11 / 3 } } });
    expect(result.reason).toContain('(the judge gave 3.67)');
  });

  it('does not change vacuous, unscored or error results', async () => {
    const cap = capFromFindings([findingOf('r')], 1);
    const empty = { status: 'vacuous', score: 5, source: 'judge', reason: null } as const;
    const none = { status: 'not_applicable', reason: 'no' } as const;
    const label = { status: 'scored', label: 'a', labels: ['a'], source: 'judge', reason: null } as const;
    for (const outcome of [empty, none, label]) expect(applyCap(outcome, cap)).toBe(outcome);
    const { result } = await runMetric(capping(2), 'nonsense');
    expect([result.status, result.metadata]).toEqual(['error', {}]);
  });

  it('is replaced by the score that findings prove, if the metric has one', async () => {
    const metric = judgedTurn({
      ...PLAIN,
      ask: ASKS,
      fromFindings: ({ findings }: TurnView) => (findings.length === 0 ? null : scoreFromFindings(findings, 3)),
    });
    expect((await runMetric(metric, grade(5))).result).toMatchObject({
      score: 3,
      source: 'judge',
      metadata: { cap: { most: 3, judged: 5, findings: [{ rule: 'r' }] } },
    });
    const { result } = await runMetric(metric, grade(2));
    expect([result.score, result.metadata]).toEqual([2, {}]);
    expect((await runMetric(metric, grade(5), [])).result).toMatchObject({ score: 5 });
  });

  it('set by the metric takes precedence over what findings prove', async () => {
    const metric = judgedTurn({
      ...PLAIN,
      ask: ASKS,
      cap: ({ findings }: TurnView) => capFromFindings(findings, 4),
      fromFindings: ({ findings }: TurnView) => scoreFromFindings(findings, 1),
    });
    expect((await runMetric(metric, grade(5))).result).toMatchObject({ score: 4, metadata: { cap: { most: 4 } } });
  });

  it('is the lower of two caps, and the first of equal ones', () => {
    const [one, two, same] = [
      capFromFindings([findingOf('a')], 1),
      capFromFindings([findingOf('b')], 2),
      capFromFindings([findingOf('c')], 1),
    ];
    expect([
      lowerCap(one, two),
      lowerCap(two, one),
      lowerCap(one, same),
      lowerCap(null, two),
      lowerCap(two, null),
    ]).toEqual([one, one, one, two, two]);
    expect(lowerCap(null, null)).toBeNull();
  });
});

describe('several samples', () => {
  const answers = { plain: [grade(1), grade(5), grade(3)] };

  it('are as many as the metric requires, regardless of the settings', async () => {
    const metric = judgedTurn({ ...PLAIN, ask: { ...ASKS, samples: () => 3 } });
    const { result, calls } = await judgeTurn(metric, TURN, answers, { settings: { samples: 1 } });
    expect(calls).toEqual([['plain'], ['plain'], ['plain']]);
    expect(result).toMatchObject({ score: 3, reason: 'It is a 3.', metadata: { samples: [1, 5, 3] } });
  });

  it('are as many as the settings require if the metric sets no number', async () => {
    const metric = judgedTurn({ ...PLAIN, ask: { ...ASKS, samples: () => undefined } });
    const { result } = await judgeTurn(metric, TURN, answers, { settings: { samples: 2 } });
    expect(result.metadata).toEqual({ samples: [1, 5] });
  });

  it("are combined by the metric's own function", async () => {
    const metric = judgedTurn({
      ...PLAIN,
      ask: {
        ...ASKS,
        combine: (all: readonly GradedAnswer[]): JudgedOutcome => ({
          score: Math.max(...all.map(({ score }) => score)),
          reason: `the best of ${all.length}`,
          cited: all.flatMap(({ evidence }) => evidence),
        }),
      },
    });
    const { result } = await judgeTurn(metric, TURN, answers, { settings: { samples: 3 } });
    expect(result).toMatchObject({
      score: 5,
      reason: 'the best of 3',
      evidence: [{ pointer: '/turns/0/output' }],
    });
    expect(result.metadata).toEqual({});
  });
});

describe('an interpreted answer', () => {
  const concluding = (conclusion: Partial<JudgedOutcome>, verdictInMetadata?: true) =>
    judgeTurn(
      judgedTurn({
        ...PLAIN,
        ask: {
          question: () => QUESTION,
          interpret: (answer): JudgedOutcome => ({ ...interpretGrade(answer), ...conclusion }),
          ...(verdictInMetadata ? { verdictInMetadata } : {}),
        },
      }),
      TURN,
      { plain: grade(4) },
    );

  it('can be "nothing to judge"', async () => {
    const { result } = await concluding({ score: 5, vacuous: true }, true);
    expect(result).toMatchObject({
      status: 'vacuous',
      score: 5,
      passed: null,
      source: 'judge',
      judge: 'openai/m',
      evidence: [{ pointer: '/turns/0/output' }],
      metadata: { threshold: 3, success: null },
    });
  });

  it.each(['not_applicable', 'error'] as const)('can have no score: %s', async (status) => {
    const { result } = await concluding({ status, metadata: { why: 'so' } });
    expect(result).toMatchObject({
      status,
      score: null,
      passed: null,
      reason: 'It is a 4.',
      evidence: [{ pointer: '/turns/0/output' }],
      metadata: { why: 'so' },
    });
  });

  it('can point at locations that are not cited', async () => {
    const { result } = await concluding({ evidence: [{ pointer: '/elsewhere', note: 'there' }] });
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/output', '/elsewhere']);
  });

  it('repeats threshold and verdict if the source does', async () => {
    expect((await concluding({}, true)).result.metadata).toEqual({ threshold: 3, success: true });
    expect((await concluding({})).result.metadata).toEqual({});
  });
});

describe('combining samples', () => {
  const of = (score: number) => ({ score, reason: `It is a ${score}.`, cited: [] });
  const empty = { score: 5, vacuous: true, reason: 'There is nothing.', cited: [] } as const;
  const unscored = { status: 'not_applicable', reason: 'No.', cited: [] } as const;
  const failed = { status: 'error', reason: 'It says nothing.', cited: [] } as const;

  it.each<[string, readonly [JudgedOutcome, ...JudgedOutcome[]], Partial<JudgedOutcome>]>([
    ['leaves out what came to no score', [unscored, of(2), of(4)], { score: 3, metadata: { samples: [null, 2, 4] } }],
    ['has no score where none has one', [unscored, failed], { ...unscored, metadata: { samples: [null, null] } }],
    ['has nothing where most found nothing', [empty, of(2), empty], { ...empty, metadata: { samples: [5, 2, 5] } }],
    ['has nothing where half found nothing', [of(2), empty], { ...empty, metadata: { samples: [2, 5] } }],
    ['leaves nothing out of the mean but what found nothing', [of(2), empty, of(4)], { score: 3 }],
    ['does not count what came to no score', [unscored, failed, empty, of(2)], { ...empty }],
    ['is one as it stands', [empty], empty],
    ['is one without a score as it stands', [failed], failed],
  ])('%s', (_, samples, expected) => {
    expect(combineSamples(samples, false)).toMatchObject(expected);
  });

  it('ignores vacuous samples if others are scored', () => {
    expect(combineSamples([of(2), empty, of(4)], false)).not.toHaveProperty('vacuous');
  });

  it('decides by majority vote, with 0 for a tie', () => {
    expect(combineSamples([of(1), unscored, of(1), of(0)], true)).toMatchObject({ score: 1 });
    expect(combineSamples([of(1), unscored, of(0)], true)).toMatchObject({ score: 0, reason: 'It is a 0.' });
  });
});

it('picks the label that most samples name', () => {
  const labelled = (label: string) => ({ labels: [label] as const, reason: label, cited: [] });
  fc.assert(
    fc.property(fc.nat({ max: 3 }), fc.nat({ max: 3 }), (a, b) => {
      fc.pre(a > b);
      const [first, ...more] = [...Array(a).fill('a'), ...Array(b).fill('b')].map((label: string) => labelled(label));
      if (!first) return;
      expect(combineSamples([first, ...more], false)).toMatchObject({ labels: ['a'], reason: 'a' });
    }),
  );
});
