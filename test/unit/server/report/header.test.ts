import { describe, expect, it } from 'vitest';
import { stripCell } from '../../../../src/protocol/report.ts';
import { group, occurrence, report, sessionGate } from '../report-fixture.ts';
import { createSession, FILE, header, result, scored, turn, URI } from './session-fixture.ts';

const at = (index: number, reason = 'It went wrong.') =>
  occurrence({ session: 's', file: FILE, turn: index, pointer: `/${index}`, reason });

describe('the header of a report', () => {
  it('shows the worst problems, and counts all', () => {
    const failures = [
      group('repetition', 'low', at(0), at(1)),
      group('unsafe action', 'critical', at(3, 'It paid twice.')),
      group('wrong tool', 'high', at(2), at(1)),
    ];
    const { why, problems: count } = header(createSession({ report: { failures } }));
    expect(why.map(({ severity, turn: index }) => [severity, index])).toEqual([
      ['critical', 3],
      ['high', 1],
      ['high', 2],
    ]);
    expect(why[0]).toMatchObject({ sentence: 'It paid twice.', target: { uri: URI, pointer: '/3' } });
    expect(count).toBe(5);
  });

  it('names the failed gate first, and the severity gate only without problems', () => {
    const gates = [
      sessionGate('s', true, 'Met.'),
      sessionGate('s', false, 'A high failure was found.'),
      { ...sessionGate('s', false, '0.40, below 0.50'), metric: 'coherence' },
      { ...sessionGate('', false, 'below'), scope: 'run', subject: null, metric: 'helpfulness' } as const,
    ];
    const failures = [group('wrong tool', 'high', ...[0, 1, 2, 3].map((index) => at(index)))];
    const failed = { verdict: 'failed' } as const;
    const sentences = (parts: Parameters<typeof createSession>[0]) =>
      header(createSession(parts)).why.map(({ sentence }) => sentence);
    expect(header(createSession({ session: failed, report: { gates } })).why[1]).toEqual({
      sentence: 'coherence: 0.40, below 0.50',
      turn: null,
      severity: null,
      target: null,
    });
    expect(sentences({ session: failed, report: { gates } })).toEqual([
      'A high failure was found.',
      'coherence: 0.40, below 0.50',
    ]);
    expect(sentences({ session: failed, report: { gates, failures } })).toEqual([
      'coherence: 0.40, below 0.50',
      ...Array(3).fill('It went wrong.'),
    ]);
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
    const { why, run } = header(whole);
    expect(why.map(({ sentence, severity }) => [sentence, severity])).toEqual([
      ...undecided.slice(0, 3).map((sentence) => [sentence, null]),
      ['It went wrong.', 'low'],
    ]);
    expect(run.undecided).toEqual(['Nine questions got none.']);
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

  it('has a cell for each turn: risk, worst problem and coverage', () => {
    const turns = [
      [turn(), { turn_risk: scored(0.71239, { reason: 'It failed.' }), a: scored(1, { judge: 'ollama/m' }) }],
      [
        turn(),
        {
          turn_risk: result('needs_judge', { reason: 'It failed.' }),
          a: result('error'),
          b: scored(1, { judge: 'ollama/m' }),
        },
      ],
      [turn(), {}],
    ] as const;
    const failures = [group('repetition', 'low', at(0)), group('wrong tool', 'high', at(0))];
    const { strip } = header(createSession({ turns, report: { failures } }));
    expect([0, 1, 2, 3].map((index) => stripCell(strip, index))).toEqual([
      { index: 0, risk: 0.712, severity: 'high', problems: 2, coverage: 'judged', reason: 'It failed.' },
      { index: 1, risk: null, severity: null, problems: 0, coverage: 'failed', reason: 'It failed.' },
      { index: 2, risk: null, severity: null, problems: 0, coverage: 'rules', reason: null },
      undefined,
    ]);
    expect(strip.reasons).toEqual(['It failed.']);
  });

  it('has cells for turns that are not evaluated yet', () => {
    const { held } = createSession({
      turns: [
        [turn(), {}],
        [turn(), {}],
        [turn(), { turn_risk: scored(0.5) }],
      ],
    });
    const { report: whole } = held.detail;
    const partial = {
      ...held,
      row: { ...held.row, turnsDone: 1 },
      detail: { ...held.detail, report: { ...whole, turns: whole.turns.slice(2) } },
    };
    const { strip, turnsDone } = header({ held: partial });
    expect(turnsDone).toBe(1);
    expect(strip.coverage).toEqual(['waiting', 'waiting', 'rules']);
    expect(strip.risk).toEqual([null, null, 0.5]);
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
      (_, index) => [turn(), { turn_risk: scored(1 / 3, { reason: `${index} ${'long '.repeat(100)}` }) }] as const,
    );
    const failures = [group('wrong tool', 'medium', ...turns.map((_, index) => at(index)))];
    const sent = header(createSession({ turns, report: { failures } }));
    expect(JSON.stringify(sent).length).toBeLessThan(1_000_000);
    expect(stripCell(sent.strip, 0)?.reason).toMatch(/^0 long/);
    expect(stripCell(sent.strip, 9999)).toMatchObject({ risk: 0.333, reason: null, severity: 'medium' });
  });
});
