import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EvaluateFilesOptions, evaluateFiles } from '../../src/app/evaluate-files.ts';
import { sampleFromSchema } from '../../src/app/sample-from-schema.ts';
import {
  type AnswerCache,
  defineConfig,
  defineRule,
  evaluate,
  type Format,
  type ModelProvider,
  passAtK,
  passPowK,
  type ReportWriter,
  type RunEvent,
  type Session,
  turnMetric,
} from '../../src/index.ts';
import { hang, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD } from '../support/traces.ts';
import { memoryFileSystem } from './input/memory-file-system.ts';

const SESSION: Session = {
  id: 'mine',
  source: { file: 'memory', format: 'turnwise', pointer: '' },
  turns: [
    { id: 't1', pointer: '/turns/0', input: 'Where is my order?', output: 'It is on its way to you.', steps: [] },
    { id: 't2', pointer: '/turns/1', input: 'And my other one?', output: 'It is on its way to you.', steps: [] },
  ],
};

describe('the library', () => {
  const file = async (name: string, value: unknown) => {
    const folder = await temporaryFolder({ [name]: JSON.stringify(value) });
    return { path: join(folder.path, name), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
  };

  it("evaluates the caller's sessions", async () => {
    const report = await evaluate([SESSION], { metrics: ['loop_detection'] });
    expect(report.sessions[0]?.turns[1]?.metrics.loop_detection).toMatchObject({
      status: 'scored',
      score: 0,
      passed: false,
    });
  });

  it('evaluates files, and streams results', async () => {
    await using chat = await file('chat.json', [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi!' },
    ]);
    const events: RunEvent['type'][] = [];
    const report = await evaluate([chat.path], {}, { onResult: ({ type }) => events.push(type) });
    expect(report).toMatchObject({ verdict: 'passed', tool: { name: 'turnwise' }, problems: [] });
    expect(events).toEqual(['started', 'turn', 'session']);
  });

  it('lets the caller confirm the configuration, with the criteria beside the files, and the keys', async () => {
    await using folder = await temporaryFolder({
      'a.evalset.json': await readFile(join(import.meta.dirname, '../../samples/meeting-rooms.evalset.json'), 'utf8'),
      'test_config.json': JSON.stringify({ criteria: { response_evaluation_score: 3 } }),
      'chat.json': GOOD,
    });
    await using stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai } as const;
    const ask = async (name: string, decide: EvaluateFilesOptions['confirm']) => {
      const options = { cache: false, env: { TURNWISE_HOME: folder.path, TURNWISE_API_KEY: 'given' }, confirm: decide };
      await evaluateFiles([join(folder.path, name)], { judge }, options);
    };
    const metrics: unknown[] = [];
    await ask('a.evalset.json', async ({ sessions, configuration }) => {
      metrics.push(sessions.length, configuration.metrics);
      return { configuration };
    });
    expect(metrics).toEqual([1, { response_evaluation_score: { enabled: true, threshold: 3 } }]);
    await ask('chat.json', async ({ configuration }) => ({
      configuration: { ...configuration, judge: { ...configuration.judge, provider: 'rules' } },
    }));
    expect(stub.requests).toEqual([]);
    const env = { TURNWISE_HOME: folder.path, TURNWISE_API_KEY: 'decided' };
    await ask('chat.json', async ({ configuration }) => ({ configuration, env }));
    expect(new Set(stub.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer decided']));
  });

  it('reads from a given file system, and passes on what it read before it evaluates', async () => {
    const chat = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi!' },
    ];
    const seen: string[] = [];
    await evaluateFiles(
      ['/nowhere/chat.json'],
      {},
      {
        files: memoryFileSystem({ '/nowhere/chat.json': JSON.stringify(chat) }),
        onRead: ({ sessions, locator }) => {
          const [turn] = sessions[0]?.turns ?? [];
          const place = locator.locate('/nowhere/chat.json', [turn?.pointer ?? '']).get(turn?.pointer ?? '');
          seen.push(`${sessions.length} session, ${turn?.input} in line ${place?.line}`);
        },
        onResult: ({ type }) => seen.push(type),
      },
    );
    expect(seen).toEqual(['1 session, Hello in line 1', 'started', 'turn', 'session']);
  });

  it('rejects an invalid configuration with a sentence', async () => {
    await expect(evaluate([SESSION], { metrics: ['loop_detektion'] })).rejects.toThrow('loop_detection');
  });

  it('reports an aborted run instead of rejecting', async () => {
    await using chat = await file('chat.json', [{ role: 'user', content: 'Hello' }]);
    const report = await evaluate([chat.path], {}, { signal: AbortSignal.abort() });
    expect(report).toMatchObject({ verdict: 'undecided', run: { complete: false } });
  });

  it('asks models with the keys of the given environment, and stops on abort', async () => {
    await using home = await temporaryFolder();
    await using stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai } as const;
    const env = { TURNWISE_HOME: home.path, TURNWISE_API_KEY: 'tw-mine' };
    const calls: string[] = [];
    const options = { env, onCall: ({ name }: { name: string }) => calls.push(name) };
    const report = await evaluate([SESSION], { judge, metrics: ['helpfulness'] }, options);
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness).toMatchObject({ status: 'scored', judge: 'openai/m' });
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer tw-mine', 'Bearer tw-mine']);
    expect(calls).toHaveLength(2);

    stub.play(() => hang);
    const stop = new AbortController();
    void stub.arrived(4).then(() => stop.abort());
    const stopped = await evaluate([SESSION], { judge }, { env, cache: false, signal: stop.signal });
    expect(stopped).toMatchObject({ verdict: 'undecided', run: { complete: false } });
    expect(stopped.sessions[0]?.turns[0]?.metrics.helpfulness?.status).toBe('cancelled');
  });

  it('rejects OpenAI without its key', async () => {
    const configuration = { judge: { provider: 'openai', model: 'm' } } as const;
    await expect(evaluate([SESSION], configuration, { env: {} })).rejects.toThrow('set OPENAI_API_KEY');
  });

  it('warns about an unusable cache, and evaluates anyway', async () => {
    await using file = await temporaryFolder({ home: 'in the way' });
    await using stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai } as const;
    const env = { TURNWISE_HOME: join(file.path, 'home') };
    const report = await evaluate([SESSION], { judge, metrics: ['helpfulness'] }, { env });
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness?.status).toBe('scored');
    expect(report.problems).toMatchObject([
      {
        severity: 'warning',
        code: 'cache',
        file: env.TURNWISE_HOME,
        message: expect.stringContaining('cannot be cached'),
      },
    ]);
  });

  it('samples sessions evenly, and selects one by its id', async () => {
    await using native = await file('native.json', {
      turnwise: 1,
      sessions: Array.from({ length: 10 }, (_, index) => ({
        id: `s${index}`,
        turns: [{ input: 'Hi', output: 'Hello' }],
      })),
    });
    const ids = async (options: Parameters<typeof evaluateFiles>[2]) =>
      (await evaluateFiles([native.path], {}, options)).sessions.map(({ id }) => id);
    expect(await ids({ sample: 3 })).toEqual(['s0', 's3', 's6']);
    expect(await ids({ sample: 99 })).toHaveLength(10);
    expect(await ids({ session: 's7' })).toEqual(['s7']);
  });

  it('applies the criteria beside an evaluation set to each session', async () => {
    const part = (text: string) => ({ parts: [{ text }] });
    const set = {
      eval_set_id: 'set',
      eval_cases: [
        {
          eval_id: 'c1',
          conversation: [{ invocation_id: 'i1', user_content: part('Add 2 and 2'), final_response: part('It is 4.') }],
        },
      ],
    };
    const session = {
      id: 'c1',
      app_name: 'app',
      user_id: 'u',
      events: [
        { id: 'e1', invocation_id: 'i1', author: 'user', content: part('Add 2 and 2') },
        { id: 'e2', invocation_id: 'i1', author: 'agent', content: part('No idea at all.') },
      ],
    };
    const criteria = { criteria: { response_match_score: 0.8 } };
    const files = { 'case.evalset.json': JSON.stringify(set), 'case.session.json': JSON.stringify(session) };
    await using without = await temporaryFolder(files);
    await using folder = await temporaryFolder({ ...files, 'test_config.json': JSON.stringify(criteria) });
    expect((await evaluate([without.path])).verdict).toBe('passed');
    expect(await evaluate([folder.path])).toMatchObject({
      verdict: 'failed',
      gates: [
        { scope: 'session', subject: 'c1', metric: 'response_match_score', threshold: 0.8, actual: 0, met: false },
        {},
      ],
    });
    const own = await evaluate([folder.path], { gates: { thresholds: { response_match_score: 0 } } });
    expect(own.verdict).toBe('passed');
  });

  it('estimates pass@k and pass^k', () => {
    expect(passAtK({ n: 4, c: 2, k: 2 }).passAtK).toBeCloseTo(1 - 1 / 6);
    expect(passPowK({ n: 4, c: 2, k: 2 })).toBeCloseTo(1 / 6);
  });
});

