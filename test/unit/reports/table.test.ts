import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/core/report.ts';
import type { Session } from '../../../src/core/session.ts';
import { STATUSES } from '../../../src/core/statuses.ts';
import type { ReportOptions, UserMessages } from '../../../src/reports/report-writer.ts';
import { tableLines } from '../../../src/reports/table.ts';
import { width } from '../../../src/reports/terminal-text.ts';
import * as made from './report.ts';

const TERMINAL: ReportOptions = { color: false, columns: 80, terminal: true };
const PIPE: ReportOptions = { color: false, columns: 80, terminal: false };

function table(report: Report, options = TERMINAL, sessions: readonly Session[] = []): string {
  return [...tableLines(report, { ...options, userMessages: messagesOf(sessions) })].join('\n');
}

function messagesOf(sessions: readonly Session[]): UserMessages {
  return new Map(sessions.map(({ id, turns }) => [id, turns.map(({ input }) => input)]));
}

const RISK = { lowerIsBetter: true };

const REFUND = made.session(
  'refund',
  [
    made.turn(0, { loop_detection: made.vacuous(1), coherence: made.scored(0.9), turn_risk: made.scored(0.05, RISK) }),
    made.turn(1, {
      loop_detection: made.scored(0.31),
      coherence: made.scored(0.8),
      turn_risk: made.scored(0.81, RISK),
    }),
  ],
  { verdict: 'failed', metrics: { session_risk: made.scored(0.71, RISK), agent_consistency: made.scored(0.41) } },
);
const REPEATED = made.failures('repeated tool call', 'low', [
  made.occurrence('refund', 1, 'refund_order was called again with the same arguments.'),
]);
const FAILED = made.report({
  verdict: 'failed',
  sessions: [REFUND],
  failures: [REPEATED],
  gates: [made.gate({ met: false, actual: 0.31, reason: '0.31, at least 0.50 was asked for' })],
});
const SAID = [made.evaluated('refund', ['Hello', 'Please refund order A-1001'])];

