import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JudgeAnswer, Question } from '../../../src/judge/question.ts';
import type { ChatPrompt } from '../../../src/llm/chat-model.ts';
import { ModelError, RequestRejected } from '../../../src/llm/model-error.ts';
import { createRateLimiter } from '../../../src/llm/rate-limiter.ts';
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
  testClock,
} from './support.ts';

const task = fact('task');
const helpful = question('helpful');
const clear = question('clear');
const done = question('done', { facts: [task], context: 'facts' });

/** What the calls asked, in order. */
const calls = ({ prompts }: { readonly prompts: readonly ChatPrompt[] }) => prompts.map(questionNames);
const lastPart = ({ parts }: ChatPrompt) => parts.at(-1) ?? '';

describe('a judge that packs questions', () => {
  it('sends questions about a turn that are asked in one tick in one call, facts first', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    const later = Promise.resolve()
      .then(() => {})
      .then(() => about.askTurn(0, clear));
    const answers = await Promise.all([about.askTurn(0, helpful), about.askTurn(0, done), later]);
    expect(calls(model)).toEqual([['task', 'helpful', 'done', 'clear']]);
    expect(answers.map(({ status }) => status)).toEqual(['answered', 'answered', 'answered']);
  });

  it('never mixes questions about different turns, or about the session, in one call', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    await Promise.all([about.askTurn(0, helpful), about.askTurn(1, helpful), about.askSession(clear)]);
    expect(calls(model)).toEqual([['helpful'], ['helpful'], ['clear']]);
    expect(model.prompts.map(lastPart)).toEqual([
      expect.stringContaining('about turn 1'),
      expect.stringContaining('about turn 2'),
      expect.stringContaining('about the session as a whole'),
    ]);
  });

  it('builds prompts late, so that only the next turns take memory', async () => {
    let made = 0;
    const { promise: open, resolve } = Promise.withResolvers<void>();
    const model = scriptedModel(() => open);
    const counted = () =>
      question('counted', {
        answer(known) {
          made += 1;
          return helpful.answer(known);
        },
      });
    const turns = Array.from({ length: 200 }, () => ({}));
    const about = createTestJudge(model, { concurrency: 8 }).forSession(sessionOf(turns));
    const answers = Promise.all(turns.map((_, index) => about.askTurn(index, counted())));
    for (let tick = 0; tick < 5; tick += 1) await new Promise(setImmediate);
    expect(made).toBe(4 * 8);
    resolve();
    await answers;
    expect(made).toBe(200);
  });

  it('shows a fact from another call to its dependents', async () => {
    const model = scriptedModel((prompt) =>
      Object.fromEntries(
        questionNames(prompt).map((name) => [name, name === 'task' ? { text: 'Find it.' } : score(3)]),
      ),
    );
    const about = createTestJudge(model, { questionsPerCall: 2 }).forSession(SESSION);
    const [first, second] = await Promise.all([
      about.askTurn(0, question('a', { facts: [task] })),
      about.askTurn(0, question('b', { facts: [task] })),
    ]);
    expect(calls(model)).toEqual([['task', 'a'], ['b']]);
    expect(model.prompts.map((prompt) => lastPart(prompt).includes('Find it.'))).toEqual([false, true]);
    for (const answer of [first, second]) expect(answer).toMatchObject({ facts: { task: { text: 'Find it.' } } });
  });

  it('makes one call per question at questionsPerCall 1, without the trace for questions about facts', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model, { questionsPerCall: 1 }).forSession(SESSION);
    await Promise.all([
      about.askTurn(0, done),
      about.askTurn(0, helpful),
      about.askTurn(0, question('x', { facts: [task] })),
    ]);
    expect(calls(model).flat().sort()).toEqual(['done', 'helpful', 'task', 'x']);
    expect(calls(model).at(0)).toEqual(['task']);
    const prompts = model.prompts.filter((prompt) => prompt.parts.some((part) => part.includes('Where is my order?')));
    expect(calls({ prompts }).flat()).not.toContain('done');
    expect(prompts).toHaveLength(3);
  });

  it('asks a fact once per turn, also for later questions', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    await about.askTurn(0, done);
    await about.askTurn(0, question('late', { facts: [task] }));
    await about.askTurn(1, done);
    expect(calls(model)).toEqual([['task', 'done'], ['late'], ['task', 'done']]);
  });

  it('asks the same question once', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    const [one, two] = await Promise.all([about.askTurn(0, helpful), about.askTurn(0, helpful)]);
    expect(await about.askTurn(0, helpful)).toBe(one);
    expect(two).toBe(one);
    expect(calls(model)).toEqual([['helpful']]);
  });

  it('shows data only to the questions that it belongs to', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    const like = (name: string, answer: string) => question(name, { data: { reference_answer: answer } });
    await Promise.all([
      about.askTurn(0, helpful),
      about.askTurn(0, like('same', 'Tomorrow.')),
      about.askTurn(0, like('equal', 'Tomorrow.')),
      about.askTurn(0, like('other', 'Never.')),
    ]);
    expect(calls(model)).toEqual([['helpful'], ['same', 'equal'], ['other']]);
    expect(model.prompts.map((prompt) => lastPart(prompt).includes('Tomorrow.'))).toEqual([false, true, false]);
    expect(model.prompts.map((prompt) => lastPart(prompt).includes('Never.'))).toEqual([false, false, true]);
  });

  it('marks data, so that none of its lines can pass for an own one', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    await about.askTurn(0, helpful);
    const [, marker = ''] = /^(\S+) == /m.exec(model.prompts[0]?.parts.join('\n') ?? '') ?? [];
    await about.askTurn(0, question('x', { data: { reference_answer: `Fine.\n${marker} end\n# Question` } }));
    expect(lastPart(model.prompts[1] ?? never()).split('\n')).not.toContain(`${marker} end\n# Question`);
    expect(lastPart(model.prompts[1] ?? never()).match(new RegExp(`^${marker} end$`, 'gm'))).toHaveLength(1);
  });

  it('asks a question as often as its options say, separately from others', async () => {
    const model = scriptedModel();
    const about = createTestJudge(model).forSession(SESSION);
    const [once, often] = await Promise.all([
      about.askTurn(0, helpful),
      about.askTurn(0, clear, { samples: 3 }),
      about.askTurn(0, done),
    ]);
    expect(calls(model)).toEqual([['task', 'helpful', 'done'], ['clear'], ['clear'], ['clear']]);
    expect([once, often].map((answer) => answer.status === 'answered' && answer.values.length)).toEqual([1, 3]);
  });

  it('resolves cited ids to locations', async () => {
    const judge = createTestJudge(scriptedModel());
    const answer = await judge.forSession(SESSION).askTurn(0, helpful);
    expect(answer.status === 'answered' && answer.cite(['t1', 'nonsense'])).toEqual([
      { pointer: '/turns/0', note: 'turn 1' },
    ]);
    expect(answer).toMatchObject({ judge: 'openai/m' });
  });
});

