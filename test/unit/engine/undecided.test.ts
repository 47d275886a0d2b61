import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Report } from '../../../src/core/report.ts';
import type { MetricOutcome } from '../../../src/core/result.ts';
import type { Session } from '../../../src/core/session.ts';
import type { MissingResult } from '../../../src/core/session-outcome.ts';
import { evaluateSessions } from '../../../src/engine/evaluate.ts';
import { type Judges, NO_JUDGES } from '../../../src/engine/judges.ts';
import { groupByCause } from '../../../src/engine/missing-results.ts';
import type { JudgeAnswer } from '../../../src/judge/question.ts';
import { createUsageMeter } from '../../../src/llm/chat-client.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import { type Metric, runMetric } from '../../../src/metrics/metric.ts';
import { configuration, scored, scripted, session, turn } from './support.ts';

type NoAnswer = Exclude<JudgeAnswer<never>, { readonly status: 'answered' }>;

/** A judge that has an answer to nothing; what it says of it depends on the session and the question. */
function judgeThat(fails: (session: string, question: string) => NoAnswer): Judges {
  return {
    byMetric: new Map(),
    defaultJudge: {
      provider: 'openai',
      model: 'm',
      questionsPerCall: 8,
      turnsPerCall: 1,
      usage: createUsageMeter(),
      versions: new Set(),
      forSession: ({ id }) => ({
        usage: createUsageMeter(),
        askTurn: async (_, { name }) => fails(id, name),
        askSession: async ({ name }) => fails(id, name),
      }),
      forPair: ({ id }) => ({ askSession: async ({ name }) => fails(id, name) }),
    },
  };
}

const down: NoAnswer = { status: 'error', reason: 'localhost:1 does not answer.' };
const atLimit: NoAnswer = { status: 'cancelled', reason: 'The limit of 4 calls (judge.maxCalls) is reached.' };

interface Given {
  readonly input?: ConfigurationInput;
  readonly judges?: Judges;
  /** Beside those that there are. */
  readonly metrics?: readonly Metric[];
  readonly correctBy?: string;
  readonly signal?: AbortSignal;
}

function run(sessions: readonly Session[], { input = {}, judges = NO_JUDGES, metrics = [], ...rest }: Given = {}) {
  return evaluateSessions({
    sessions,
    configuration: configuration(input),
    metrics: [...METRICS, ...metrics],
    judges,
    embedder: null,
    locate: () => new Map(),
    version: '0',
    signal: new AbortController().signal,
    ...rest,
  });
}

const asking = (id: string, more: Partial<Session> = {}) =>
  session(id, [turn('t1', { input: 'Is it open?', output: 'Until six.' })], more);
const HELPFULNESS = { metrics: ['helpfulness'] };
const messages = ({ problems }: Report) => problems.map(({ file, code, message }) => [file, code, message]);

