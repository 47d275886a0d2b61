import { describe, expect, it } from 'vitest';
import { createProblem } from '../../../../src/core/problem.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, group, occurrence, report, risk, session, sessionGate } from '../report-fixture.ts';

const A = '/traces/a b.json';
const B = '/traces/b.json';

describe('buildRows', () => {
  it('gives a problem the zero-based location of its JSON', () => {
    const failures = [
      group(
        'repeated tool call',
        'low',
        occurrence({ session: 's', file: A, turn: 2, rule: 'repeated-call', pointer: '/x', reason: 'Again.' }),
      ),
    ];
    const locator = new FakeLocator({ '/x': [3, 5, 7, 9] });
    const { sessions } = buildRows(report({ sessions: [session('s', A)], failures }), locator, []);
    expect(sessions[0]?.failures).toEqual([
      {
        turn: 2,
        title: 'repeated tool call',
        label: 'repeated tool call',
        severity: 'low',
        reason: 'Again.',
        code: 'repeated-call',
        rule: 'repeated-call',
        related: [],
        pointer: '/x',
        location: {
          uri: 'file:///traces/a%20b.json',
          range: { start: { line: 2, character: 4 }, end: { line: 6, character: 8 } },
        },
      },
    ]);
  });

  it('identifies a problem without a rule by its label', () => {
    const failures = [group('false information', 'high', occurrence({ session: 's', file: A }))];
    const { sessions } = buildRows(report({ sessions: [session('s', A)], failures }), new FakeLocator(), []);
    expect(sessions[0]?.failures[0]?.code).toBe('false information');
  });

  it('shows each problem under its own label', () => {
    const merged = group('false information', 'high', occurrence({ session: 's', file: A }));
    const milder = { ...occurrence({ session: 's', file: A, turn: 1 }), label: 'repetition', severity: 'low' } as const;
    const failures = [{ ...merged, count: 2, occurrences: [...merged.occurrences, milder] }];
    const { sessions } = buildRows(report({ sessions: [session('s', A)], failures }), new FakeLocator(), []);
    expect(sessions[0]?.failures.map(({ label, severity }) => [label, severity])).toEqual([
      ['false information', 'high'],
      ['repetition', 'low'],
    ]);
  });

  it.each([
    { line: 12, start: 11 },
    { line: null, start: 0 },
  ])('falls back to line $line where the pointer leads nowhere', ({ line, start }) => {
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: A, pointer: '/gone', line }))];
    const { sessions } = buildRows(report({ sessions: [session('s', A)], failures }), new FakeLocator(), []);
    const at = { line: start, character: 0 };
    expect(sessions[0]?.failures[0]?.location.range).toEqual({ start: at, end: at });
  });

  it('lists the problems of a session by turn, and names the most severe', () => {
    const failures = [
      group(
        'repeated tool call',
        'low',
        occurrence({ session: 's', file: A, turn: 4 }),
        occurrence({ session: 's', file: A, turn: 1 }),
      ),
      group('wrong tool', 'high', occurrence({ session: 's', file: A, turn: 3 })),
      group('missing tool call', 'medium', occurrence({ session: 't', file: A, turn: 0 })),
    ];
    const sessions = [session('s', A), session('t', A), session('u', A)];
    const [s, t, u] = buildRows(report({ sessions, failures }), new FakeLocator(), []).sessions;
    expect(s?.failures.map(({ turn }) => turn)).toEqual([1, 3, 4]);
    expect([s?.row.problems, t?.row.problems, u?.row.problems]).toEqual([3, 1, 0]);
  });

  it('says why a session did not pass, gate by gate', () => {
    const gates = [
      sessionGate('s', false, 'Too severe.'),
      sessionGate('s', null, 'Nothing scored.'),
      sessionGate('s', true, 'Fine.'),
      sessionGate('t', false, "Another session's."),
    ];
    const { sessions } = buildRows(
      report({ sessions: [session('s', A, { verdict: 'failed' })], gates }),
      new FakeLocator(),
      [],
    );
    expect(sessions[0]?.row.why).toEqual(['Too severe.', 'Nothing scored.']);
  });

  it('says why a session is undecided though its gates are met', () => {
    const undecided = ['2 results were not computed: turn_risk: The run was stopped.'];
    const why = (verdict: 'undecided' | 'failed') => {
      const gates = [sessionGate('s', verdict === 'undecided', 'Too severe.')];
      const sessions = [session('s', A, { verdict, undecided })];
      return buildRows(report({ sessions, gates }), new FakeLocator(), []).sessions[0]?.row.why;
    };
    expect(why('undecided')).toEqual(undecided);
    expect(why('failed')).toEqual(['Too severe.']);
  });

  it.each([
    { metrics: risk(0.71), expected: { risk: 0.71, riskReason: 'Turn 1 weighs most.' } },
    { metrics: risk(null), expected: { risk: null, riskReason: 'Nothing was scored.' } },
    { metrics: {}, expected: { risk: null, riskReason: null } },
  ])('takes the risk from session_risk: $expected', ({ metrics, expected }) => {
    const { sessions } = buildRows(report({ sessions: [session('s', A, { metrics })] }), new FakeLocator(), []);
    expect(sessions[0]?.row).toMatchObject(expected);
  });

  it('points at the start of a session, which may be most of its file', () => {
    const locator = new FakeLocator({ '/s': [2, 3, 9000, 4] });
    const { sessions } = buildRows(report({ sessions: [session('s', A)] }), locator, []);
    const at = { line: 1, character: 2 };
    expect(sessions[0]?.row.location.range).toEqual({ start: at, end: at });
  });

  it('distinguishes sessions with the same id in two files', () => {
    const { sessions } = buildRows(report({ sessions: [session('s', A), session('s', B)] }), new FakeLocator(), []);
    expect(new Set(sessions.map(({ row }) => row.key)).size).toBe(2);
  });

  it('locates file problems by pointer, by line, or at the start of the file', () => {
    const problems = [
      createProblem('error', 'x', A, 'One.', { pointer: '/p', line: 9 }),
      createProblem('warning', 'x', B, 'Two.', { line: 4 }),
      createProblem('error', 'x', B, 'Three.'),
    ];
    const rows = buildRows(report({ problems }), new FakeLocator({ '/p': [2, 1, 2, 5] }), []);
    expect(
      rows.problems.map(({ row, file }) => [file, row.severity, row.message, row.location.range.start.line]),
    ).toEqual([
      [A, 'error', 'One.', 1],
      [B, 'warning', 'Two.', 3],
      [B, 'error', 'Three.', 0],
    ]);
  });

  it('resolves the locations of a file once', () => {
    const failures = [
      group(
        'wrong tool',
        'high',
        ...[A, B, A].map((file, turn) => occurrence({ session: 's', file, turn, pointer: `/${turn}` })),
      ),
    ];
    const locator = new FakeLocator();
    buildRows(report({ sessions: [session('s', A)], failures }), locator, []);
    expect(locator.asked.sort()).toEqual([A, B]);
  });
});
