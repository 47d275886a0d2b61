import { describe, expect, it } from 'vitest';
import type { Evidence, MetricOutcome } from '../../../src/core/result.ts';
import type { Embedder } from '../../../src/embed/embedder.ts';
import { EmbeddingBatcher } from '../../../src/engine/embedding-batcher.ts';
import type { SessionView } from '../../../src/metrics/metric.ts';
import { counting, evaluated, needsJudge, scored, scripted, session, turn } from './support.ts';

describe('a session', () => {
  it('averages scored turns only, and says how many there are', async () => {
    const metric = scripted('m', {
      t1: scored(1),
      t2: scored(0),
      t3: { status: 'vacuous', score: 1, source: 'rules', reason: 'nothing to judge' },
      t4: { status: 'not_applicable', reason: 'no' },
      t5: needsJudge,
    });
    const { results } = await evaluated(
      [metric],
      {},
      session(
        's',
        ['t1', 't2', 't3', 't4', 't5'].map((id) => turn(id)),
      ),
    );
    expect(results.metrics.m).toMatchObject({
      status: 'scored',
      score: 0.5,
      source: 'aggregate',
      passed: true,
      reason: 'mean of 2 scored turns of 3',
      metadata: { scored: 2, of: 3 },
    });
  });

  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
    'has an error instead of the score %s, and the result is missing',
    async (score) => {
      const metric = scripted('m', { t1: scored(score), t2: scored(1) }, { scale: 'count' });
      const { results } = await evaluated([metric], {}, session('s', [turn('t1'), turn('t2')]));
      expect(results.turns[0]?.m).toMatchObject({ status: 'error', score: null, passed: null });
      expect(results.turns[0]?.m?.reason).toMatch(/not a finite number/);
      expect(results.metrics.m).toMatchObject({ status: 'scored', score: 1 });
      expect(results.missing).toMatchObject([{ code: 'metric-failed', metric: 'm', count: 1 }]);
    },
  );

  it('has a finite mean of finite scores, however large', async () => {
    const metric = scripted('m', { t1: scored(1.5e308), t2: scored(0.5e308) }, { scale: 'count' });
    const { results } = await evaluated([metric], {}, session('s', [turn('t1'), turn('t2')]));
    expect(results.metrics.m).toMatchObject({ status: 'scored', score: 1e308 });
  });

  it('has an error instead of an infinite score of its file', async () => {
    const scores = { m: Number.POSITIVE_INFINITY, reward: Number.POSITIVE_INFINITY };
    const metric = scripted('m', {}, { scale: 'count' });
    const { results } = await evaluated([metric], {}, session('s', [turn('t1', { scores })]));
    for (const name of ['m', 'reward']) {
      expect(results.turns[0]?.[name]).toMatchObject({ status: 'error', score: null, passed: null });
    }
  });

  it.each([
    [
      'vacuous scores only are vacuous',
      { t1: { status: 'vacuous', score: 1, source: 'rules', reason: 'r' } },
      'vacuous',
      1,
    ],
    [
      'a failure says more than a missing judge',
      { t1: { status: 'error', reason: 'r' }, t2: needsJudge },
      'error',
      null,
    ],
    ['no judge', { t1: needsJudge }, 'needs_judge', null],
    [
      'nothing applicable',
      { t1: { status: 'not_applicable', reason: 'r' }, t2: { status: 'not_applicable', reason: 'r' } },
      'not_applicable',
      null,
    ],
  ] as const)('without a scored turn: %s', async (_, answers, status, score) => {
    const { results } = await evaluated(
      [scripted('m', answers)],
      {},
      session(
        's',
        Object.keys(answers).map((id) => turn(id)),
      ),
    );
    expect(results.metrics.m).toMatchObject({ status, score, passed: null });
  });

  it('waits for a result of another session metric that comes later', async () => {
    const answer = Promise.withResolvers<MetricOutcome>();
    const early = counting('early', [], {
      evaluate: async (view: SessionView) => {
        const results = [await view.laterResult('late'), await view.laterResult('missing')];
        return scored(results[0]?.score === 0.3 && results[1] === undefined ? 1 : 0);
      },
    });
    const late = counting('late', [], { evaluate: () => answer.promise });
    const running = evaluated([early, late], {}, session('s', [turn('t1')]));
    answer.resolve(scored(0.3));
    expect((await running).results.metrics).toMatchObject({ early: { score: 1 }, late: { score: 0.3 } });
  });

  it('isolates a metric that throws', async () => {
    const broken = scripted(
      'broken',
      {},
      {
        evaluate: () => {
          throw new Error('oh no');
        },
      },
    );
    const { results } = await evaluated([broken, scripted('m', { t1: scored(1) })], {}, session('s', [turn('t1')]));
    expect(results.turns[0]?.broken).toMatchObject({
      status: 'error',
      score: null,
      reason: expect.stringContaining('oh no'),
    });
    expect(results.turns[0]?.m).toMatchObject({ status: 'scored', score: 1 });
  });

  it('prefers imported scores, checks their scale, and keeps those of unknown metrics', async () => {
    const subject = session(
      's',
      [turn('t1', { scores: { m: 0.25 } }), turn('t2', { scores: { m: 7 } }), turn('t3', { scores: { m: 'good' } })],
      { scores: { reward: 1, overall: 0.9 } },
    );
    const { results } = await evaluated([scripted('m', { t1: scored(1) }), counting('overall', ['m'])], {}, subject);
    expect(results.turns.map((metrics) => [metrics.m?.status, metrics.m?.score, metrics.m?.source])).toEqual([
      ['scored', 0.25, 'imported'],
      ['error', null, null],
      ['error', null, null],
    ]);
    expect(results.metrics.overall).toMatchObject({ score: 0.9, source: 'imported' });
    expect(results.metrics.reward).toMatchObject({ status: 'scored', score: 1, source: 'imported', threshold: null });
  });

  it('is not affected by a score with a special name', async () => {
    const scores = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, number>;
    const { results } = await evaluated([scripted('m', {})], {}, session('s', [turn('t1')], { scores }));
    expect(Object.keys(results.metrics).sort()).toEqual(['__proto__', 'constructor', 'm']);
    expect(Object.getPrototypeOf(results.metrics)).toBe(Object.prototype);
  });

  it('gives session metrics one entry per turn', async () => {
    const { results } = await evaluated(
      [scripted('m', { t1: scored(1), t3: scored(1) }), counting('overall', ['m'])],
      {},
      session(
        's',
        ['t1', 't2', 't3'].map((id) => turn(id)),
      ),
    );
    expect(results.metrics.overall?.score).toBe(0.2);
  });

  it('gives cancelled results after an abort, and keeps earlier ones', async () => {
    const controller = new AbortController();
    const metric = scripted(
      'm',
      {},
      {
        evaluate: ({ index }) => {
          if (index === 1) controller.abort();
          return scored(1);
        },
      },
    );
    const { results } = await evaluated(
      [metric],
      {},
      session(
        's',
        ['t1', 't2', 't3'].map((id) => turn(id)),
      ),
      { signal: controller.signal },
    );
    expect(results.turns.map((metrics) => metrics.m?.status)).toEqual(['scored', 'scored', 'cancelled']);
    expect(results.missing).toEqual([{ code: 'interrupted', metric: 'm', reason: 'The run was stopped', count: 1 }]);
  });

  it('keeps the imported scores of turns after an abort', async () => {
    const turns = [turn('t1', { scores: { m: 0.5, reward: 1 } }), turn('t2'), turn('t3')];
    const { results } = await evaluated([scripted('m', {}), scripted('n', {})], {}, session('s', turns), {
      signal: AbortSignal.abort(),
    });
    const statuses = results.turns.map((metrics) =>
      Object.entries(metrics).map(([name, { status }]) => [name, status]),
    );
    const cancelled = [
      ['m', 'cancelled'],
      ['n', 'cancelled'],
    ];
    expect(statuses).toEqual([
      [
        ['m', 'scored'],
        ['n', 'cancelled'],
        ['reward', 'scored'],
      ],
      cancelled,
      cancelled,
    ]);
    expect(results.missing.map(({ metric, count }) => [metric, count]).sort()).toEqual([
      ['m', 2],
      ['n', 3],
    ]);
  });

  it('counts a failure where it arose, not in derived results and not for invalid imported scores', async () => {
    const down: MetricOutcome = { status: 'error', reason: 'The model is down.' };
    const subject = session('s', [turn('t1'), turn('t2'), turn('t3', { scores: { asked: 7, called: 7 } })]);
    const answers = { t1: down, t2: down };
    const { results } = await evaluated(
      [
        scripted('asked', answers, { usesJudge: true }),
        scripted('called', { ...answers, t2: scored(1) }, { isUserFunction: true }),
        scripted('made', { ...answers, t3: down }, { uses: ['asked'] }),
        scripted('broken', {}, { evaluate: () => Promise.reject(new Error('oh no')) }),
      ],
      {},
      subject,
    );
    expect(results.turns[2]?.asked).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('The file gives'),
    });
    expect(results.turns[2]?.made?.status).toBe('error');
    expect(results.missing).toEqual([
      { code: 'judge-unanswered', metric: 'asked', reason: 'The model is down.', count: 2 },
      { code: 'function-failed', metric: 'called', reason: 'The model is down.', count: 1 },
      { code: 'metric-failed', metric: 'broken', reason: 'oh no', count: 3 },
    ]);
  });

  it('shares the result of an outcome that does not depend on its turn', async () => {
    const { results } = await evaluated([scripted('m', {})], {}, session('s', [turn('t1'), turn('t2')]));
    expect(results.turns[0]?.m).toBe(results.turns[1]?.m);
  });

  it('shares results that say the same, unless they have evidence or come from a function of the user', async () => {
    const answers = (evidence: readonly Evidence[] = []) => ({
      t1: { ...scored(1), metadata: { calls: 2 }, evidence },
      t2: { ...scored(1), metadata: { calls: 2 }, evidence },
      t3: { ...scored(1), metadata: { calls: 3 }, evidence },
    });
    const { results } = await evaluated(
      [
        scripted('plain', answers()),
        scripted('proven', answers([{ pointer: '/turns/t1', note: '' }])),
        scripted('own', answers(), { isUserFunction: true }),
      ],
      {},
      session('s', [turn('t1'), turn('t2'), turn('t3')]),
    );
    const [first, second, third] = results.turns;
    expect(first?.plain).toBe(second?.plain);
    expect(first?.plain).not.toBe(third?.plain);
    expect(third?.plain?.metadata).toEqual({ calls: 3 });
    expect(first?.proven).not.toBe(second?.proven);
    expect(first?.own).not.toBe(second?.own);
  });
});

describe('embeddings', () => {
  const byLength = (embedded: string[]): Embedder => ({
    provider: 'lexical',
    model: null,
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map((text) => Float32Array.of(text.length));
    },
  });

  it('are computed once per text', async () => {
    const texts: string[] = [];
    const embeddings = new EmbeddingBatcher(byLength(texts), new AbortController().signal);
    const [one, three, again] = await embeddings.embed(['a', 'abc', 'a']);
    expect([one?.[0], three?.[0], again?.[0]]).toEqual([1, 3, 1]);
    expect(await embeddings.embed(['abc'])).toEqual([three]);
    expect(texts).toEqual(['a', 'abc']);
    expect(embeddings.embeddedTexts).toBe(2);
  });

  it('are cached for a few turns only, also if more texts are requested at once than fit', async () => {
    const embedded: string[] = [];
    const embeddings = new EmbeddingBatcher(byLength(embedded), new AbortController().signal);
    const texts = Array.from({ length: 200 }, (_, index) => 'x'.repeat(index));
    expect((await embeddings.embed(texts)).map((vector) => vector[0])).toEqual(texts.map((text) => text.length));
    await embeddings.embed(['']);
    expect(embedded).toHaveLength(201);
  });
});