describe('a session with a question without an answer', () => {
  it.each([down, atLimit])('cannot pass, nor can its run, and both give the reason: %j', async (answered) => {
    const report = await run([asking('a')], { input: HELPFULNESS, judges: judgeThat(() => answered) });
    const reason = `1 question got no answer: helpfulness: ${answered.reason}`;
    expect(report.gates).toMatchObject([{ metric: 'severity', met: true }]);
    expect(report).toMatchObject({
      verdict: 'undecided',
      undecided: [{ code: 'judge-unanswered', reason, cause: answered.reason, count: 1, metrics: { helpfulness: 1 } }],
      sessions: [{ verdict: 'undecided', undecided: [reason] }],
    });
    expect(messages(report)).toEqual([
      [
        'a.json',
        'judge-unanswered',
        `The judge left 1 question without an answer, so the run cannot pass. ${answered.reason}`,
      ],
    ]);
  });

  it('is decided if no question was asked', async () => {
    const report = await run([asking('a')], { input: HELPFULNESS });
    expect(report).toMatchObject({ verdict: 'passed', undecided: [], problems: [], sessions: [{ verdict: 'passed' }] });
    expect(report.sessions[0]).not.toHaveProperty('undecided');
  });

  it('stays failed, and so does the run, if something fails it', async () => {
    const low = scripted('low', { t1: scored(0) });
    const gates = { thresholds: { low: 0.5 }, scope: 'session' } as const;
    const input: ConfigurationInput = { metrics: ['helpfulness', 'low'], gates };
    const report = await run([asking('a')], { input, judges: judgeThat(() => down), metrics: [low] });
    expect(report).toMatchObject({ verdict: 'failed', sessions: [{ verdict: 'failed' }] });
    expect(report.undecided).toMatchObject([{ code: 'judge-unanswered', count: 1 }]);
  });

  it('is said to have an answer that did not fit where it had one', async () => {
    const misfit = { status: 'error' as const, reason: 'openai/m gave an answer that does not fit: x was missing.' };
    const report = await run([asking('a'), asking('b')], { input: HELPFULNESS, judges: judgeThat(() => misfit) });
    const reason = (questions: string) => `The judge's answers did not fit: ${questions}: helpfulness: x was missing.`;
    expect(report).toMatchObject({
      undecided: [{ code: 'judge-unanswered', reason: reason('2 questions'), cause: misfit.reason, count: 2 }],
      sessions: [
        {
          undecided: [reason('1 question')],
          headline: { text: "Undecided: the judge's answers did not fit, 1 check without a result" },
        },
        {},
      ],
    });
    expect(messages(report)).toEqual([
      [
        '',
        'judge-unanswered',
        "The judge's answers to 2 questions did not fit, so the run cannot pass. openai/m gave an answer that does not fit: x was missing.",
      ],
    ]);
  });

  it('is named by file in the warning only if it is the only one, with each cause and its count', async () => {
    const sessions = ['a', 'b', 'c'].map((id) => asking(id));
    const judges = judgeThat((id, question) => (id === 'b' && question === 'relevance' ? atLimit : down));
    const input: ConfigurationInput = { metrics: ['helpfulness', 'relevance'] };
    const report = await run(sessions, { input, judges });
    expect(messages(report)).toEqual([
      [
        '',
        'judge-unanswered',
        `The judge left 6 questions without an answer, so the run cannot pass. 5 of them: ${down.reason} 1 of them: ${atLimit.reason}`,
      ],
    ]);
    expect(report.undecided.map(({ reason, count }) => [reason, count])).toEqual([
      [`5 questions got no answer: helpfulness (3), relevance (2): ${down.reason}`, 5],
      [`1 question got no answer: relevance: ${atLimit.reason}`, 1],
    ]);
    expect(report.sessions[1]?.undecided).toEqual([
      `1 question got no answer: helpfulness: ${down.reason}`,
      `1 question got no answer: relevance: ${atLimit.reason}`,
    ]);
    expect(report.sessions.map(({ verdict }) => verdict)).toEqual(Array(3).fill('undecided'));
  });
});

describe('attempts by verdict', () => {
  const attempts = ['a', 'b', 'c', 'd'].map((id) => asking(id, { task: { id: 'order', dataset: 'd' } }));

  it('are neither correct nor incorrect in a judge outage: there is no estimate', async () => {
    const judges = judgeThat(() => down);
    const report = await run(attempts, { input: HELPFULNESS, judges, correctBy: 'verdict' });
    expect(report.attempts).toBeNull();
    expect(report.scenarios).toMatchObject([
      { verdict: 'undecided', assessment: null, attempts: 4, correct: 0, leftOut: 4, passAtK: [], passPowK: [] },
    ]);
  });

  it('count if they are decided; undecided ones are counted separately', async () => {
    const maybe = (outcomes: Record<string, MetricOutcome>) =>
      scripted('checked', {}, { isUserFunction: true, evaluate: ({ session: { id } }) => outcomes[id] ?? scored(1) });
    const metrics = [maybe({ b: { status: 'error', reason: 'It threw.' }, c: scored(0) })];
    const gates = { thresholds: { checked: 0.5 } };
    const report = await run(attempts, { input: { metrics: ['checked'], gates }, metrics, correctBy: 'verdict' });
    expect(report.sessions.map(({ verdict }) => verdict)).toEqual(['passed', 'undecided', 'failed', 'passed']);
    expect(report.scenarios).toMatchObject([{ attempts: 4, correct: 2, leftOut: 1 }]);
    expect(report.attempts).toMatchObject({ scenarios: 1, leftOut: 1, estimator: 'unbiased' });
    expect(report.attempts?.table[0]).toMatchObject({
      k: 1,
      passAtK: expect.closeTo(2 / 3),
      passPowK: expect.closeTo(2 / 3),
    });
    expect(report.attempts?.table).toHaveLength(3);
  });

  it('are decided by an imported outcome, with or without a judge', async () => {
    const rewarded = attempts.map((attempt) => ({ ...attempt, scores: { reward: 1 } }));
    const report = await run(rewarded, { input: HELPFULNESS, judges: judgeThat(() => down) });
    expect(report.attempts).toMatchObject({
      correctBy: 'outcome',
      leftOut: 0,
      table: [{ k: 1, passPowK: 1 }, {}, {}, {}],
    });
    expect(report.scenarios).toMatchObject([{ verdict: 'undecided', correct: 4, leftOut: 0 }]);
  });
});