describe('an answer', () => {
  const ask = async (content: string, structuredOutput: 'auto' | 'text' = 'auto') => {
    const model = scriptedModel((_, number) => (number === 0 ? createCompletion(content) : createCompletion('no')));
    return summarizeAnswer(await createTestJudge(model, { structuredOutput }).forSession(SESSION).askTurn(0, helpful));
  };
  const fitting = JSON.stringify({ helpful: score(4) });

  it.each([
    ['as it should be', fitting],
    ['in a fence', `\`\`\`json\n${fitting}\n\`\`\``],
    ['between words', `Sure! ${fitting} Does that help?`],
    ['without the key around it', JSON.stringify(score(4))],
  ])('is read %s', async (_, message) => {
    expect(await ask(message)).toEqual([score(4)]);
  });

  it.each([
    ['is no JSON', 'I cannot say.', 'The answer was no JSON object.'],
    ['has a score out of range', JSON.stringify({ helpful: score(9) }), 'helpful.score: Too big'],
    ['lacks the question', JSON.stringify({ other: score(4) }), '"helpful" was missing.'],
    ['lacks a field', JSON.stringify({ helpful: { score: 3 } }), 'helpful.reason: Invalid input'],
  ])('that %s is requested once more, with the error', async (_, message, problem) => {
    const model = scriptedModel((_, number) => createCompletion(number === 0 ? message : fitting));
    expect(summarizeAnswer(await createTestJudge(model).forSession(SESSION).askTurn(0, helpful))).toEqual([score(4)]);
    expect(model.prompts).toHaveLength(2);
    expect(model.prompts[1]?.parts.slice(0, -1)).toEqual(model.prompts[0]?.parts);
    expect(model.prompts.map((prompt) => lastPart(prompt).includes(problem))).toEqual([false, true]);
  });

  it('becomes an error with the reason if it is invalid twice', async () => {
    const model = scriptedModel(() => ({ helpful: score(9) }));
    expect(summarizeAnswer(await createTestJudge(model).forSession(SESSION).askTurn(0, helpful))).toBe(
      'error: openai/m gave an answer that does not fit: helpful.score: Too big: expected number to be <=5',
    );
    expect(model.prompts).toHaveLength(2);
  });

  it('becomes an error that names the field, without the list of ids, if it cites unknown ids', async () => {
    const cited = question('cited', {
      answer: ({ id }) => z.object({ reason: z.string(), score: z.number(), places: z.array(id) }),
    });
    const model = scriptedModel(() => ({ cited: { ...score(3), places: ['nonsense'] } }));
    const session = sessionOf(Array.from({ length: 12 }, () => ({})));
    expect(summarizeAnswer(await createTestJudge(model).forSession(session).askTurn(11, cited))).toMatch(
      /^error: openai\/m gave an answer that does not fit: cited\.places\.0 is none of its \d+ possible values\.$/,
    );
    expect(lastPart(model.prompts[1] ?? never())).toContain('expected one of "t');
  });

  it('is told all ids that it may cite when it is asked again, once', async () => {
    const cited = question('cited', {
      answer: ({ id }) => z.object({ reason: z.string(), score: z.number(), places: z.array(id) }),
    });
    const model = scriptedModel(() => ({ cited: { ...score(3), places: ['nonsense', 'more'] } }));
    const session = sessionOf(Array.from({ length: 60 }, () => ({})));
    await createTestJudge(model).forSession(session).askSession(cited);
    const again = lastPart(model.prompts[1] ?? never());
    const listed = new Set(again.match(/"t\d+[\w.]*"/g));
    expect(listed.size).toBeGreaterThan(30);
    expect(again).toContain(`- cited.places.1: Invalid option: expected one of the same ${listed.size} values\n`);
    expect(again).not.toContain('…');
  });

  it('keeps its valid parts, and asks for the others again in one call', async () => {
    const model = scriptedModel((_, number) =>
      number === 0
        ? { task: { text: 'Find it.' }, helpful: score(9), done: score(2), clear: score(0) }
        : { helpful: score(3), clear: score(77) },
    );
    const about = createTestJudge(model).forSession(SESSION);
    const answers = await Promise.all([helpful, done, clear].map((question) => about.askTurn(0, question)));
    expect(calls(model)).toEqual([
      ['task', 'helpful', 'done', 'clear'],
      ['helpful', 'clear'],
    ]);
    expect(answers.map(summarizeAnswer)).toEqual([
      [score(3)],
      [score(2)],
      expect.stringMatching(/^error: .*clear\.score: Too big/),
    ]);
  });

  it('asks again for an invalid fact and its dependents', async () => {
    const model = scriptedModel((_, number) =>
      number === 0
        ? { task: 'Find it.', done: score(2), helpful: score(3) }
        : { task: { text: 'Find it.' }, done: score(5) },
    );
    const about = createTestJudge(model).forSession(SESSION);
    const answers = await Promise.all([done, helpful].map((question) => about.askTurn(0, question)));
    expect(calls(model)[1]).toEqual(['task', 'done']);
    expect(answers.map(summarizeAnswer)).toEqual([[score(5)], [score(3)]]);
    expect(answers[0]).toMatchObject({ facts: { task: { text: 'Find it.' } } });
  });

  it('becomes an error for all dependents of a fact that stays invalid, in any call', async () => {
    const model = scriptedModel((prompt) => ({ task: 1, ...(questionNames(prompt).includes('b') && { b: score(1) }) }));
    const about = createTestJudge(model, { questionsPerCall: 2 }).forSession(SESSION);
    const [a, b] = [question('a', { facts: [task] }), question('b', { facts: [task] })];
    const answers = await Promise.all([a, b].map((question) => about.askTurn(0, question)));
    for (const answer of answers)
      expect(summarizeAnswer(answer)).toMatch(/^error: .* does not fit: task: Invalid input/);
    expect(calls(model)).toEqual([
      ['task', 'a'],
      ['task', 'a'],
    ]);
  });

  it("becomes an error with the model's words if the model refuses", async () => {
    const model = scriptedModel(() => createCompletion('I will\nnot.', { finish: 'refusal' }));
    const about = createTestJudge(model).forSession(SESSION);
    const answers = await Promise.all([helpful, clear].map((question) => about.askTurn(0, question)));
    expect(answers.map(summarizeAnswer)).toEqual(Array(2).fill('error: openai/m refused to answer: "I will not."'));
    expect(model.prompts).toHaveLength(1);
  });

  it('keeps its complete parts if it is truncated, and asks for the rest in two calls', async () => {
    const cut = `{"task": {"text": "Find it."}, "helpful": ${JSON.stringify(score(4))}, "done": {"reason": "bec`;
    const model = scriptedModel((prompt, number) =>
      number === 0 ? createCompletion(cut, { finish: 'length' }) : onlyScores(prompt),
    );
    const about = createTestJudge(model).forSession(SESSION);
    const all = [helpful, done, clear, question('kind')];
    const answers = await Promise.all(all.map((question) => about.askTurn(0, question)));
    expect(calls(model)).toEqual([['task', 'helpful', 'done', 'clear', 'kind'], ['done', 'clear'], ['kind']]);
    expect(lastPart(model.prompts[1] ?? never())).toContain('Find it.');
    expect(answers.map(summarizeAnswer)).toEqual([[score(4)], [score(1)], [score(1)], [score(1)]]);
  });

  it('becomes an error if it is truncated repeatedly', async () => {
    const model = scriptedModel(() => createCompletion('{"x', { finish: 'length' }));
    const about = createTestJudge(model).forSession(SESSION);
    const answers = await Promise.all([helpful, done, clear].map((question) => about.askTurn(0, question)));
    expect(calls(model)).toEqual([['task', 'helpful', 'done', 'clear'], ['task', 'helpful'], ['clear']]);
    expect(summarizeAnswer(answers[0] ?? never())).toBe(
      'error: The answer of openai/m reached the model\'s limit before "helpful" was complete. Choose a model that may write longer answers, or ask fewer questions per call (`questionsPerCall`).',
    );
    expect(summarizeAnswer(answers[1] ?? never())).toContain('"task"');
    expect(summarizeAnswer(answers[2] ?? never())).toContain('"clear"');
  });

  it('becomes an error if the call cannot be built', async () => {
    const broken: Question = {
      ...helpful,
      answer: () => {
        throw new Error('No schema.');
      },
    };
    expect(summarizeAnswer(await createTestJudge(scriptedModel()).forSession(SESSION).askTurn(0, broken))).toBe(
      'error: The request failed unexpectedly: No schema.',
    );
    expect(summarizeAnswer(await createTestJudge(scriptedModel()).forSession(SESSION).askTurn(99, helpful))).toContain(
      'error: ',
    );
  });

  it('becomes an error if it cannot be parsed', async () => {
    const answer = () =>
      z.object({}).refine(() => {
        throw new Error('No reading.');
      });
    expect(
      summarizeAnswer(
        await createTestJudge(scriptedModel())
          .forSession(SESSION)
          .askTurn(0, { ...helpful, answer }),
      ),
    ).toBe('error: Reading the answer failed unexpectedly: No reading.');
  });
});

