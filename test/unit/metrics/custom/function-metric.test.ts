import { describe, expect, it } from 'vitest';
import { get } from '../../../../src/core/json.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { Session } from '../../../../src/core/session.ts';
import type { Question } from '../../../../src/judge/question.ts';
import type { CustomDefinition } from '../../../../src/metrics/custom/definition.ts';
import { functionMetric } from '../../../../src/metrics/custom/function-metric.ts';
import type { BoundJudge } from '../../../../src/metrics/metric.ts';
import type { FunctionJudge } from '../../../../src/sandbox/function-judge.ts';
import {
  type FunctionReply,
  type FunctionRunner,
  NO_FUNCTIONS,
  sequentialRunner,
} from '../../../../src/sandbox/function-runner.ts';
import { inProcessRunner } from '../../../../src/sandbox/in-process-runner.ts';
import type { UserFunction } from '../../../../src/sandbox/module-function.ts';
import { ANY_IDS } from '../../judge/support.ts';
import { resultOf, scored, sessionOf, sessionView, turnView, type ViewOptions } from '../views.ts';

type Definition = Partial<Omit<CustomDefinition, 'evaluate'>>;

const SESSION = sessionOf([{ output: 'Hello.' }, { output: null }]);

function metricOf(evaluate: UserFunction, definition: Definition = {}, functions: FunctionRunner = inProcessRunner()) {
  const defined = { name: 'mine', scope: 'turn', scale: 'likert', optIn: false, ...definition } as const;
  return functionMetric({ ...defined, evaluate }, functions);
}

/** The engine's result for a turn or a session. */
async function runFunction(
  evaluate: UserFunction,
  definition: Definition = {},
  { session = SESSION, index = 0, ...own }: ViewOptions & { session?: Session; index?: number } = {},
): Promise<Result> {
  const metric = metricOf(evaluate, definition);
  const outcome =
    metric.scope === 'turn'
      ? await metric.evaluate(turnView(session, index, own), {})
      : metric.scope === 'session'
        ? await metric.evaluate(sessionView(session, own), {})
        : null;
  if (!outcome) throw new Error('It is a metric of neither.');
  return resultOf(outcome, metric);
}

const LABELS = { scale: 'label', labels: ['warm', 'cold'] } as const;

