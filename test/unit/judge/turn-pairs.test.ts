import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JudgeSettings } from '../../../src/judge/judge.ts';
import type { Question } from '../../../src/judge/question.ts';
import type { AnswerCache } from '../../../src/llm/answer-cache.ts';
import type { ChatPrompt } from '../../../src/llm/chat-model.ts';
import { ModelError } from '../../../src/llm/model-error.ts';
import { toolCall } from '../metrics/calls.ts';
import { sessionOf } from '../metrics/views.ts';
import {
  createCompletion,
  createTestJudge,
  fact,
  memoryCache,
  question,
  questionNames,
  type Script,
  SESSION,
  score,
  scriptedModel,
  summarizeAnswer,
} from './support.ts';

const helpful = question('helpful');
const clear = question('clear');

/** The turns that a call asks about, by their numbers. */
function turnsOf({ parts }: ChatPrompt): string {
  const answer = parts.find((part) => part.includes('# Your answer')) ?? '';
  return [...(answer.split('# Your answer')[1]?.matchAll(/about turn (\d+)/g) ?? [])]
    .map(([, number]) => number)
    .filter((number, index, all) => all.indexOf(number) === index)
    .join('+');
}

/** What a call asks about which turn. */
function questionsByTurn(prompt: ChatPrompt): string[] {
  const sides: Record<string, unknown> = Object(prompt.exactSchema().properties);
  return turnsOf(prompt)
    .split('+')
    .flatMap((turn, index, turns) => {
      const { properties } = Object(turns.length === 1 ? prompt.schema : Object.values(sides)[index]);
      return Object.keys(properties).map((name) => `${name} of ${turn}`);
    });
}

const asked = ({ prompts }: { readonly prompts: readonly ChatPrompt[] }) => prompts.map(turnsOf);

/** Scores each turn by its number. */
function scoring(prompt: ChatPrompt) {
  const [first = '1', second] = turnsOf(prompt).split('+');
  const one = (turn: string) => ({ helpful: score(Number(turn), `about ${turn}`) });
  return second === undefined ? one(first) : { first: one(first), second: one(second) };
}

function judgeOf(script: Script = scoring, settings: Partial<JudgeSettings> = {}, cache: AnswerCache | null = null) {
  const model = scriptedModel(script);
  return { model, judge: createTestJudge(model, { turnsPerCall: 2, ...settings }, { cache }) };
}

const values = (turn: number) => [score(turn, `about ${turn}`)];