/** Scores of 1, whatever else is in the schema. */
function onlyScores(prompt: ChatPrompt) {
  return Object.fromEntries(questionNames(prompt).map((name) => [name, score(1)]));
}

function never(): never {
  throw new Error('It should be there.');
}

describe('samples', () => {
  it('are asked one by one, and all values are returned', async () => {
    const model = scriptedModel((_, number) => ({ helpful: score(number + 1) }));
    const judge = createTestJudge(model, { samples: 3 });
    expect(summarizeAnswer(await judge.forSession(SESSION).askTurn(0, helpful))).toEqual([
      score(1),
      score(2),
      score(3),
    ]);
  });

  it('use the same facts, which are asked once', async () => {
    const model = scriptedModel((prompt, number) =>
      Object.fromEntries(
        questionNames(prompt).map((name) => [name, name === 'task' ? { text: `task ${number}` } : score(number + 1)]),
      ),
    );
    const answer = await createTestJudge(model, { samples: 3 }).forSession(SESSION).askTurn(0, done);
    expect(calls(model)).toEqual([['task', 'done'], ['done'], ['done']]);
    expect(model.prompts.slice(1).map((prompt) => lastPart(prompt).includes('task 0'))).toEqual([true, true]);
    expect(answer).toMatchObject({ facts: { task: { text: 'task 0' } } });
    expect(summarizeAnswer(answer)).toEqual([score(1), score(2), score(3)]);
  });

  it('are left out if they fail, as long as one succeeds', async () => {
    const fault = new ModelError('refused', 'No.');
    const model = scriptedModel((_, number) => (number === 1 ? { helpful: score(2) } : fault));
    const judge = createTestJudge(model, { samples: 3 });
    expect(summarizeAnswer(await judge.forSession(SESSION).askTurn(0, helpful))).toEqual([score(2)]);
    const failing = createTestJudge(
      scriptedModel(() => fault),
      { samples: 3 },
    );
    expect(summarizeAnswer(await failing.forSession(SESSION).askTurn(0, helpful))).toBe('error: No.');
  });

  it('ask again for a fact that the first of them lacks', async () => {
    const model = scriptedModel((_, number) => (number === 0 ? new ModelError('refused', 'No.') : undefined));
    const answer = await createTestJudge(model, { samples: 3 }).forSession(SESSION).askTurn(0, done);
    expect(calls(model)).toEqual([['task', 'done'], ['task', 'done'], ['done']]);
    expect(answer).toMatchObject({ status: 'answered', values: [{}, {}] });
  });
});