describe('a metric function', () => {
  it.each<[Definition, unknown, Partial<Result>]>([
    [{ threshold: 3 }, 4, { score: 4, passed: true, scale: [1, 5] }],
    [{ threshold: 3 }, 1.5, { score: 1.5, passed: false }],
    [{ scale: 'unit' }, 0, { score: 0, passed: null }],
    [{ scale: 'binary' }, true, { score: 1 }],
    [{ scale: 'binary' }, false, { score: 0 }],
    [{ scale: 'binary' }, 1, { score: 1 }],
    [LABELS, 'cold', { label: 'cold', labels: ['cold'], score: null, scale: null }],
    [LABELS, { label: 'warm', reason: 'It says please.' }, { label: 'warm', reason: 'It says please.' }],
    [
      {},
      { score: 2, reason: 'Short.', evidence: ['/turns/0', { pointer: '/turns/1', note: 'here', file: 'b.json' }] },
      {
        score: 2,
        reason: 'Short.',
        evidence: [
          { pointer: '/turns/0', note: 'named by mine' },
          { pointer: '/turns/1', note: 'here', file: 'b.json' },
        ],
      },
    ],
  ])('scores a definition %j that returns %j', async (definition, value, result) => {
    const actual = await runFunction(() => value, definition);
    expect(actual).toMatchObject({ status: 'scored', source: 'rules', ...result });
    expect(await runFunction(async () => value, definition)).toEqual(actual);
  });

  it.each<[unknown, string]>([
    [null, 'The function of mine returned nothing to score.'],
    [{ reason: 'Nothing was asked.' }, 'Nothing was asked.'],
    [{ score: null, reason: null }, 'The function of mine returned nothing to score.'],
  ])('does not apply if it returns %j', async (value, reason) => {
    expect(await runFunction(() => value)).toMatchObject({ status: 'not_applicable', score: null, reason });
    expect(await runFunction(() => value, LABELS)).toMatchObject({ status: 'not_applicable', label: null, reason });
  });

  it.each<[Definition, unknown, string]>([
    [{}, 7, 'returned 7; the scale of mine is 1 to 5.'],
    [{}, 0, 'returned 0; the scale of mine is 1 to 5.'],
    [{}, Number.NaN, 'returned NaN; the scale of mine is 1 to 5.'],
    [{ scale: 'unit' }, Number.POSITIVE_INFINITY, 'returned Infinity; the scale of mine is 0 to 1.'],
    [{ scale: 'binary' }, 0.5, 'returned 0.5; the scale of mine is 0 or 1.'],
    [{ scale: 'unit' }, true, 'returned true; the scale of mine is 0 to 1.'],
    [{}, { score: 9 }, 'returned 9; the scale of mine is 1 to 5.'],
    [{}, '5', 'returned "5"; the scale of mine is 1 to 5.'],
    [{}, undefined, 'returned nothing; the scale of mine is 1 to 5.'],
    [{}, [3], 'returned a list; the scale of mine is 1 to 5.'],
    [{}, () => 3, 'returned a function; the scale of mine is 1 to 5.'],
    [{}, Symbol('x'), 'returned Symbol(x); the scale of mine is 1 to 5.'],
    [LABELS, 'tepid', 'returned "tepid"; the labels of mine are "warm", "cold".'],
    [LABELS, 1, 'returned 1; the labels of mine are "warm", "cold".'],
    [LABELS, { label: 'warm', score: 1 }, 'returned a score and a label; the labels of mine are "warm", "cold".'],
    [
      {},
      { score: 3, why: 'x' },
      'returned an object that does not fit (Unrecognized key: "why"); the scale of mine is 1 to 5.',
    ],
  ])('gives a clear error for a definition %j that returns %j', async (definition, value, rest) => {
    const actual = await runFunction(() => value, definition);
    expect(actual).toMatchObject({ status: 'error', score: null, label: null, reason: `The function of mine ${rest}` });
  });

  it('gives an error for evidence that is not a JSON pointer', async () => {
    const { status, reason } = await runFunction(() => ({ score: 3, evidence: ['turns/0'] }));
    expect([status, reason]).toEqual(['error', expect.stringContaining('evidence.0: ')]);
  });

  it.each<[UserFunction, string]>([
    [
      () => {
        throw new Error('no luck.\n    at line 3');
      },
      'The function of mine threw an error: no luck.',
    ],
    [async () => Promise.reject('just text'), 'The function of mine threw an error: just text.'],
    [
      () => {
        throw new Error();
      },
      'The function of mine threw an error.',
    ],
  ])('reports the message of a thrown error', async (evaluate, reason) => {
    expect(await runFunction(evaluate)).toMatchObject({ status: 'error', reason });
  });

  it('gives an error when it exceeds its time limit', async () => {
    const { status, reason } = await runFunction(() => new Promise(() => {}), { timeoutMs: 20 });
    expect([status, reason]).toEqual(['error', 'The function of mine did not answer within 0.02 seconds.']);
  });

  it('receives the turn and its index', async () => {
    const received: unknown[] = [];
    await runFunction((...input) => received.push(...input), {}, { index: 1 });
    const judge = expect.any(Function);
    expect(received).toEqual([SESSION.turns[1], { session: SESSION, index: 1, findings: [], results: {}, judge }]);
  });

  it('receives only the results it declares in `uses`', async () => {
    const [near, far] = [scored(0.25), scored(1)];
    const results = { loop_detection: [near, far], coherence: [near, near] };
    const uses = ['loop_detection', 'confidence'];
    let context: unknown;
    const keep: UserFunction = (_, input) => {
      context = input;
      return 3;
    };
    await runFunction(keep, { uses }, { index: 1, results });
    expect(context).toMatchObject({ results: { loop_detection: far, confidence: null } });
    await runFunction(keep, { uses, scope: 'session' }, { results });
    expect(context).toEqual({
      findings: [],
      results: { loop_detection: null, confidence: null },
      turnResults: { loop_detection: [near, far], confidence: [null, null] },
      judge: expect.any(Function),
    });
  });

  it('receives the session if its scope is session', async () => {
    const input = await runFunction((session) => (JSON.stringify(session) === JSON.stringify(SESSION) ? 5 : 1), {
      scope: 'session',
    });
    expect(input.score).toBe(5);
  });

  it('cannot change the data passed to other functions', async () => {
    const session = sessionOf([{ output: 'Hello.' }]);
    const change: UserFunction = (turn) => Object.assign(Object(turn), { output: 'Changed.' }) && 3;
    expect((await runFunction(change, {}, { session })).reason).toMatch(
      /^The function of mine threw an error: .*read only/,
    );
    expect(session.turns[0]?.output).toBe('Hello.');
    // The caller's own objects stay unchanged.
    expect(Object.isFrozen(session.turns[0])).toBe(false);
  });

  it('names the file of a turn that comes from another file', async () => {
    const session = sessionOf([{ file: 'agent.jsonl' }]);
    const { evidence } = await runFunction(() => ({ score: 3, evidence: ['/4'] }), {}, { session });
    expect(evidence).toEqual([{ pointer: '/4', note: 'named by mine', file: 'agent.jsonl' }]);
  });

  it('is reported as cancelled when the run is aborted', async () => {
    const stop = new AbortController();
    const metric = metricOf(() => new Promise(() => stop.abort()), { timeoutMs: 60_000 });
    if (metric.scope !== 'turn') throw new Error('It is a metric of turns.');
    const outcome = await metric.evaluate({ ...turnView(SESSION, 0), signal: stop.signal }, {});
    expect(outcome.status).toBe('cancelled');
  });

  it('is not called in a dry run', async () => {
    const metric = metricOf(() => 3, {}, NO_FUNCTIONS);
    if (metric.scope !== 'turn') throw new Error('It is a metric of turns.');
    expect((await metric.evaluate(turnView(SESSION, 0), {})).status).toBe('error');
  });
});