describe('the table at a terminal', () => {
  const lines = table(FAILED, TERMINAL, SAID).split('\n');

  it('begins with the verdict', () => {
    expect(lines[0]).toBe('✗ failed   1 session, 2 turns · 1 failure · 0 of 1 gate met · 412 ms');
  });

  it('names the session, its location and its risk on one line', () => {
    expect(lines).toContainEqual(expect.stringMatching(/^✗ traces\/refund\.json:2 {20,}risk 0\.71 ▮▮▮▮▮▮▮▯▯▯$/));
  });

  it('adds the session id if the file name does not contain it', () => {
    const source = { file: 'all.jsonl', format: 'openai-chat', pointer: '' };
    const text = table(made.report({ sessions: [made.session('conv_42', [made.turn(0)], { source })] }));
    expect(text).toContain('✓ all.jsonl:2 · conv_42');
  });

  it('gives the reasons in words', () => {
    expect(lines).toContain('  why  refund_order was called again with the same arguments (turn 2)');
  });

  it('has a row per turn with figures, bars and risk, and the problems under it', () => {
    const at = lines.findIndex((line) => line.startsWith('   2  Please refund'));
    expect(lines[at]).toMatch(
      /^ {3}2 {2}Please refund order A-1001 +0\.31 {2}▮▮▮▯▯▯▯▯▯ +0\.80 {2}▮▮▮▮▮▮▮▯▯ {2}0\.81 ▮▮▮▮▯$/,
    );
    expect(lines[at + 1]).toBe('      ✗ repeated tool call');
    expect(lines[at - 2]).toMatch(/loop_detection {4}coherence {9}risk$/);
  });

  it('says which problems and outcomes have no gate', () => {
    const flat = (report: Report) => table(report).replace(/\s+/g, ' ');
    const severity = made.gate({ scope: 'session', metric: 'severity', threshold: 'critical', met: true });
    const high = made.failures('wrong tool', 'high', [made.occurrence('refund', 1, 'There is no such tool.')]);
    const note = 'Worst problem: high. No gate on it (--fail-on high).';
    const passed = { sessions: [REFUND], failures: [REPEATED, high] };
    expect(flat(made.report({ ...passed, gates: [severity] }))).toContain(note);
    expect(flat(made.report({ ...passed, gates: [] }))).toContain(note);
    expect(flat(made.report({ ...passed, gates: [{ ...severity, met: false }] }))).not.toContain('fails nothing');

    const reward = { ...made.scored(0), source: 'imported' as const };
    const attempts = [made.session('a', [], { metrics: { reward } }), made.session('b', [])];
    expect(flat(made.report({ sessions: attempts }))).toContain('1 of 2 sessions did not succeed');
    expect(flat(made.report({ sessions: [made.session('b', [])] }))).not.toContain('did not succeed');
  });

  it('does not color a session green that passed with problems', () => {
    const verdicts = (failures: Report['failures']) => {
      const report = made.report({ sessions: [{ ...REFUND, verdict: 'passed' }], failures });
      return table(report, { ...TERMINAL, color: true })
        .split('\n')
        .filter((line) => line.includes('✓'));
    };
    const green = '\u001b[32m✓';
    expect(verdicts([]).every((line) => line.startsWith(green))).toBe(true);
    expect(verdicts([REPEATED]).some((line) => line.startsWith(green))).toBe(false);
  });

  it('omits scores without a threshold', () => {
    const overlap = made.scored(0.3, { threshold: null });
    const report = made.report({
      sessions: [made.session('s', [made.turn(0, { coherence: overlap, loop_detection: made.scored(0.9) })])],
    });
    const text = table(report);
    expect(text).toContain('loop_detection');
    expect(text).not.toContain('coherence');
  });

  it('shows a vacuous score hollow and in brackets', () => {
    expect(lines).toContainEqual(expect.stringMatching(/^ {3}1 {2}Hello +\(1\.00\) ▯▯▯▯▯▯▯▯▯/));
    expect(lines.at(-1)).toBe('(1.00) ▯▯ nothing to judge');
  });

  it('gives each problem a location that terminals can link', () => {
    expect(lines).toContain('    traces/refund.json:11  turn 2');
  });

  it('gives the reason of a gate that is not met', () => {
    expect(lines).toContain('  ✗ loop_detection ≥ 0.50: 0.31, at least 0.50 was asked for');
  });

  it('names turns by their ids when their text is unknown', () => {
    expect(table(FAILED)).toMatch(/^ {3}2 {2}t2 /m);
  });

  it('is plain without color, and colored with it', () => {
    const coloured = table(FAILED, { ...TERMINAL, color: true }, SAID);
    expect(table(FAILED, TERMINAL, SAID)).not.toContain('\u001b');
    expect(coloured).toContain('\u001b[31m');
    expect(stripVTControlCharacters(coloured)).toBe(table(FAILED, TERMINAL, SAID));
  });
});

describe('the table in a pipe', () => {
  const piped = table(FAILED, PIPE, SAID);

  it('has no bars, no legend, and no turns without problems', () => {
    expect(piped).not.toMatch(/[▮▯]/);
    expect(piped).not.toContain('Hello');
    expect(piped.length).toBeLessThan(table(FAILED, TERMINAL, SAID).length);
  });

  it('has verdict, reasons, problems with locations, gates and coverage', () => {
    for (const text of [
      '✗ failed',
      'why  refund_order',
      'traces/refund.json:11',
      '✗ loop_detection ≥ 0.50',
      'Coverage',
    ]) {
      expect(piped).toContain(text);
    }
  });
});