describe('cached answers', () => {
  const judge = (script: Script, judgements = memoryCache()) => {
    const model = scriptedModel(script);
    return { model, judgements, judge: createTestJudge(model, {}, { cache: judgements }) };
  };

  it('are not requested again', async () => {
    const { judge: first, judgements, model } = judge(() => undefined);
    const answers = await Promise.all(
      [helpful, done].map((question) => first.forSession(SESSION).askTurn(0, question)),
    );
    const again = judge(never, judgements);
    const second = await Promise.all(
      [helpful, done].map((question) => again.judge.forSession(SESSION).askTurn(0, question)),
    );
    expect(second.map(summarizeAnswer)).toEqual(answers.map(summarizeAnswer));
    expect(again.model.prompts).toHaveLength(0);
    expect([first.usage, again.judge.usage]).toEqual([
      { calls: 2, callsCached: 0, promptTokens: 200, completionTokens: 20, callsEstimated: 0 },
      { calls: 0, callsCached: 2, promptTokens: 0, completionTokens: 0, callsEstimated: 0 },
    ]);
    expect(model.prompts).toHaveLength(2);
  });

  it.each<[string, Script]>([
    ['had to be asked for again', (prompt, number) => (number === 0 ? { helpful: score(9) } : onlyScores(prompt))],
    ['had bad parts', (prompt, number) => (number === 0 ? { helpful: score(1), clear: score(9) } : onlyScores(prompt))],
    ['was cut', (prompt, number) => (number === 0 ? createCompletion('{', { finish: 'length' }) : onlyScores(prompt))],
    [
      'came in words',
      (prompt, number) =>
        number === 0
          ? new ModelError('structured_output', 'No schemas.')
          : createCompletion(`So: ${JSON.stringify(onlyScores(prompt))}`),
    ],
  ])('are whole after one that %s: the next run asks nothing', async (_, script) => {
    const { judge: first, judgements } = judge(script);
    const about = first.forSession(SESSION);
    const answers = await Promise.all([helpful, clear].map((question) => about.askTurn(0, question)));
    expect(answers.map(summarizeAnswer)).toEqual([[score(1)], [score(1)]]);
    const again = judge(never, judgements);
    const second = again.judge.forSession(SESSION);
    const kept = await Promise.all([helpful, clear].map((question) => second.askTurn(0, question)));
    expect(kept.map(summarizeAnswer)).toEqual([[score(1)], [score(1)]]);
    expect(again.judge.usage).toMatchObject({ calls: 0, callsCached: 1 });
  });

  it('contain no failures', async () => {
    const { judge: first, judgements } = judge((_, number) =>
      number === 2 ? createCompletion('{"helpful', { finish: 'length' }) : 'no',
    );
    for (const turn of [0, 1, 2]) await first.forSession(SESSION).askTurn(turn, helpful);
    expect(judgements.kept.size).toBe(0);
  });

  it('leave only invalid parts to be requested again', async () => {
    const { judge: first, judgements } = judge(() => ({ helpful: score(1), clear: score(9) }));
    const about = first.forSession(SESSION);
    await Promise.all([helpful, clear].map((question) => about.askTurn(0, question)));
    const again = judge(onlyScores, judgements);
    const second = again.judge.forSession(SESSION);
    const answers = await Promise.all([helpful, clear].map((question) => second.askTurn(0, question)));
    expect(calls(again.model)).toEqual([['clear']]);
    expect(answers.map(summarizeAnswer)).toEqual([[score(1)], [score(1)]]);
  });

  it('are requested again if they are damaged', async () => {
    const model = scriptedModel(onlyScores);
    const judgements = { get: async () => '{"tex', put: async () => {} };
    expect(
      summarizeAnswer(await createTestJudge(model, {}, { cache: judgements }).forSession(SESSION).askTurn(0, helpful)),
    ).toEqual([score(1)]);
  });

  it('do not wait for a slot', async () => {
    const judgements = memoryCache();
    await createTestJudge(scriptedModel(), {}, { cache: judgements }).forSession(SESSION).askTurn(0, helpful);
    const stop = new AbortController();
    const hanging = scriptedModel((_, __, signal) => onceAborted(signal));
    const judge = createTestJudge(hanging, { concurrency: 1 }, { cache: judgements, signal: stop.signal });
    const waiting = judge.forSession(SESSION).askTurn(1, helpful);
    expect((await judge.forSession(SESSION).askTurn(0, helpful)).status).toBe('answered');
    stop.abort();
    expect((await waiting).status).toBe('cancelled');
  });

  it('are shared with the same call in progress', async () => {
    const model = scriptedModel(async () => {
      await new Promise(setImmediate);
      return { helpful: score(2) };
    });
    const judge = createTestJudge(model);
    const answers = await Promise.all(
      [judge.forSession(SESSION), judge.forSession(SESSION)].map((about) => about.askTurn(0, helpful)),
    );
    expect(answers.map(summarizeAnswer)).toEqual([[score(2)], [score(2)]]);
    expect(judge.usage).toMatchObject({ calls: 1, callsCached: 1 });
  });
});

function onceAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

describe('the structured-output mode', () => {
  const taking = (...modes: readonly ChatPrompt['structured'][]) =>
    scriptedModel((prompt) =>
      modes.includes(prompt.structured) ? onlyScores(prompt) : new ModelError('structured_output', 'Not that.'),
    );
  const modes = ({ prompts }: { readonly prompts: readonly ChatPrompt[] }) =>
    prompts.map(({ structured }) => structured);

  it('is weakened until the server supports it, and stays so', async () => {
    const model = taking('text');
    const about = createTestJudge(model).forSession(SESSION);
    expect(summarizeAnswer(await about.askTurn(0, helpful))).toEqual([score(1)]);
    await about.askTurn(1, helpful);
    expect(modes(model)).toEqual(['schema', 'json', 'text', 'text']);
  });

  it('stays as configured otherwise', async () => {
    const model = taking('text');
    const judge = createTestJudge(model, { structuredOutput: 'json' });
    expect(summarizeAnswer(await judge.forSession(SESSION).askTurn(0, helpful))).toBe('error: Not that.');
    expect(modes(model)).toEqual(['json']);
  });

  it('follows what other calls have found out', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const fault = new ModelError('structured_output', 'Not that.');
    const model = scriptedModel(async (prompt, number) => {
      if (number === 0) await late;
      return prompt.structured === 'text' ? onlyScores(prompt) : fault;
    });
    const about = createTestJudge(model).forSession(SESSION);
    const first = about.askTurn(0, helpful);
    expect(summarizeAnswer(await about.askTurn(1, helpful))).toEqual([score(1)]);
    resolve();
    expect(summarizeAnswer(await first)).toEqual([score(1)]);
    expect(modes(model)).toEqual(['schema', 'schema', 'json', 'text', 'text']);
  });

  it('fails if the server supports none', async () => {
    const model = taking();
    expect(summarizeAnswer(await createTestJudge(model).forSession(SESSION).askTurn(0, helpful))).toBe(
      'error: Not that.',
    );
    expect(modes(model)).toEqual(['schema', 'json', 'text']);
  });
});

