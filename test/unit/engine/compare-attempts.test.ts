import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Session, Task, ToolStep } from '../../../src/core/session.ts';
import { evaluateSessions } from '../../../src/engine/evaluate.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import { configuration, session, turn } from './support.ts';

function call(name: string, args: ToolStep['arguments'], more: Partial<ToolStep> = {}): ToolStep {
  return {
    type: 'tool',
    pointer: '/turns/t/steps/0',
    name,
    arguments: args,
    outcome: 'ok',
    requestedBy: 'agent',
    ...more,
  };
}

const TASK: Task = { id: '7', dataset: 'shop' };

/** An attempt that cancels these orders, of which `-` is none. */
function attempt(id: string, orders: string, { task, ...more }: Partial<Session> = {}): Session {
  const steps =
    orders === '-'
      ? []
      : [...orders].map((order, index) =>
          call('cancel_order', { order_id: order }, { pointer: `/turns/t/steps/${index}` }),
        );
  return session(id, [turn('t', { steps, output: `Done by ${id}.` })], { task: { ...TASK, ...task }, ...more });
}

function run(sessions: readonly Session[], input: ConfigurationInput = {}) {
  return evaluateSessions({
    sessions,
    configuration: configuration(input),
    judges: NO_JUDGES,
    embedder: null,
    locate: () => new Map(),
    version: '1.2.3',
    signal: new AbortController().signal,
  });
}

async function agreementsOf(sessions: readonly Session[], input: ConfigurationInput = {}) {
  const report = await run(sessions, { metrics: ['attempt_agreement'], ...input });
  return report.sessions.map(({ metrics: { attempt_agreement: result } }) => result);
}

/** Three that cancel order A, and one that cancels order B. */
const THREE_TO_ONE = [attempt('one', 'A'), attempt('two', 'A'), attempt('three', 'A'), attempt('four', 'B')];