describe('a run with another missing result', () => {
  const threw: MetricOutcome = { status: 'error', reason: 'conf.js:2: the function of f threw an error: no luck.' };

  it('is undecided if a function failed, without a gate on it', async () => {
    const report = await run([asking('a')], { metrics: [scripted('f', { t1: threw }, { isUserFunction: true })] });
    const reason = `1 result of a function failed: f: ${threw.reason}`;
    expect(report).toMatchObject({
      verdict: 'undecided',
      undecided: [{ code: 'function-failed', reason, count: 1, metrics: { f: 1 } }],
      sessions: [{ verdict: 'undecided', undecided: [reason] }],
    });
    expect(messages(report)).toEqual([
      ['a.json', 'function-failed', `1 result of functions failed, so the run cannot pass. ${threw.reason}`],
    ]);
  });

  it('is undecided if the function of an implied metric failed', async () => {
    const metrics = [
      scripted('f', { t1: threw }, { isUserFunction: true }),
      scripted('made', { t1: scored(1) }, { uses: ['f'] }),
    ];
    const report = await run([asking('a')], { input: { metrics: ['made'] }, metrics });
    expect(report.sessions[0]?.turns[0]?.metrics.f).toMatchObject({ implied: true, status: 'error' });
    expect(report.verdict).toBe('undecided');
  });

  it('is undecided if a metric of a turn or of the run cannot be computed', async () => {
    const broken = () => {
      throw new Error('The embedder is down.');
    };
    const ofRun = runMetric({
      ...{ name: 'whole', question: '?', source: 'test', scale: 'unit', threshold: null, needs: [] },
      evaluate: broken,
    });
    const report = await run([asking('a')], { metrics: [scripted('near', {}, { evaluate: broken }), ofRun] });
    expect(report.undecided).toMatchObject([
      {
        code: 'metric-failed',
        reason: '2 results could not be computed: near (1), whole (1): The embedder is down.',
        metrics: { near: 1, whole: 1 },
      },
    ]);
    expect(report.problems).toMatchObject([{ code: 'metric-failed' }]);
    expect(report.verdict).toBe('undecided');
  });

  it('passes if only an imported score is invalid', async () => {
    const wrong = asking('a', { scores: { goal_completion: 7 } });
    const report = await run([
      { ...wrong, turns: wrong.turns.map((turn) => ({ ...turn, scores: { helpfulness: 70 } })) },
    ]);
    expect(report.sessions[0]?.metrics.helpfulness?.status).toBe('error');
    expect(report).toMatchObject({ verdict: 'passed', undecided: [], problems: [] });
  });
});

describe('an aborted run', () => {
  it('says what was not evaluated and what was not computed', async () => {
    const stop = new AbortController();
    const slow = scripted(
      'slow',
      {},
      {
        evaluate: async ({ session: { id }, index }) => {
          if (id === 'b' && index === 0) stop.abort();
          return scored(1);
        },
      },
    );
    const two = (id: string) => session(id, [turn('t1'), turn('t2')]);
    const input: ConfigurationInput = { metrics: ['slow'] };
    const report = await run(['a', 'b', 'c'].map(two), { input, metrics: [slow], signal: stop.signal });
    expect(report.sessions.map(({ verdict, undecided }) => [verdict, undecided])).toEqual([
      ['passed', undefined],
      ['undecided', ['1 result was not computed: slow: The run was stopped.']],
    ]);
    expect(report.undecided.map(({ code, reason, count }) => [code, reason, count])).toEqual([
      ['interrupted', '1 result was not computed: slow: The run was stopped.', 1],
      ['interrupted', 'The run was stopped: 1 of 3 sessions were not evaluated.', 1],
    ]);
    expect(messages(report)).toEqual([
      [
        'b.json',
        'interrupted',
        'The run was stopped: 1 of 3 sessions were not evaluated, and 1 result was not computed.',
      ],
    ]);
  });

  it('says so even if everything was computed', async () => {
    const report = await run([], { signal: AbortSignal.abort() });
    expect(report).toMatchObject({
      verdict: 'undecided',
      undecided: [{ code: 'interrupted', reason: 'The run was stopped.', count: 0 }],
    });
  });
});