describe('a metric without a score', () => {
  it('is shown with a different mark for each status', () => {
    const statuses = ['needs_judge', 'not_applicable', 'error', 'cancelled'] as const;
    const turns = statuses.map((status, index) => made.turn(index, { coherence: made.unscored(status) }));
    const text = table(
      made.report({ sessions: [made.session('s', [...turns, made.turn(4, { coherence: made.scored(0.2) })])] }),
    );
    const marks = text.split('\n').flatMap((line) => /^ {3}\d {2}t\d +(\S)/.exec(line)?.[1] ?? []);
    expect(marks).toEqual(['?', '–', '!', '×', '0']);
    expect(text).toContain('? not scored · – not applicable · ! error · × cancelled');
  });

  it('is counted, with advice on how to get it', () => {
    const metrics = {
      task_completion: made.unscored('needs_judge'),
      response_match_score: made.unscored('needs_reference'),
      coherence: made.unscored('error', 'The embedder answered 500.'),
      loop_detection: made.scored(1),
      plan_quality: made.unscored('not_applicable'),
    };
    const text = table(made.report({ sessions: [made.session('s', [made.turn(0, metrics)])] }), PIPE);
    expect(text).toContain('Coverage  1 of 4 results scored (25%)');
    expect(text).toContain('! coherence: 0 of 1 scored, 1 failed: The embedder answered 500.');
    expect(text).toContain('? 1 metric needs a judge.');
    expect(text).toContain('? 1 metric needs a reference.');
  });

  it('says that nothing was scored when something should have been', () => {
    const turns = [made.turn(0, { helpfulness: made.unscored('needs_judge') })];
    const text = table(made.report({ sessions: [made.session('s', turns)] }));
    expect(text).toMatch(/^✓ passed {3}1 session, 1 turn · nothing was scored · no gates ·/);
    expect(text).toContain('Coverage  0 of 1 result scored (0%): nothing was scored');
    const empty = [made.turn(0, { helpfulness: made.unscored('not_applicable') })];
    for (const quiet of [empty, [...turns, made.turn(1, { helpfulness: made.scored(1) })]]) {
      expect(table(made.report({ sessions: [made.session('s', quiet)] }))).not.toContain('nothing was scored');
    }
  });

  it('is not counted again for the mean of a turn metric or when it is implied', () => {
    const turn = made.turn(0, { loop_detection: made.scored(1), coherence: made.scored(1, { implied: true }) });
    const session = made.session('s', [turn], {
      metrics: { loop_detection: made.scored(1), agent_reliability: made.scored(1) },
    });
    expect(table(made.report({ sessions: [session] }))).toContain('Coverage  2 of 2 results scored (100%)');
  });
});

describe('gates', () => {
  it('says when a pass means little', () => {
    const severity = made.gate({
      metric: 'severity',
      threshold: 'critical',
      scope: 'session',
      subject: 's',
      reason: 'rules only',
    });
    expect(table(made.report({ gates: [severity] }))).toContain('No thresholds set');
    expect(table(made.report({ gates: [severity] })).split('\n')[0]).toContain('· no thresholds set ·');
    expect(table(made.report({ gates: [made.gate()] }))).not.toMatch(/no thresholds set/i);
    expect(table(made.report())).toContain('No thresholds set');
  });

  it('shows an undecided gate as neither met nor failed', () => {
    const gates = [made.gate({ met: null, actual: null, reason: 'nothing scored: no judge' })];
    const text = table(made.report({ verdict: 'undecided', gates }));
    expect(text).toContain('? undecided');
    expect(text).toContain('? loop_detection ≥ 0.50: nothing scored: no judge');
  });

  it('groups the gates that are met', () => {
    const gates = ['a', 'b', 'c'].map((subject) =>
      made.gate({ metric: 'severity', threshold: 'critical', scope: 'session', subject }),
    );
    expect(table(made.report({ gates }))).toContain('✓ no critical failure in 3 sessions');
  });

  it('explains a session that fails a threshold of the run', () => {
    const session = made.session('s', [made.turn(0)], {
      verdict: 'failed',
      metrics: { loop_detection: made.scored(0.2) },
    });
    const text = table(made.report({ verdict: 'failed', sessions: [session], gates: [made.gate({ met: false })] }));
    expect(text).toContain('why  loop_detection is 0.20, threshold 0.50');
  });
});