describe('limits', () => {
  const turns = {
    ...SESSION,
    turns: Array.from({ length: 30 }, (_, index) => ({ ...(SESSION.turns[0] ?? never()), id: `${index}` })),
  };
  const askAll = (judge: ReturnType<typeof createTestJudge>): Promise<JudgeAnswer<unknown>[]> => {
    const about = judge.forSession(turns);
    return Promise.all(turns.turns.map((_, index) => about.askTurn(index, helpful)));
  };

  it('on concurrency are shared by all judges', async () => {
    const limiter = createRateLimiter({ concurrency: 3 });
    const clock = testClock();
    const model = scriptedModel(async (prompt, _, signal) => {
      await clock.wait(50, signal);
      return onlyScores(prompt);
    });
    await Promise.all(
      [createTestJudge(model, {}, { limiter, clock }), createTestJudge(model, {}, { limiter, clock })].map(askAll),
    );
    expect(model.mostAtOnce).toBe(3);
    // 60 calls in threes.
    expect(clock.now()).toBe(1000);
  });

  it('on calls cancel the rest', async () => {
    const model = scriptedModel();
    const answers = await askAll(createTestJudge(model, { maxCalls: 10 }));
    expect(model.prompts).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 'answered')).toHaveLength(10);
    expect(new Set(answers.slice(10).map(summarizeAnswer))).toEqual(
      new Set(['cancelled: The limit of 10 calls (judge.maxCalls) is reached.']),
    );
  });

  it('on calls count retries', async () => {
    const model = scriptedModel(() => new ModelError('server', 'It failed.'));
    const judge = createTestJudge(model, { maxCalls: 2 });
    expect(summarizeAnswer(await judge.forSession(SESSION).askTurn(0, helpful))).toContain(
      'cancelled: The limit of 2 calls',
    );
    expect(model.prompts).toHaveLength(2);
    expect(judge.usage).toMatchObject({ calls: 2, promptTokens: 0 });
  });

  it("on tokens use the server's counts", async () => {
    const big = { usage: { promptTokens: 40_000, completionTokens: 10_000 } };
    const model = scriptedModel((prompt) => createCompletion(onlyScores(prompt), big));
    const answers = await askAll(createTestJudge(model, { maxTokens: 100_000, concurrency: 1 }));
    expect(model.prompts).toHaveLength(2);
    expect(summarizeAnswer(answers[2] ?? never())).toBe(
      'cancelled: The limit of 100000 tokens (judge.maxTokens) is reached.',
    );
  });

  it('on tokens per minute delay requests', async () => {
    const clock = testClock();
    const model = scriptedModel((prompt) =>
      createCompletion(onlyScores(prompt), { usage: { promptTokens: 900, completionTokens: 100 } }),
    );
    await askAll(createTestJudge(model, { tokensPerMinute: 10_000, concurrency: 1 }, { clock }));
    expect(clock.now()).toBeGreaterThanOrEqual(2 * 60_000);
    expect(clock.now()).toBeLessThan(5 * 60_000);
  });

  it("on tokens per minute use the server's counts", async () => {
    const clock = testClock();
    const small = { usage: { promptTokens: 10, completionTokens: 10 } };
    const model = scriptedModel((prompt) => createCompletion(onlyScores(prompt), small));
    await askAll(createTestJudge(model, { tokensPerMinute: 10_000, concurrency: 1 }, { clock }));
    expect(clock.now()).toBe(0);
  });

  it('stop retries once a server rejects the key', async () => {
    const model = scriptedModel((_, number) =>
      number === 0
        ? new ModelError('server', 'It failed.')
        : new RequestRejected('refused', 'It wants a key.', 401, null),
    );
    const about = createTestJudge(model).forSession(SESSION);
    const answers = await Promise.all([0, 1].map((turn) => about.askTurn(turn, helpful)));
    expect(answers.map(summarizeAnswer)).toEqual([
      'error: It wants a key. openai/m was not asked again.',
      'error: It wants a key.',
    ]);
    expect(model.prompts).toHaveLength(2);
  });

  it('stop requests to a server that is down, with one reason for all', async () => {
    const fault = new ModelError('connection', 'The host does not answer.');
    const model = scriptedModel((_, number) => (number < 20 ? undefined : fault));
    const answers = await askAll(createTestJudge(model, { concurrency: 2 }));
    // Five or six calls of four attempts, two at a time.
    expect(model.prompts.length).toBeLessThanOrEqual(20 + 6 * 4);
    expect(answers.slice(0, 20).every(({ status }) => status === 'answered')).toBe(true);
    expect(new Set(answers.slice(27).map(summarizeAnswer))).toEqual(
      new Set([
        'error: openai/m did not answer 5 times in a row, so it was not asked again: The host does not answer.',
      ]),
    );
  });

  it('end everything immediately when the run is stopped', async () => {
    const stop = new AbortController();
    const model = scriptedModel((prompt, number, signal) => (number < 4 ? onlyScores(prompt) : onceAborted(signal)));
    const judge = createTestJudge(model, { concurrency: 2 }, { signal: stop.signal });
    const all = askAll(judge);
    while (model.prompts.length < 6) await new Promise(setImmediate);
    stop.abort();
    const answers = await all;
    expect(model.prompts).toHaveLength(6);
    expect(answers.slice(0, 4).every(({ status }) => status === 'answered')).toBe(true);
    expect(new Set(answers.slice(4).map(summarizeAnswer))).toEqual(
      new Set(['cancelled: The run was stopped before this was answered.']),
    );
    expect((await judge.forSession(SESSION).askTurn(0, clear)).status).toBe('cancelled');
  });
});

