import { describe, expect, it } from 'vitest';
import { group, occurrence, report, sessionGate } from '../report-fixture.ts';
import { createSession, FILE, header, result, scored, turn } from './session-fixture.ts';

const at = (index: number, reason = 'It went wrong.') =>
  occurrence({ session: 's', file: FILE, turn: index, pointer: `/${index}`, reason });

describe('the header of a report', () => {
  it('shows the worst problems, and counts all', () => {
    const failures = [
      group('repetition', 'low', at(0), at(1)),
      group('unsafe action', 'critical', at(3, 'It paid twice.')),
      group('wrong tool', 'high', at(2), at(1)),
    ];
    const { worst, problems: count } = header(createSession({ report: { failures } }));
    expect(worst.map(({ severity, turn: index, position }) => [severity, index, position])).toEqual([
      ['critical', 3, 0],
      ['high', 1, 0],
      ['high', 2, 0],
    ]);
    expect(worst[0]?.title).toBe(failures[1]?.title);
    expect(count).toBe(5);
  });

  it('has the headline and the level of the risk', () => {
    const failed = { kind: 'failed', text: 'Failed: reward 0.0 in the trace', turn: 2 } as const;
    const whole = createSession({ metrics: { session_risk: scored(0.71) } });
    const sent = header({ results: { ...whole.results, row: { ...whole.results.row, headline: failed, risk: 0.71 } } });
    expect(sent).toMatchObject({ headline: failed, risk: 0.71, riskLevel: 'high' });
  });

  it('has the outcome beside a headline that contradicts it', () => {
    const outcome = { status: 'succeeded', source: 'recorded', reason: 'reward 1.0', disagrees: [] } as const;
    const { results } = createSession({ session: { outcome } });
    const kindOf = (kind: 'failed' | 'succeeded') =>
      header({ results: { ...results, row: { ...results.row, headline: { kind, text: '', turn: null } } } });
    expect(kindOf('failed').contradiction).toBe('The trace says that it succeeded: reward 1.0');
    expect(kindOf('succeeded').contradiction).toBeUndefined();
  });

  it('says why it is undecided, and why its run is', () => {
    const undecided = ['Three questions got no answer.', 'coherence: nothing scored', 'Nothing was recorded.', 'More.'];
    const failures = [group('repetition', 'low', at(0), at(1))];
    const whole = createSession({
      session: { verdict: 'undecided', undecided },
      report: {
        failures,
        undecided: [
          { code: 'judge-unanswered', reason: 'Nine questions got none.', cause: null, count: 9, metrics: {} },
        ],
      },
    });
    const { run } = header(whole);
    expect(run.undecided).toEqual([...undecided, 'Nine questions got none.']);
    expect(header(createSession({})).run.undecided).toBeUndefined();
  });

  it('has the gates of the session and of its run', () => {
    const gates = [
      { ...sessionGate('s', false, 'Too severe.'), actual: 'critical' } as const,
      sessionGate('t', false, "Another session's."),
      { ...sessionGate('', null, 'nothing scored'), scope: 'run', subject: null, metric: 'task_completion' } as const,
    ];
    expect(header(createSession({ report: { gates } })).gates).toMatchObject([
      { scope: 'session', met: false, actual: 'critical', reason: 'Too severe.' },
      { scope: 'run', met: null, actual: null, reason: 'nothing scored' },
    ]);
  });

  it('counts each result once, without means over turns and implied results', () => {
    const metrics = { a: scored(1), b: result('needs_judge'), c: scored(1, { implied: true }) };
    const turns = [
      [turn(), metrics],
      [turn(), { ...metrics, b: result('vacuous', { score: 1 }) }],
    ] as const;
    const whole = createSession({ turns, metrics: { ...metrics, session_risk: scored(0.5), trend: result('error') } });
    const { coverage, unscored, scores } = header(whole);
    expect(coverage).toEqual({ scored: 3, of: 5 });
    expect(unscored.map(({ status, metrics: count }) => [status, count])).toEqual([
      ['error', 1],
      ['needs_judge', 1],
    ]);
    expect(scores).toEqual([]);
  });

  it('does not list a metric as not applicable when it applies to another turn', () => {
    const turns = [
      [turn(), { a: result('not_applicable'), b: result('not_applicable') }],
      [turn(), { a: scored(1), b: result('not_applicable') }],
    ] as const;
    expect(header(createSession({ turns })).unscored).toMatchObject([
      { status: 'not_applicable', metrics: 1, reasons: [{ metrics: ['b'] }] },
    ]);
  });

  it('has a mark for each problem, and the worst problem and coverage of each turn', () => {
    const turns = [
      [turn(), { a: scored(1, { judge: 'ollama/m' }) }],
      [
        turn(),
        {
          a: result('error'),
          b: scored(1, { judge: 'ollama/m' }),
        },
      ],
      [turn(), {}],
    ] as const;
    const failures = [group('repetition', 'low', at(0)), group('wrong tool', 'high', at(0))];
    const { strip } = header(createSession({ turns, report: { failures } }));
    expect(strip).toEqual({
      turns: 3,
      severity: ['high', null, null],
      problems: [2, 0, 0],
      coverage: ['judged', 'failed', 'rules'],
      marks: [
        { turn: 0, severity: 'high' },
        { turn: 0, severity: 'low' },
      ],
    });
  });

  it('has cells for turns that are not evaluated yet', () => {
    const { results } = createSession({
      turns: [
        [turn(), {}],
        [turn(), {}],
        [turn(), { a: scored(0.5) }],
      ],
    });
    const { report: whole } = results.detail;
    const partial = {
      ...results,
      row: { ...results.row, turnsDone: 1 },
      detail: { ...results.detail, report: { ...whole, turns: whole.turns.slice(2) } },
    };
    const { strip, turnsDone } = header({ results: partial });
    expect(turnsDone).toBe(1);
    expect(strip.coverage).toEqual(['waiting', 'waiting', 'rules']);
  });

  it('names the judges, whether the run is complete, and its usage', () => {
    const { run } = report();
    const usage = { ...run.usage, judgeCalls: 3, promptTokens: 900, cost: 0.02 };
    const stopped = { ...run, complete: false, judge: { provider: 'ollama', model: 'm' }, usage };
    const turns = [[turn(), { a: scored(1, { judge: 'openai/n' }), b: scored(1, { judge: 'ollama/m' }) }]] as const;
    expect(header(createSession({ turns, report: { run: stopped } }))).toMatchObject({
      judges: ['ollama/m', 'openai/n'],
      run: { complete: false, startedAt: '2026-01-01T00:00:00.000Z', judgeCalls: 3, promptTokens: 900, cost: 0.02 },
    });
    expect(header(createSession({}))).toMatchObject({ judges: [], run: { complete: true, cost: null } });
  });

  it('names the judge of the run once where it answered under its name and version', () => {
    const run = { ...report().run, judge: { provider: 'editor', model: 'acme/large' } };
    const turns = [[turn(), { a: scored(1, { judge: 'editor/acme/large 2026-01' }) }]] as const;
    expect(header(createSession({ turns, report: { run } })).judges).toEqual(['editor/acme/large 2026-01']);
  });

  it('says what the judge says of the tasks of all turns, and where it says the worst', () => {
    const judged = (score: number) => ({ task_completion: scored(score, { judge: 'ollama/m' }) });
    const turns = [
      [turn(), judged(1)],
      [turn(), judged(0.2)],
      [turn(), { task_completion: scored(0) }],
      [turn(), judged(0.2)],
      [turn(), { task_completion: result('needs_judge') }],
    ] as const;
    const { judgedTasks } = header(createSession({ turns }));
    expect(judgedTasks).toEqual({ mean: expect.closeTo(1.4 / 3), lowest: 0.2, turn: 1, turns: 3 });
    expect(header(createSession({ turns: [[turn(), { task_completion: scored(0) }]] })).judgedTasks).toBeNull();
  });

  it('counts the turns that each filter leaves', () => {
    const turns = [
      [turn(), { a: scored(0, { passed: false }), b: result('needs_judge'), d: scored(1) }],
      [turn(), { a: scored(0, { passed: false }), c: scored(0, { passed: false }), d: scored(1) }],
      [turn(), { a: scored(1, { passed: true }), d: scored(1) }],
    ] as const;
    const failures = [group('wrong tool', 'high', at(1), at(1)), group('repetition', 'low', at(1), at(2))];
    expect(header(createSession({ turns, report: { failures } })).facets).toEqual({
      metrics: [
        { name: 'a', turns: 3 },
        { name: 'c', turns: 1 },
        { name: 'd', turns: 3 },
      ],
      labels: [
        { name: 'repetition', turns: 2 },
        { name: 'wrong tool', turns: 1 },
      ],
      severities: [
        { name: 'low', turns: 2 },
        { name: 'high', turns: 1 },
      ],
      statuses: [
        { name: 'scored', turns: 3 },
        { name: 'needs_judge', turns: 1 },
      ],
      belowThreshold: 2,
    });
  });

  it('is less than a megabyte for ten thousand turns', () => {
    const turns = Array.from(
      { length: 10_000 },
      () => [turn(), { a: scored(1 / 3, { reason: 'long '.repeat(100) }) }] as const,
    );
    const failures = [group('wrong tool', 'medium', ...turns.map((_, index) => at(index)))];
    const sent = header(createSession({ turns, report: { failures } }));
    expect(JSON.stringify(sent).length).toBeLessThan(1_000_000);
    expect(sent.strip.problems).toHaveLength(10_000);
    expect(sent.strip.marks).toHaveLength(2000);
  });
});