describe('the cause of an undecided run', () => {
  const down = 'localhost:1 does not answer.';
  const sentence = `3 questions got no answer: helpfulness (2), relevance (1): ${down}`;
  const unanswered = {
    code: 'judge-unanswered',
    reason: sentence,
    cause: down,
    count: 3,
    metrics: { helpfulness: 2, relevance: 1 },
  } as const;
  const severity = made.gate({ scope: 'session', subject: 's', metric: 'severity', threshold: 'critical' });
  const open = { ...severity, met: null, reason: '1 question about failures was not answered' };
  const undecided = { ...made.report({ verdict: 'undecided' }), undecided: [unanswered] };
  const gatesIn = (report: Report) => table(report).split('\nGates\n')[1]?.split('\n\n')[0];

  it('is shown below met gates and after undecided ones', () => {
    expect(gatesIn({ ...undecided, gates: [severity] })?.split('\n')).toEqual([
      '  ? 3 questions got no answer: helpfulness (2), relevance (1): localhost:1 does',
      '    not answer.',
      '  ✓ no critical failure: 0.80, at least 0.50 was asked for',
      '    No thresholds set: scores do not gate. Set one with --threshold',
      '    METRIC=VALUE.',
    ]);
    const gate = { code: 'gate', reason: 'A gate.', cause: null, count: 1, metrics: { severity: 1 } } as const;
    const marks = gatesIn({ ...undecided, gates: [open], undecided: [unanswered, gate] })?.match(/^ {2}[?✓✗] .{20}/gm);
    expect(marks).toEqual(['  ? no critical failure ', '  ? 3 questions got no ans'.slice(0, 24)]);
    expect(gatesIn(undecided)).toMatch(/^ {2}none\n {2}\? 3 questions/);
  });

  it('is counted in the coverage without its cause, and dependent metrics separately', () => {
    const lost = (reason: string) => made.unscored('error', reason);
    const made2 = lost(`Of the turns nothing is known: ${down}`);
    const turns = [
      made.turn(0, { helpfulness: lost(down), relevance: lost(`${down} openai/m was not asked again.`) }),
      made.turn(1, { helpfulness: lost(down), relevance: made.scored(1) }),
    ];
    const report = { ...undecided, sessions: [made.session('s', turns, { metrics: { goal: made2 } })] };
    const text = table(report);
    expect(text.replace(/\s+/g, ' ')).toContain(
      '! helpfulness, relevance, goal: 1 of 5 scored, 4 failed (1 of them derived), same cause as above',
    );
    expect(text.split('localhost:1')).toHaveLength(2);
  });

  it('can be a limit or a stop, which the coverage counts too', () => {
    const limit = 'The limit of 4 calls (judge.maxCalls) is reached.';
    const left = made.unscored('cancelled', limit);
    const turns = [made.turn(0, { helpfulness: made.scored(1) }), made.turn(1, { helpfulness: left })];
    const sessions = [made.session('s', turns)];
    expect(table(made.report({ sessions })).replace(/\s+/g, ' ')).toContain(
      `× helpfulness: 1 of 2 scored, 1 cancelled: ${limit}`,
    );
    const told = { ...undecided, sessions, undecided: [{ ...unanswered, cause: limit, metrics: { helpfulness: 1 } }] };
    expect(table(told)).toContain('  × helpfulness: 1 of 2 scored, 1 cancelled, same cause as above');
  });

  it('is shown at its sessions, with the cause only if it is not shown elsewhere', () => {
    const other = 'm: nothing scored: A model must answer.';
    const session = made.session('s', [made.turn(0)], { verdict: 'undecided', undecided: [sentence, other] });
    expect(table({ ...undecided, sessions: [session] })).toContain(
      '  why  3 questions got no answer: helpfulness (2), relevance (1)\n       m: nothing scored: A model must answer\n',
    );
    // What was found comes behind: it left nothing undecided.
    const found = [made.failures('repeated tool call', 'low', [made.occurrence('s', 0, 'It was called again.')])];
    expect(table({ ...undecided, sessions: [session], failures: found })).toMatch(
      /why {2}3 q.*\n.*\n {7}It was called/,
    );
    const failed = table(made.report({ verdict: 'failed', sessions: [session] })).replace(/\s+/g, ' ');
    expect(failed).toContain('relevance (1): localhost:1 does not answer m: nothing');
  });
});