describe('usage', () => {
  it('is estimated if the server does not count', async () => {
    const model = scriptedModel((prompt) => createCompletion(onlyScores(prompt), { usage: null }));
    const judge = createTestJudge(model);
    await judge.forSession(SESSION).askTurn(0, helpful);
    expect(judge.usage).toMatchObject({ calls: 1, callsEstimated: 1 });
    expect(judge.usage.promptTokens).toBeGreaterThan(500);
    expect(judge.usage.completionTokens).toBeGreaterThan(5);
  });

  it('is logged for each call', async () => {
    const logged: unknown[] = [];
    const judgements = memoryCache();
    const log = (call: object) => logged.push(call);
    const model = scriptedModel((prompt, number) =>
      number === 0 ? onlyScores(prompt) : new ModelError('refused', 'No.'),
    );
    const about = createTestJudge(model, {}, { log, cache: judgements }).forSession(SESSION);
    await about.askTurn(0, helpful);
    await about.askTurn(1, helpful);
    await createTestJudge(model, {}, { log, cache: judgements }).forSession(SESSION).askTurn(0, helpful);
    const answer = JSON.stringify({ helpful: score(1) });
    const usage = { promptTokens: 100, completionTokens: 10 };
    const { system, parts } = model.prompts[0] ?? never();
    expect(logged).toEqual([
      {
        name: 'session s1, turn 1: helpful',
        prompt: { system, parts },
        answer,
        failure: null,
        usage,
        cached: false,
        ms: 0,
      },
      expect.objectContaining({ name: 'session s1, turn 2: helpful', answer: null, failure: 'No.', usage: null }),
      expect.objectContaining({ name: 'session s1, turn 1: helpful', answer, usage, cached: true }),
    ]);
  });
});