describe('sequential calls', () => {
  const call = (name: string) => ({
    name,
    fn: () => 3,
    args: [],
    timeoutMs: 1000,
  });
  const { signal } = new AbortController();

  it('run in order and never at the same time', async () => {
    const log: string[] = [];
    const functions = sequentialRunner({
      async call({ name }): Promise<FunctionReply> {
        log.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, name === 'a' ? 20 : 0));
        log.push(`${name} ends`);
        return { kind: 'returned', value: 3 };
      },
    });
    await Promise.all(['a', 'b', 'c'].map((name) => functions.call(call(name), signal)));
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('stop for a function after three lost calls, and for no other function', async () => {
    let calls = 0;
    const functions = sequentialRunner({
      async call({ name }): Promise<FunctionReply> {
        calls += 1;
        return name === 'bad' ? { kind: 'lost', reason: 'is slow' } : { kind: 'returned', value: 3 };
      },
    });
    const names = ['bad', 'good', 'bad', 'good', 'bad', 'good', 'bad', 'bad', 'good'];
    const replies = await Promise.all(names.map((name) => functions.call(call(name), signal)));
    expect(calls).toBe(7);
    expect(replies.filter(({ kind }) => kind === 'returned')).toHaveLength(4);
    const input = { kind: 'threw', reason: 'is no longer called in this run, because 3 of its calls were lost' };
    expect([replies[6], replies[7]]).toEqual([input, input]);
  });

  it('are not started if the run is aborted while they wait', async () => {
    const stop = new AbortController();
    let calls = 0;
    const functions = sequentialRunner({
      async call(): Promise<FunctionReply> {
        calls += 1;
        stop.abort();
        return { kind: 'cancelled' };
      },
    });
    const replies = await Promise.all(['a', 'b', 'c'].map((name) => functions.call(call(name), stop.signal)));
    expect([calls, replies.map(({ kind }) => kind)]).toEqual([1, ['cancelled', 'cancelled', 'cancelled']]);
  });
});

describe('a function that asks the judge', () => {
  const SCHEMA = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] };
  const asks: UserFunction = async (_turn, context) => {
    const { judge } = context as { judge: FunctionJudge };
    return get(await judge('Is it friendly?', SCHEMA), 'score');
  };
  function judgeThat(reply: (question: Question<unknown>) => unknown): BoundJudge {
    return {
      async ask(question) {
        const value = reply(question);
        if (value === null) return { status: 'error', reason: '127.0.0.1:1 does not answer.' };
        const answer = question.answer(ANY_IDS).parse(value);
        return { status: 'answered', values: [answer], facts: {}, judge: 'openai/m', cite: () => [] };
      },
    };
  }

  it('has the judge as its source', async () => {
    const questions: Question<unknown>[] = [];
    const judge = judgeThat((question) => {
      questions.push(question);
      return { score: 4 };
    });
    expect(await runFunction(asks, {}, { judge })).toMatchObject({ score: 4, source: 'judge', judge: 'openai/m' });
    expect(questions).toMatchObject([
      { name: 'mine_1', instructions: 'Is it friendly?', context: 'turn', isAlone: true },
    ]);
  });

  it.each([
    ['needs_judge', null],
    ['error', judgeThat(() => null)],
  ])('is %s without an answer, whatever the function returns', async (status, judge) => {
    const patient: UserFunction = async (...args) => {
      await Promise.resolve(asks(...args)).catch(() => {});
      return 3;
    };
    for (const fn of [asks, patient]) {
      expect(await runFunction(fn, {}, { judge })).toMatchObject({ status, score: null });
    }
  });

  it('is not limited in time while it waits for the judge, and lets others run', async () => {
    const order: string[] = [];
    const functions = sequentialRunner(inProcessRunner());
    const { promise, resolve } = Promise.withResolvers<void>();
    const waits: BoundJudge = {
      async ask() {
        await promise;
        return { status: 'answered', values: [{ score: 2 }], facts: {}, judge: 'openai/m', cite: () => [] } as never;
      },
    };
    const asking = metricOf(asks, { timeoutMs: 50 }, functions);
    const plain = metricOf(() => 5, { name: 'plain' }, functions);
    const outcomeOf = async (metric: typeof asking, judge: BoundJudge | null) => {
      if (metric.scope !== 'turn') throw new Error('It is a metric of turns.');
      const outcome = await metric.evaluate(turnView(SESSION, 0, { judge }), {});
      order.push(metric.name);
      return outcome;
    };
    const first = outcomeOf(asking, waits);
    expect(await outcomeOf(plain, null)).toMatchObject({ score: 5 });
    await new Promise((done) => setTimeout(done, 100));
    resolve();
    expect(await first).toMatchObject({ score: 2 });
    expect(order).toEqual(['plain', 'mine']);
  });
});