describe('attempt_agreement', () => {
  it('is the share of the other attempts with the same changes, and shows what most others did', async () => {
    const [first, , , last] = await agreementsOf(THREE_TO_ONE);
    expect(first).toMatchObject({
      status: 'scored',
      score: 2 / 3,
      source: 'aggregate',
      reason: '2 of 3 other attempts made the same changes.',
      metadata: { others: 3, same: 2, sameAgent: null, overlap: 2 / 4 },
    });
    expect(last).toMatchObject({
      score: 0,
      reason:
        'None of 3 other attempts made the same changes. 3 of 3 other attempts called `cancel_order` with `order_id` "A"; this one called `cancel_order` with `order_id` "B" instead.',
      evidence: [
        { pointer: '/turns/t/steps/0', note: 'this attempt: `cancel_order` with `order_id` "B"' },
        { pointer: '/turns/t/steps/0', note: 'attempt one: `cancel_order` with `order_id` "A"', file: 'one.json' },
      ],
      metadata: { likely: { attempts: 3, changes: ['`cancel_order` with `order_id` "A"'] } },
    });
  });

  it('compares attempts of several agents, and says how many are of the same', async () => {
    const agents = ['x', 'x', 'y', 'z'];
    const sessions = agents.map((agent, index) => attempt(`s${index}`, 'A', { task: { ...TASK, agent } }));
    const [first, , third] = await agreementsOf(sessions);
    expect(first).toMatchObject({
      score: 1,
      reason: '3 of 3 other attempts made the same changes (1 of the 3 by the same agent).',
      metadata: { sameAgent: 1 },
    });
    expect(third).toMatchObject({
      score: 1,
      reason: '3 of 3 other attempts made the same changes (none by the same agent).',
      metadata: { sameAgent: 0 },
    });
  });

  it('names the only other attempt and its agent, if it is another one', async () => {
    const [one, two] = [attempt('one', 'A'), attempt('two', 'B')];
    expect((await agreementsOf([one, two]))[0]?.reason).toBe(
      'The other attempt, two, made other changes. The other attempt called `cancel_order` with `order_id` "B"; this one called `cancel_order` with `order_id` "A" instead.',
    );
    const by = (session: Session, agent: string) => ({ ...session, task: { ...TASK, agent } });
    const [first] = await agreementsOf([by(one, 'small'), by(two, 'large')]);
    expect(first?.reason).toMatch(/^The other attempt, two by the agent large, made other changes\. /);
    const [same] = await agreementsOf([by(one, 'small'), by(attempt('three', 'A'), 'large')]);
    expect(same?.reason).toBe('The other attempt, three by the agent large, made the same changes.');
  });

  it('needs other attempts: of one dataset and id, or of one goal and id where no dataset is named', async () => {
    const others = [
      attempt('two', 'A', { task: { id: '8', dataset: 'shop' } }),
      attempt('three', 'A', { task: { id: '7', dataset: 'airline' } }),
      attempt('four', 'A', { task: { id: '7', dataset: undefined }, goal: 'Cancel A' }),
      attempt('five', 'A', { task: { id: '7', dataset: undefined }, goal: 'Cancel B' }),
    ];
    const results = await agreementsOf([attempt('one', 'A'), ...others]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'needs_attempts',
        score: null,
        reason: 'There is no other attempt of this task in the run.',
      });
    }
    const [goal] = await agreementsOf(
      ['a', 'b'].map((id) => attempt(id, 'A', { task: { id: '7', dataset: undefined }, goal: 'Cancel A' })),
    );
    expect(goal).toMatchObject({ status: 'scored', score: 1 });
  });

  it('does not apply to a session without a task, or without content', async () => {
    const sessions = [
      session('one', [turn('t')]),
      attempt('two', 'A', { turns: [turn('t', { captured: false, output: null })] }),
      attempt('three', 'A'),
    ];
    expect((await agreementsOf(sessions)).map((result) => result?.status)).toEqual([
      'not_applicable',
      'not_applicable',
      'needs_attempts',
    ]);
  });

  it('of attempts that only read is vacuous', async () => {
    const results = await agreementsOf(['one', 'two'].map((id) => attempt(id, '-')));
    expect(results).toMatchObject([
      { status: 'vacuous', score: 1, reason: 'No attempt of the task changes anything.' },
      { status: 'vacuous', score: 1 },
    ]);
  });

  it('does not apply where it is not known whether any tool changes state, unless the configuration says so', async () => {
    const sessions = ['one', 'two'].map((id) =>
      session(id, [turn('t', { steps: [call('frobnicate', { id: 1 })], output: id })], { task: TASK }),
    );
    expect(await agreementsOf(sessions)).toMatchObject([
      {
        status: 'not_applicable',
        reason: expect.stringContaining('not known whether 2 calls did: stateChangingTools'),
      },
      { status: 'not_applicable' },
    ]);
    expect(await agreementsOf(sessions, { stateChangingTools: ['frobnicate'] })).toMatchObject([
      { score: 1 },
      { score: 1 },
    ]);
  });

  it('counts a session that was read twice once', async () => {
    const copy: Session = {
      ...attempt('one', 'A'),
      id: 'one-2',
      source: { file: 'copy.json', format: 'turnwise', pointer: '' },
    };
    const [first, second] = await agreementsOf([attempt('one', 'A'), copy]);
    expect([first?.status, second?.status]).toEqual(['needs_attempts', 'needs_attempts']);
    const results = await agreementsOf([attempt('one', 'A'), copy, attempt('two', 'B')]);
    expect(results.map((result) => result?.metadata.others)).toEqual([1, 1, 1]);
  });

  it('does not compare others with an attempt that ended early', async () => {
    const stopped = attempt('stopped', 'A', {
      turns: [
        turn('t', {
          steps: [call('cancel_order', { order_id: 'A' }), call('cancel_order', {}, { outcome: 'missing' })],
        }),
      ],
    });
    expect(await agreementsOf([stopped, attempt('one', 'AB'), attempt('two', 'AB')])).toMatchObject([
      { score: 0, metadata: { others: 2, endedEarly: true } },
      { score: 1, metadata: { others: 1 } },
      { score: 1, metadata: { others: 1 } },
    ]);
  });

  it('is the score of the trace where there is one', async () => {
    const scores = { attempt_agreement: 0.25 };
    const [first] = await agreementsOf([attempt('one', 'A', { scores }), attempt('two', 'A')]);
    expect(first).toMatchObject({ score: 0.25, source: 'imported' });
  });

  it('counts in averages, coverage and gates of the run', async () => {
    const { gates, metrics } = await run(
      [...THREE_TO_ONE, attempt('alone', 'A', { task: { id: '8', dataset: 'shop' } })],
      {
        metrics: ['attempt_agreement'],
        gates: { thresholds: { attempt_agreement: 0.9 }, minCoverage: 0, failOn: 'never' },
      },
    );
    expect(metrics.attempt_agreement).toMatchObject({ score: 0.5, metadata: { scored: 4, of: 5 } });
    expect(gates).toMatchObject([{ metric: 'attempt_agreement', met: false, scored: 4, of: 5 }]);
  });
});