describe('attempts', () => {
  const scenario = {
    file: 'f',
    line: null,
    verdict: 'failed',
    assessment: null,
    passAtK: [],
    passPowK: [],
    metrics: {},
    sessions: [],
    traceFiles: [],
  } as const;
  const attempts = {
    estimator: 'unbiased',
    correctBy: 'reward',
    scenarios: 2,
    leftOut: 0,
    table: [
      { k: 1, passAtK: 0.75, passPowK: 0.75 },
      { k: 2, passAtK: 1, passPowK: 0.5 },
    ],
  } as const;

  it('shows pass@k, pass^k and the tasks with mixed results', () => {
    const report = made.report({
      attempts,
      scenarios: [
        { ...scenario, name: 'airline · 3', attempts: 4, correct: 2, leftOut: 0 },
        { ...scenario, name: 'airline · 4', attempts: 4, correct: 4, leftOut: 0 },
      ],
    });
    const text = table(report);
    expect(text).not.toContain('left out');
    expect(text).toContain('Attempts  2 tasks, correct by reward, unbiased estimator');
    expect(text).toContain('   2  1.00 ▮▮▮▮▮▮▮▮▮▮  0.50 ▮▮▮▮▮▯▯▯▯▯');
    expect(text).toContain('2 of 4  airline · 3');
    expect(text).not.toContain('airline · 4');
  });

  it('says how many attempts are excluded, and counts only the others', () => {
    const text = table(
      made.report({
        attempts: { ...attempts, leftOut: 3 },
        scenarios: [
          { ...scenario, name: 'airline · 3', attempts: 4, correct: 2, leftOut: 1 },
          { ...scenario, name: 'airline · 4', attempts: 4, correct: 2, leftOut: 2 },
        ],
      }),
    );
    expect(text).toContain('  3 attempts left out: not known whether correct\n');
    expect(text).toContain('2 of 3  airline · 3');
    expect(text).not.toContain('airline · 4');
  });

  it('says that there is no estimate when all attempts are excluded', () => {
    const scenarios = [{ ...scenario, name: 'airline · 3', attempts: 4, correct: 0, leftOut: 4 }];
    expect(table(made.report({ scenarios }))).toContain(
      'Attempts  no estimate for 1 task\n  4 attempts left out: not known whether correct\n',
    );
    expect(table(made.report({ scenarios: [] }))).not.toContain('Attempts');
  });
});

it('shows suppressed findings apart from problems', () => {
  const place = { session: 's', file: 'a.json', turn: 1, pointer: '', line: 7, evidence: [] };
  const accepted = {
    ...place,
    rule: 'repeated-call',
    finding: 'search was called again.',
    reason: 'Polling is wanted here.',
  };
  const text = table(made.report({ suppressed: [accepted] }));
  expect(text).toContain(
    'Suppressed\n    a.json:7  turn 2 of s\n      repeated-call: search was called again.\n      suppressed: Polling is wanted here.',
  );
  expect(text).not.toContain('Failures');
});

it('shows observations apart from problems, one kind at a time, with the first location of each', () => {
  const place = { session: 's', file: 'a.json', turn: 1, pointer: '', line: 7, evidence: [] };
  const seen = { ...place, rule: 'state-change', title: 'State was changed', reason: '`refund` changed state.' };
  const text = table(made.report({ observations: [seen, { ...seen, line: 9 }] }));
  expect(text).toContain(
    'Observations\n  · State was changed · 2× · state-change\n    a.json:7  turn 2 of s\n      `refund` changed state.\n    and 1 more; --format json lists them',
  );
  expect(text).not.toContain('Failures');
});

it('shows further evidence', () => {
  const [failure] = made.failures('Refund claimed', 'high', [made.occurrence('s', 1, 'It says so.')]).occurrences;
  if (!failure) throw new Error('There is no failure.');
  const evidence = [
    { file: failure.file, pointer: failure.pointer, line: failure.line, note: 'the call' },
    { file: failure.file, pointer: '/messages/4', line: 31, note: 'the answer' },
    { file: 'other.json', pointer: '/0', line: null, note: 'the log' },
  ];
  const text = table(made.report({ failures: [made.failures('x', 'high', [{ ...failure, evidence }])].flat() }));
  expect(text).toContain('It says so.\n      traces/s.json:31  the answer\n      other.json  the log');
});