describe('a judge that is asked about two turns in a call', () => {
  it('asks about neighbours together, and about the last turn of an odd number alone', async () => {
    const { model, judge } = judgeOf();
    const about = judge.forSession(sessionOf([{}, {}, {}, {}, {}]));
    const answers = await Promise.all([0, 1, 2, 3, 4].map((turn) => about.askTurn(turn, helpful)));
    expect(asked(model)).toEqual(['1+2', '3+4', '5']);
    expect(answers.map(summarizeAnswer)).toEqual([1, 2, 3, 4, 5].map(values));
    expect(judge.usage).toMatchObject({ calls: 3, callsCached: 0 });
  });

  it('asks about each turn alone by default', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful)]);
    expect(asked(model)).toEqual(['1', '2']);
  });

  it('shows questions, session and history once, and both turns in full', async () => {
    const { model, judge } = judgeOf();
    const call = toolCall('get_order', { id: 'A-1' }, { result: 'shipped on Monday' });
    const session = sessionOf(
      [
        { input: 'Hello.', output: 'Hello, how can I help?' },
        { input: 'Bye.', output: 'Bye.' },
        { input: 'Where is A-1?', output: 'It was shipped.', steps: [call] },
        { input: 'When?', output: 'On Monday.' },
      ],
      { system: 'Be brief.' },
    );
    const about = judge.forSession(session);
    await Promise.all([about.askTurn(2, helpful), about.askTurn(3, helpful)]);
    const [prompt] = model.prompts;
    const text = prompt?.parts.join('\n\n') ?? '';
    for (const once of [
      'How good is helpful?',
      'Be brief.',
      'Hello, how can I help?',
      'shipped on Monday',
      'On Monday.',
    ])
      expect(text.split(once), once).toHaveLength(2);
    expect(text).toContain('Turn 3, which is asked about');
    expect(text).toContain('Turn 4, which is asked about');
    expect(text.indexOf('How good is helpful?')).toBeLessThan(text.indexOf('Be brief.'));
    expect(prompt?.parts.at(-1)).toBe(
      '# Your answer\n\nAnswer the question at the top twice, each turn for itself: under "first" about turn 3, and under "second" about turn 4. Answer about turn 3 as if the record ended with it: turn 4 counts neither for it nor against it, and none of its passages is cited.',
    );
    expect(prompt && questionNames(prompt)).toEqual(['first', 'second']);
  });

  it('asks about a turn alone where the other is asked something else, later, or not at all', async () => {
    const { model, judge } = judgeOf(() => ({ helpful: score(1), clear: score(1) }));
    const about = judge.forSession(sessionOf([{}, {}, {}, {}, {}, {}]));
    await Promise.all([
      about.askTurn(0, helpful),
      about.askTurn(1, clear),
      about.askTurn(2, helpful),
      about.askTurn(5, helpful),
    ]);
    await about.askTurn(3, helpful);
    expect(asked(model).sort()).toEqual(['1', '2', '3', '4', '6']);
  });

  it('asks about neighbours together where some of the questions are the same, and names whose they are', async () => {
    const { model, judge } = judgeOf((prompt) =>
      turnsOf(prompt) === '1+2'
        ? { first: { helpful: score(1) }, second: { helpful: score(2), clear: score(3) } }
        : { clear: score(4) },
    );
    const about = judge.forSession(SESSION);
    const answers = await Promise.all([
      about.askTurn(0, helpful),
      about.askTurn(1, helpful),
      about.askTurn(1, clear),
      about.askTurn(2, clear),
    ]);
    expect(answers.map(summarizeAnswer)).toEqual([[score(1)], [score(2)], [score(3)], [score(4)]]);
    expect(asked(model)).toEqual(['1+2', '3']);
    const [prompt] = model.prompts;
    expect(prompt && questionsByTurn(prompt)).toEqual(['helpful of 1', 'helpful of 2', 'clear of 2']);
    expect(prompt?.parts.at(-1)).toContain(
      'under "first" helpful about turn 1, and under "second" helpful, clear about turn 2.',
    );
    expect(prompt?.parts[0]?.split('How good is helpful?')).toHaveLength(2);
  });

  it('asks alone what has data of its own, and what depends on known facts', async () => {
    const task = fact('task');
    const { model, judge } = judgeOf(() => undefined as never);
    const about = judge.forSession(SESSION);
    const withData = question('compared', { data: { expected: 'yes' } });
    await Promise.all([about.askTurn(0, withData), about.askTurn(1, withData)]);
    expect(asked(model)).toEqual(['1', '2']);
    await Promise.all([about.askTurn(0, task), about.askTurn(1, task)]);
    expect(asked(model).slice(2)).toEqual(['1+2']);
    const late = question('late', { facts: [task] });
    await Promise.all([about.askTurn(0, late), about.askTurn(1, late)]);
    expect(asked(model).slice(3)).toEqual(['1', '2']);
  });

  it('asks alone about turns that are too long for one prompt', async () => {
    const { model, judge } = judgeOf();
    const steps = Array.from({ length: 12 }, () => toolCall('read', {}, { result: 'long '.repeat(2000) }));
    const about = judge.forSession(sessionOf([{ steps }, {}, {}, {}]));
    await Promise.all([0, 1, 2, 3].map((turn) => about.askTurn(turn, helpful)));
    expect(asked(model).sort()).toEqual(['1', '2', '3+4']);
  });

  it('asks again, alone, about the turn whose part does not fit', async () => {
    const { model, judge } = judgeOf((prompt) =>
      turnsOf(prompt) === '1+2'
        ? { first: { helpful: score(9) }, second: { helpful: score(2, 'about 2') } }
        : scoring(prompt),
    );
    const about = judge.forSession(SESSION);
    const answers = await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful)]);
    expect(asked(model)).toEqual(['1+2', '1']);
    expect(model.prompts[1]?.parts.at(-1)).toContain('helpful.score');
    expect(answers.map(summarizeAnswer)).toEqual([values(1), values(2)]);
  });

  it.each([
    ['no JSON', 'I cannot say.'],
    ['parts without names', { helpful: score(3) }],
    ['a list', [{ helpful: score(3) }, { helpful: score(3) }]],
  ])('asks again, alone, where the answer is %s', async (_, answer) => {
    const { model, judge } = judgeOf((prompt) => (turnsOf(prompt) === '1+2' ? answer : scoring(prompt)));
    const about = judge.forSession(SESSION);
    const answers = await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful)]);
    expect(asked(model).toSorted()).toEqual(['1', '1+2', '2']);
    expect(answers.map(summarizeAnswer)).toEqual([values(1), values(2)]);
  });

  it.each(['length', 'refusal'] as const)('asks alone after an answer that ended by %s', async (finish) => {
    const { model, judge } = judgeOf((prompt) =>
      turnsOf(prompt) === '1+2' ? createCompletion('{"first": {', { finish }) : scoring(prompt),
    );
    const about = judge.forSession(SESSION);
    const answers = await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful)]);
    expect(asked(model).toSorted()).toEqual(['1', '1+2', '2']);
    expect(answers.map(summarizeAnswer)).toEqual([values(1), values(2)]);
  });

  it('says of both turns why there is no answer', async () => {
    const { judge } = judgeOf(() => new ModelError('refused', 'It failed.') as never);
    const about = judge.forSession(SESSION);
    const answers = await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful)]);
    expect(answers.map(summarizeAnswer)).toEqual(['error: It failed.', 'error: It failed.']);
  });

  describe('passages', () => {
    const citing = question('helpful', {
      answer: ({ id }) => z.object({ reason: id, score: z.int() }),
    });
    const ask = async (first: string, second: string) => {
      const { model, judge } = judgeOf((prompt) =>
        turnsOf(prompt) === '1+2'
          ? { first: { helpful: score(1, first) }, second: { helpful: score(2, second) } }
          : { helpful: score(7, `t${turnsOf(prompt)}.answer`) },
      );
      const about = judge.forSession(
        sessionOf([{ steps: [toolCall('a', {}, { result: 'x' })] }, { steps: [toolCall('b', {}, { result: 'y' })] }]),
      );
      const answers = await Promise.all([about.askTurn(0, citing), about.askTurn(1, citing)]);
      return { calls: asked(model), answers: answers.map(summarizeAnswer) };
    };

    it('of the turn before can be cited by the second answer', async () => {
      expect(await ask('t1.result1', 't1.result1')).toEqual({
        calls: ['1+2'],
        answers: [[score(1, 't1.result1')], [score(2, 't1.result1')]],
      });
    });

    it('of the turn after cannot be cited by the first answer', async () => {
      expect(await ask('t2.result1', 't2.result1')).toEqual({
        calls: ['1+2', '1'],
        answers: [[score(7, 't1.answer')], [score(2, 't2.result1')]],
      });
    });
  });

  describe('with a cache', () => {
    const run = async (cache: AnswerCache, turns: readonly number[], settings: Partial<JudgeSettings> = {}) => {
      const { model, judge } = judgeOf(scoring, settings, cache);
      const about = judge.forSession(sessionOf([{}, {}, {}, {}]));
      const answers = await Promise.all(turns.map((turn) => about.askTurn(turn, helpful)));
      expect(answers.map(summarizeAnswer)).toEqual(turns.map((turn) => values(turn + 1)));
      return { asked: asked(model), cached: judge.usage.callsCached };
    };

    it('asks about no turn twice, whichever turns are asked about together', async () => {
      const cache = memoryCache();
      expect(await run(cache, [0, 1, 2])).toEqual({ asked: ['1+2', '3'], cached: 0 });
      expect(await run(cache, [0, 1, 2])).toEqual({ asked: [], cached: 3 });
      expect(await run(cache, [1])).toEqual({ asked: [], cached: 1 });
      expect(await run(cache, [3, 2, 1, 0])).toEqual({ asked: ['4'], cached: 3 });
    });

    it('uses no answer that was given about a turn alone, and the other way round', async () => {
      const cache = memoryCache();
      await run(cache, [0, 1]);
      expect(await run(cache, [0, 1], { turnsPerCall: 1 })).toEqual({ asked: ['1', '2'], cached: 0 });
      expect(await run(cache, [0, 1])).toEqual({ asked: [], cached: 2 });
    });
  });

  it('asks each sample about both turns', async () => {
    const { model, judge } = judgeOf(scoring, { samples: 3 });
    const about = judge.forSession(SESSION);
    const answers = await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful)]);
    expect(asked(model)).toEqual(['1+2', '1+2', '1+2']);
    expect(answers.map(summarizeAnswer)).toEqual([1, 2].map((turn) => Array(3).fill(values(turn)[0])));
  });

  it('gives the answers of calls about one turn, whatever is asked when, and asks nothing twice', async () => {
    const questions = ['a', 'b', 'c'].map((name) => question(name));
    const shapes = fc.array(fc.record({ turn: fc.nat(4), name: fc.nat(2), delay: fc.nat(3) }), { minLength: 1 });
    const answer = (prompt: ChatPrompt) => {
      const [first = '', second] = turnsOf(prompt).split('+');
      const names = Array.from(prompt.parts.join().matchAll(/## ([abc])\n/g), ([, name]) => name ?? '');
      const one = (turn: string) =>
        Object.fromEntries(names.map((name) => [name, score(Number(turn), `${name} of ${turn}`)]));
      return second === undefined ? one(first) : { first: one(first), second: one(second) };
    };
    await fc.assert(
      fc.asyncProperty(shapes, fc.boolean(), async (shape, hasCache) => {
        const { model, judge } = judgeOf(answer as never, {}, hasCache ? memoryCache() : null);
        const about = judge.forSession(sessionOf([{}, {}, {}, {}, {}]));
        const answers = shape.map(async ({ turn, name, delay }) => {
          for (let tick = 0; tick < delay; tick += 1) await new Promise(setImmediate);
          return about.askTurn(turn, questions[name] as Question);
        });
        for (const [index, given] of (await Promise.all(answers)).entries()) {
          const { turn = 0, name = 0 } = shape[index] ?? {};
          expect(summarizeAnswer(given)).toEqual([score(turn + 1, `${'abc'[name]} of ${turn + 1}`)]);
        }
        const all = model.prompts.flatMap(questionsByTurn);
        expect(new Set(all).size).toBe(all.length);
      }),
      { numRuns: 100 },
    );
  });
});