describe('the attempts of a task', () => {
  it('say how many agree, across agents, and which stand out', async () => {
    const agents = ['x', 'x', 'y', 'y'];
    const sessions = THREE_TO_ONE.map((one, index) => ({ ...one, task: { ...TASK, agent: agents[index] } }));
    const { scenarios } = await run(sessions);
    const likely = ['`cancel_order` with `order_id` "A"'];
    expect(scenarios.map(({ name, agreement }) => [name, agreement])).toEqual([
      ['shop · 7 · x', { attempts: 4, agreeing: 3, likely, standOut: [] }],
      ['shop · 7 · y', { attempts: 4, agreeing: 3, likely, standOut: ['four'] }],
    ]);
  });

  it('name nothing as likely where no more than half agree, and nothing at all where there is one attempt', async () => {
    const two = await run([attempt('one', 'A'), attempt('two', 'B')]);
    expect(two.scenarios).toMatchObject([{ agreement: { attempts: 2, agreeing: 1, likely: null, standOut: [] } }]);
    const alone = await run([attempt('one', 'A')]);
    expect(alone.scenarios[0]).not.toHaveProperty('agreement');
    const reading = await run([attempt('one', '-'), attempt('two', '-')]);
    expect(reading.scenarios[0]).not.toHaveProperty('agreement');
  });
});