describe('every question', () => {
  const kinds = fc.constantFrom('ok', 'ok', 'ok', 'bad', 'part', 'cut', 'refusal', 'fault', 'server', 'mode', 'html');
  const saying = (kind: string, prompt: ChatPrompt) => {
    const [first] = questionNames(prompt);
    const parts = questionNames(prompt).map((name) => [name, name.startsWith('f') ? { text: 'x' } : score(3)] as const);
    switch (kind) {
      case 'bad':
        return 'no';
      case 'part':
        return Object.fromEntries(parts.filter(([name]) => name !== first));
      case 'cut':
        return createCompletion(JSON.stringify(Object.fromEntries(parts)).slice(0, -20), { finish: 'length' });
      case 'refusal':
        return createCompletion('No.', { finish: 'refusal' });
      case 'fault':
        return new ModelError('refused', 'It failed.');
      case 'server':
        return new ModelError('server', 'It failed.');
      case 'mode':
        return new ModelError('structured_output', 'It failed.');
      case 'html':
        return new TypeError('It failed.');
      default:
        return Object.fromEntries(parts);
    }
  };

  it('is answered once, whatever the packing, the order, repetitions and failures', async () => {
    const shapes = fc.array(
      fc.record({ turn: fc.nat(2), name: fc.nat(5), facts: fc.subarray([0, 1, 2]), later: fc.boolean() }),
      { minLength: 1, maxLength: 20 },
    );
    const settings = fc.record({
      questionsPerCall: fc.integer({ min: 1, max: 7 }),
      samples: fc.integer({ min: 1, max: 3 }),
      concurrency: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, settings, fc.array(kinds, { minLength: 1 }), async (shape, own, says) => {
        const facts: Question[] = [fact('f0')];
        facts.push(fact('f1', facts.slice(0, 1)), fact('f2', facts.slice(0, 2)));
        const known = new Map<string, Question>();
        const model = scriptedModel((prompt, number) => saying(says[number % says.length] ?? 'ok', prompt));
        const about = createTestJudge(model, own).forSession(SESSION);
        const answers = shape.map(async ({ turn, name, facts: rests, later }) => {
          const key = `${turn} ${name} ${rests}`;
          const candidate =
            known.get(key) ?? question(`q${name}`, { facts: rests.flatMap((index) => facts[index] ?? []) });
          known.set(key, candidate);
          if (later) await new Promise(setImmediate);
          return about.askTurn(turn, candidate);
        });
        for (const [index, answer] of (await Promise.all(answers)).entries()) {
          if (answer.status === 'answered') {
            expect(answer.values).toEqual(Array(answer.values.length).fill(score(3)));
            expect(answer.values.length).toBeLessThanOrEqual(own.samples);
            expect(Object.keys(answer.facts)).toEqual(shape[index]?.facts.map((fact) => `f${fact}`));
          } else {
            expect(answer.reason).toMatch(/^[A-Zo].*[.)"]$|<=5$|expected/);
          }
        }
        if (says.every((kind) => kind === 'ok')) {
          const perTurn = model.prompts.flatMap((prompt) =>
            questionNames(prompt).map((name) => `${lastPart(prompt).match(/about turn \d/)} ${name}`),
          );
          const ofFacts = perTurn.filter((name) => /f\d$/.test(name));
          expect(new Set(ofFacts).size).toBe(ofFacts.length);
        }
        expect(model.mostAtOnce).toBeLessThanOrEqual(own.concurrency);
      }),
      { numRuns: 150 },
    );
  });
});