describe('a run that is undecided for another reason', () => {
  it('names its gates, grouped by metric', async () => {
    const input: ConfigurationInput = {
      metrics: ['helpfulness'],
      gates: { thresholds: { helpfulness: 3 }, scope: 'session', failOn: 'never' },
    };
    const [one, two] = [await run([asking('a')], { input }), await run([asking('a'), asking('b')], { input })];
    const why = /^nothing scored: This needs a judge/;
    expect(one.undecided).toMatchObject([{ code: 'gate', count: 1, metrics: { helpfulness: 1 } }]);
    expect(one.undecided[0]?.reason).toMatch(
      new RegExp(`^The gate on helpfulness of a is undecided: ${why.source.slice(1)}`),
    );
    expect(two.undecided.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^2 gates on helpfulness are undecided, the first of a: nothing scored: /),
    ]);
    expect(two.sessions[1]?.undecided).toEqual([expect.stringMatching(/^helpfulness: nothing scored: /)]);
  });

  it('says of a session which run threshold leaves it undecided', async () => {
    const answers = { t1: scored(1), t2: { status: 'needs_judge', reason: 'A model must answer.' } } as const;
    const gates = { thresholds: { m: 0.5 }, minCoverage: 0.5 };
    const sessions = [session('a', [turn('t1')]), session('b', [turn('t2')])];
    const report = await run(sessions, { input: { metrics: ['m'], gates }, metrics: [scripted('m', answers)] });
    expect(report).toMatchObject({ verdict: 'passed', undecided: [] });
    expect(report.sessions.map(({ undecided }) => undecided)).toEqual([
      undefined,
      ['m: nothing scored: A model must answer.'],
    ]);
  });

  it('says that no session was evaluated, or that nothing was recorded', async () => {
    const unrecorded = session('s', [turn('t1', { captured: false, output: null })]);
    const never: ConfigurationInput = { gates: { failOn: 'never' } };
    expect((await run([])).undecided).toMatchObject([{ code: 'no-session', reason: 'No session was evaluated.' }]);
    const report = await run([unrecorded], { input: never });
    expect(report).toMatchObject({
      verdict: 'undecided',
      undecided: [{ code: 'nothing-recorded' }],
      sessions: [{ verdict: 'undecided', undecided: ['Nothing of this session was recorded.'] }],
    });
    expect((await run([unrecorded])).undecided).toMatchObject([{ code: 'gate', metrics: { severity: 1 } }]);
  });
});

describe('groupByCause', () => {
  const missing = (metric: string, reason: string, count = 1): MissingResult => ({
    code: 'judge-unanswered',
    metric,
    reason,
    count,
  });

  it('groups by the reasons that others repeat', () => {
    const longer = `m did not answer 5 times in a row, so it was not asked again: ${down.reason}`;
    expect(groupByCause([missing('a', longer, 3), missing('b', down.reason, 2)])).toMatchObject([
      {
        count: 5,
        reason: down.reason,
        others: 0,
        metrics: new Map([
          ['a', 3],
          ['b', 2],
        ]),
      },
    ]);
  });

  it('combines the causes of one metric, with the most frequent reason', () => {
    expect(groupByCause([missing('a', 'x.'), missing('a', 'y.', 3), missing('a', 'z.')])).toMatchObject([
      { count: 5, reason: 'y.', others: 2 },
    ]);
  });

  it('keeps a few causes separate, and counts all of them', () => {
    const all = Array.from({ length: 12 }, (_, at) => missing(`m${at}`, `Reason ${'abcdefghijkl'[at]}.`, 20 - at));
    const causes = groupByCause(all);
    expect(causes).toHaveLength(8);
    expect(causes.reduce((sum, { count }) => sum + count, 0)).toBe(all.reduce((sum, { count }) => sum + count, 0));
    expect(causes.at(-1)).toMatchObject({ reason: null, others: 5, count: 13 + 12 + 11 + 10 + 9 });
  });
});