describe('outlier-attempt', () => {
  const ALONE: ConfigurationInput = { rules: { 'state-change': 'off' } };

  it('is an observation on the attempt that stands out, with both lines', async () => {
    const { observations, failures } = await run(THREE_TO_ONE, ALONE);
    const outliers = observations.filter(({ rule }) => rule === 'outlier-attempt');
    expect(outliers).toMatchObject([
      {
        session: 'four',
        file: 'four.json',
        turn: 0,
        pointer: '/turns/t/steps/0',
        title: 'Attempt unlike the others',
        reason:
          '3 of 3 other attempts called `cancel_order` with `order_id` "A"; this one called `cancel_order` with `order_id` "B" instead.',
        evidence: [{ file: 'four.json' }, { file: 'one.json' }],
      },
    ]);
    expect(failures.flatMap(({ occurrences }) => occurrences.map(({ rule }) => rule))).not.toContain('outlier-attempt');
  });

  it('fails no right attempt that three wrong ones outvote, and decides no outcome', async () => {
    const failed = { scores: { reward: 0 }, outcome: { status: 'failed', reason: 'reward 0' } } as const;
    const right = { scores: { reward: 1 }, outcome: { status: 'succeeded', reason: 'reward 1' } } as const;
    const wrong = ['one', 'two', 'three'].map((id) => attempt(id, 'A', failed));
    const { sessions } = await run([...wrong, attempt('four', 'B', right), attempt('five', 'B')]);
    expect(sessions.map(({ verdict, outcome }) => [verdict, outcome.status])).toEqual([
      ['failed', 'failed'],
      ['failed', 'failed'],
      ['failed', 'failed'],
      ['passed', 'succeeded'],
      ['passed', 'unknown'],
    ]);
  });

  it.each([
    ['two of three others agree', ['A', 'A', 'B', 'C'], []],
    ['only two others exist', ['A', 'A', 'B'], []],
    ['three of four others agree', ['A', 'A', 'A', 'B', 'C'], ['3', '4']],
    ['three others changed nothing', ['-', '-', '-', 'B'], ['3']],
  ])('where %s', async (_, changes, expected) => {
    const { observations } = await run(changes.map((orders, index) => attempt(String(index), orders)));
    const outliers = observations.filter(({ rule }) => rule === 'outlier-attempt');
    expect(outliers.map(({ session: id }) => id)).toEqual(expected);
  });

  it.each([
    [
      'changed nothing',
      '-',
      '3 of 3 other attempts called `cancel_order` with `order_id` "A"; this one changed nothing.',
    ],
    ['changed more', 'AB', '3 of 3 other attempts did less: this one also called `cancel_order` with `order_id` "B".'],
  ])('says that an attempt %s', async (_, changes, reason) => {
    const { observations } = await run([...THREE_TO_ONE.slice(0, 3), attempt('four', changes)]);
    expect(observations.find(({ rule }) => rule === 'outlier-attempt')?.reason).toBe(reason);
  });

  it('names the arguments that differ, and not only the first ones', async () => {
    const exchange = (id: string, item: string) =>
      session(
        id,
        [turn('t', { steps: [call('exchange_items', { order: 'A', from: '1', to: item, by: 'card' })], output: id })],
        {
          task: TASK,
        },
      );
    const { observations } = await run([
      ...['one', 'two', 'three'].map((id) => exchange(id, '7')),
      exchange('four', '8'),
    ]);
    expect(observations.find(({ rule }) => rule === 'outlier-attempt')?.reason).toBe(
      '3 of 3 other attempts called `exchange_items` with `order` "A", `to` "7" and 2 more; this one called `exchange_items` with `order` "A", `to` "8" and 2 more instead.',
    );
  });

  it('can be turned off, and fails an attempt only where a level is configured', async () => {
    const off = await run(THREE_TO_ONE, { rules: { 'outlier-attempt': 'off' } });
    expect(off.observations.filter(({ rule }) => rule === 'outlier-attempt')).toEqual([]);
    const high = await run(THREE_TO_ONE, { rules: { 'outlier-attempt': 'high' } });
    expect(high.failures).toContainEqual(
      expect.objectContaining({
        severity: 'high',
        occurrences: [expect.objectContaining({ session: 'four', rule: 'outlier-attempt' })],
      }),
    );
    expect(high.sessions.map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed', 'failed']);
  });

  it('is suppressed as every finding, and a suppression of it is never idle', async () => {
    const suppressions = [{ rule: 'outlier-attempt', reason: 'the others were wrong' }];
    const report = await run([...THREE_TO_ONE.slice(0, 3), attempt('four', 'B', { suppressions })]);
    expect(report.observations.filter(({ rule }) => rule === 'outlier-attempt')).toEqual([]);
    expect(report.suppressed).toMatchObject([
      { session: 'four', rule: 'outlier-attempt', reason: 'the others were wrong' },
    ]);
    const alone = await run([attempt('four', 'B', { suppressions })]);
    expect(alone.problems).toEqual([]);
  });
});

describe('session_risk beside other attempts', () => {
  async function risksOf(sessions: readonly Session[], input: ConfigurationInput = {}) {
    const report = await run(sessions, { metrics: ['session_risk'], ...input });
    return report.sessions.map(({ metrics: { session_risk: result } }) => result);
  }

  it('is lower for an attempt that agrees with the others, and higher for one that does not', async () => {
    const [alone] = await risksOf([attempt('one', 'A')]);
    const [agreeing, , , different] = await risksOf(THREE_TO_ONE);
    expect(agreeing?.score).toBeLessThan(alone?.score ?? 0);
    expect(different?.score).toBeGreaterThan(alone?.score ?? 1);
    expect(different).toMatchObject({
      source: 'aggregate',
      reason: expect.stringMatching(/ None of 3 other attempts made the same changes\.$/),
      metadata: { attempts: { others: 3, share: 0, riskAlone: expect.closeTo(alone?.score ?? 0, 2) } },
    });
    expect(alone?.metadata).not.toHaveProperty('attempts');
  });

  it('is still the sum of its base and its terms', async () => {
    const repeated = attempt('four', 'BB');
    const [, , , result] = await risksOf([...THREE_TO_ONE.slice(0, 3), repeated]);
    const terms = result?.metadata.terms;
    const adds = (Array.isArray(terms) ? terms : []).map((term: { adds: number }) => term.adds);
    expect(adds.some((value) => value > 0)).toBe(true);
    expect(adds.reduce((sum, value) => sum + value, Number(result?.metadata.base))).toBeCloseTo(result?.score ?? 0, 9);
  });

  it('stays as it is where no attempt is known to change anything, but one may have', async () => {
    const unknown = (id: string) =>
      session(id, [turn('t', { steps: [call('frobnicate', { id: 1 })] })], { task: TASK });
    const [alone] = await risksOf([unknown('one')]);
    const [result] = await risksOf([unknown('one'), { ...unknown('two'), task: { ...TASK, trial: '2' } }]);
    expect(result).toEqual(alone);
  });
});

describe('strategy_consistency by similar tasks', () => {
  const input: ConfigurationInput = { metrics: { strategy_consistency: { by: 'similar' } } };
  const task = (id: string, goal: string, tools: string, agent = 'x') =>
    session(id, [turn('t', { steps: [...tools].map((tool) => call(`get_${tool}`, {})), output: id })], {
      goal,
      task: { id, dataset: 'shop', agent },
    });
  const resultsOf = async (sessions: readonly Session[], options = input) =>
    (await run(sessions, options)).scenarios.map(({ metrics }) => metrics.strategy_consistency);

  it('compares an attempt with those of similar tasks of the same agent', async () => {
    const results = await resultsOf([
      task('1', 'Return the blue lamp of order 17 and pay by card', 'abc'),
      task('2', 'Return the blue chair of order 18 and pay by card', 'abd'),
      task('3', 'Return the blue lamp of order 19 and pay by card', 'xyz', 'y'),
      task('4', 'Which flights leave Boston tomorrow morning?', 'xyz'),
    ]);
    expect(results).toMatchObject([
      {
        status: 'scored',
        score: expect.closeTo(2 / 3, 12),
        reason: 'Its attempts and 1 of similar tasks call tools in different ways.',
        metadata: { similarAttempts: 1, similarStrategies: [{ tools: ['get_a', 'get_b', 'get_d'], attempts: 1 }] },
      },
      { score: expect.closeTo(2 / 3, 12) },
      { status: 'not_applicable', reason: 'No other task of this agent in the run has a similar text.' },
      { status: 'not_applicable' },
    ]);
  });

  it('takes the share of common words that the configuration says', async () => {
    const sessions = [task('1', 'Return the lamp', 'a'), task('2', 'Return the chair', 'a')];
    const strict = { metrics: { strategy_consistency: { by: 'similar', similarity: 0.9 } } };
    expect(await resultsOf(sessions, strict)).toMatchObject([
      { status: 'not_applicable' },
      { status: 'not_applicable' },
    ]);
    const loose = { metrics: { strategy_consistency: { by: 'similar', similarity: 0.3 } } };
    expect(await resultsOf(sessions, loose)).toMatchObject([{ score: 1 }, { score: 1 }]);
  });

  it('is not the default: other tasks have no effect', async () => {
    const sessions = [task('1', 'Return the lamp', 'a'), task('2', 'Return the lamp', 'b')];
    expect(await resultsOf(sessions, {})).toMatchObject([{ status: 'not_applicable' }, { status: 'not_applicable' }]);
  });
});