describe('plug-ins', () => {
  it('gives a configuration its type', () => {
    expect(defineConfig({ gates: { failOn: 'high' } })).toEqual({
      gates: { failOn: 'high' },
    });
  });

  it('reads files of a format of its own, before the built-in ones', async () => {
    const format: Format = {
      name: 'my-log',
      title: 'My log',
      description: 'A list of lines.',
      detect: ({ value }) => (Array.isArray(value) && value[0] === 'my log' ? 'begins with "my log"' : null),
      read: ({ file }) => ({
        sessions: [{ ...SESSION, id: 'logged', source: { file, format: 'my-log', pointer: '' } }],
        problems: [],
      }),
    };
    await using folder = await temporaryFolder({ 'a.json': JSON.stringify(['my log', 'hello']) });
    const report = await evaluate([join(folder.path, 'a.json')], {}, { formats: [format] });
    expect(report).toMatchObject({ sessions: [{ id: 'logged', source: { format: 'my-log' } }], problems: [] });
  });

  it('runs a rule of its own, which the configuration can name', async () => {
    const rule = defineRule({
      id: 'on-its-way',
      title: 'Says that it is on its way',
      proves: 'The agent says that something is on its way.',
      severity: 'high',
      label: 'false information',
      affects: [],
      page: { how: '', silent: '', remedy: '' },
      check: ({ session }) =>
        session.turns.flatMap((turn, index) =>
          turn.output?.includes('on its way')
            ? [{ turn: index, message: 'It says so.', evidence: [{ pointer: turn.pointer, note: 'the answer' }] }]
            : [],
        ),
    });
    const report = await evaluate([SESSION], {}, { rules: [rule] });
    expect(report.failures).toMatchObject([{ label: 'false information', title: rule.title, count: 2 }]);
    const lower = await evaluate([SESSION], { rules: { 'on-its-way': 'info' } }, { rules: [rule] });
    expect(lower.failures).toEqual([]);
    expect(lower.observations).toMatchObject([{ rule: rule.id, title: rule.title }, { rule: rule.id }]);
    await expect(evaluate([SESSION], { rules: { 'on-its-way': 'info' } })).rejects.toThrow('on-its-way');
  });

  it('computes a metric of its own, which the configuration can gate', async () => {
    const politeness = turnMetric({
      name: 'politeness',
      question: 'Does the agent greet?',
      source: 'test',
      scale: 'unit',
      threshold: 0.5,
      needs: [],
      evaluate: () => ({ status: 'scored', score: 0, source: 'rules', reason: 'no greeting' }),
    });
    const configuration = { gates: { thresholds: { politeness: 0.5 } } };
    const report = await evaluate([SESSION], configuration, { metrics: [politeness] });
    expect(report.sessions[0]?.metrics.politeness).toMatchObject({ score: 0, source: 'aggregate' });
    expect(report.gates).toContainEqual(expect.objectContaining({ metric: 'politeness', met: false }));
    await expect(evaluate([SESSION], configuration)).rejects.toThrow('politeness');
  });

  it('asks a judge of its own provider, and stores the answers where it says', async () => {
    let calls = 0;
    const provider: ModelProvider = {
      name: 'mine',
      defaultBaseUrl: 'http://127.0.0.1:1',
      exampleBaseUrl: 'http://127.0.0.1:1',
      questionsPerCall: 32,
      concurrency: 1,
      createChatModel: ({ model }) => ({
        provider: 'mine',
        model,
        fingerprint: '',
        chat: () => Promise.reject(new Error('Nothing chats.')),
        complete: async ({ exactSchema }) => {
          calls += 1;
          return { text: JSON.stringify(sampleFromSchema(exactSchema())), finish: 'stop', usage: null };
        },
      }),
      createEmbeddingModel: () => {
        throw new Error('There is none.');
      },
    };
    const answers = new Map<string, string>();
    const store: AnswerCache = {
      get: async (key) => answers.get(key) ?? null,
      put: async (key, answer) => void answers.set(key, answer),
    };
    await using home = await temporaryFolder({});
    const options = { judge: { provider, model: 'm' }, store, env: { TURNWISE_HOME: home.path } };
    const report = await evaluate([SESSION], { metrics: ['helpfulness'] }, options);
    expect(report.run).toMatchObject({ judge: { provider: 'mine', model: 'm' } });
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness).toMatchObject({ status: 'scored', judge: 'mine/m' });
    expect(answers.size).toBeGreaterThan(0);
    const before = calls;
    const again = await evaluate([SESSION], { metrics: ['helpfulness'] }, options);
    expect(again.run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: before });
    expect(calls).toBe(before);
  });

  it('writes reports with its own writer', async () => {
    const writer: ReportWriter = {
      name: 'verdict',
      title: 'The verdict alone',
      extension: '.txt',
      mediaType: 'text/plain',
      write: ({ verdict }) => `${verdict}\n`,
    };
    await using folder = await temporaryFolder({});
    const file = join(folder.path, 'verdict.txt');
    const report = await evaluate([SESSION], {}, { writers: [{ writer, file }] });
    expect(await readFile(file, 'utf8')).toBe(`${report.verdict}\n`);
  });
});