describe('many sessions', () => {
  const sessions = Array.from({ length: 100 }, (_, index) =>
    made.session(`s${index}`, [made.turn(0, { coherence: made.scored(0.9) })], {
      verdict: index % 10 === 0 ? 'failed' : 'passed',
      metrics: { session_risk: made.scored(index / 100, RISK) },
    }),
  );
  const text = table(made.report({ verdict: 'failed', sessions }));

  it('lists a row per session, the riskiest first, and the number of omitted ones', () => {
    const rows = text.split('\n').flatMap((line) => /^[✓✗] traces\/(\w+)\.json:2 .*0\.\d\d ▮/.exec(line)?.[1] ?? []);
    expect(rows.slice(0, 3)).toEqual(['s99', 's98', 's97']);
    expect(text).toContain('and 60 more sessions, 6 failed; --format json lists them');
  });

  it('expands failed sessions, up to a limit', () => {
    expect(text.match(/^ {3}1 {2}t1 /gm)).toHaveLength(5);
    expect(text).toContain('and 5 more failed sessions');
  });
});

it('folds a long session to its relevant turns', () => {
  const turns = Array.from({ length: 500 }, (_, index) =>
    made.turn(index, { coherence: made.scored(index === 321 ? 0.1 : 0.9) }),
  );
  const text = table(made.report({ sessions: [made.session('s', turns)] }));
  expect(text).toContain(' 322  t322');
  expect(text).toContain('and 499 more turns; --session ID shows them');
});

it('says that a run was stopped', () => {
  const { run } = made.report();
  expect(table(made.report({ run: { ...run, complete: false } }))).toContain(
    'Stopped early: only finished results are shown.',
  );
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\u001b[2J\u001b]0;owned\u0007',
    'a\r\nb',
    '\u202Egnp.exe',
    '日本語の長い文章です'.repeat(20),
    'x'.repeat(500),
    '👩‍👩‍👧'.repeat(40),
    '',
  ),
);
const result = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map((score) => made.scored(score)),
  fc
    .constantFrom(...STATUSES)
    .map((status) => (status === 'scored' || status === 'vacuous' ? made.vacuous(1) : made.unscored(status))),
);
const metrics = fc.dictionary(
  fc.constantFrom(
    'coherence',
    'loop_detection',
    'tool_trajectory_avg_score',
    'turn_risk',
    'session_risk',
    'agent_reliability',
    '__proto__',
  ),
  result,
);

describe('hostile text', () => {
  const hostileReport = fc
    .record({
      ids: fc.array(hostile, { minLength: 1, maxLength: 3 }),
      reason: hostile,
      label: hostile,
      turns: fc.array(metrics, { maxLength: 4 }),
      session: metrics,
      verdict: fc.constantFrom('passed', 'failed', 'undecided'),
    })
    .map(({ ids, reason, label, turns, session, verdict }) =>
      made.report({
        verdict,
        sessions: ids.map((id) => ({
          ...made.session(
            id,
            turns.map((one, index) => made.turn(index, one)),
            { metrics: session, verdict, undecided: [`2 questions got no answer: m: ${reason}`, label] },
          ),
        })),
        undecided: [
          { code: 'judge-unanswered', reason: label, cause: reason, count: 2, metrics: { [label]: 2 } },
          { code: 'interrupted', reason, cause: null, count: 1, metrics: {} },
        ],
        failures: [
          {
            ...made.failures(
              label,
              'high',
              ids.map((id) => made.occurrence(id, 0, reason)),
            ),
            title: reason,
          },
        ],
        gates: [
          made.gate({ scope: 'session', subject: ids[0] ?? '', met: false, reason }),
          made.gate({ met: null, reason }),
        ],
      }),
    );

  it.each([60, 80, 120])('cannot exceed %i columns or control the terminal', (columns) => {
    fc.assert(
      fc.property(hostileReport, hostile, fc.boolean(), (report, said, terminal) => {
        const sessions = report.sessions.map(({ id, turns }) =>
          made.evaluated(
            id,
            turns.map(() => said),
          ),
        );
        for (const line of tableLines(report, {
          userMessages: messagesOf(sessions),
          color: false,
          columns,
          terminal,
        })) {
          expect(line).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
          // A place is never cut: it could not be clicked.
          if (!/^ {4}traces\//.test(line)) expect(width(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 50 },
    );
  });
});
