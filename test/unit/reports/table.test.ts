import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Headline, Report } from '../../../src/core/report.ts';
import { toResult } from '../../../src/core/result.ts';
import type { Session } from '../../../src/core/session.ts';
import { HEADLINE_KINDS, STATUSES } from '../../../src/core/statuses.ts';
import type { ReportOptions, UserMessages } from '../../../src/reports/report-writer.ts';
import { tableLines } from '../../../src/reports/table.ts';
import { width } from '../../../src/reports/terminal-text.ts';
import * as build from './report.ts';

const TERMINAL: ReportOptions = { color: false, columns: 80, terminal: true };
const VERBOSE: ReportOptions = { ...TERMINAL, verbose: true };

function table(report: Report, options = TERMINAL, sessions: readonly Session[] = []): string {
  return [...tableLines(report, { ...options, userMessages: messagesOf(sessions) })].join('\n');
}

/** The table with its line breaks as spaces. */
function flat(report: Report, options = TERMINAL): string {
  return table(report, options).replace(/\s+/g, ' ');
}

function messagesOf(sessions: readonly Session[]): UserMessages {
  return new Map(sessions.map(({ id, turns }) => [id, turns.map(({ input }) => input)]));
}

const RISK = { lowerIsBetter: true };
const FAILED: Headline = { kind: 'failed', text: 'Failed: reward 0.0 in the trace', turn: null };

const ISSUE = build.failures('repeated tool call', 'low', [
  build.occurrence('refund', 1, 'refund_order was called again with the same arguments.'),
]);
const REFUND = build.session(
  'refund',
  [
    build.turn(0, {
      loop_detection: build.vacuous(1),
      coherence: build.scored(0.9),
      turn_risk: build.scored(0.05, RISK),
    }),
    build.turn(1, {
      loop_detection: build.scored(0.31),
      coherence: build.scored(0.8),
      turn_risk: build.scored(0.81, RISK),
    }),
  ],
  {
    verdict: 'failed',
    headline: FAILED,
    metrics: { session_risk: build.scored(0.71, RISK), agent_consistency: build.scored(0.41) },
  },
);
const REPORT = build.report({ verdict: 'failed', sessions: [REFUND], failures: [ISSUE] });

describe('the headline of a session', () => {
  it('says of how many files the turns are', () => {
    const joined = build.session('s', [build.turn(0, {}), { ...build.turn(1, {}), file: 'traces/other.json' }]);
    expect(table(build.report({ sessions: [joined] }))).toContain('traces/s.json:2 · turns of 2 files');
  });

  it('has the mark and the text of its kind, its location and its risk in words', () => {
    const lines = table(REPORT).split('\n');
    expect(lines).toContain('✗ Failed: reward 0.0 in the trace  traces/refund.json:2 · risk High');
  });

  it.each(
    Object.entries({
      failed: '✗',
      undecided: '?',
      problems: '!',
      'not-run': '○',
      clean: '○',
      succeeded: '✓',
    } satisfies Record<Headline['kind'], string>),
  )('of kind %s has the mark %s, and the word passed does not occur', (kind, mark) => {
    const headline = { kind, text: 'The text.', turn: null } as Headline;
    const text = table(build.report({ sessions: [build.session('s', [build.turn(0)], { headline })] }));
    expect(text).toContain(`${mark} The text.  traces/s.json:2`);
    expect(text).not.toMatch(/passed/i);
  });

  it('names the session by its id if its file does not', () => {
    const source = { file: 'all.jsonl', format: 'openai-chat', pointer: '' };
    const text = table(build.report({ sessions: [build.session('conv_42', [build.turn(0)], { source })] }));
    expect(text).toContain('○ No problems found  all.jsonl:2 · conv_42');
  });

  it('has the location on a line of its own if it does not fit', () => {
    const headline = { ...FAILED, text: `Failed: ${'a long reason '.repeat(8)}` };
    const lines = table(build.report({ sessions: [build.session('s', [build.turn(0)], { headline })] })).split('\n');
    expect(lines).toContain('  traces/s.json:2');
    expect(lines.filter((line) => line.includes('a long reason'))).toHaveLength(2);
  });

  it('has no risk beside a success', () => {
    const metrics = { session_risk: build.scored(0.9, RISK) };
    const headline = { kind: 'succeeded', text: 'Succeeded (judge)', turn: null } as const;
    expect(table(build.report({ sessions: [build.session('s', [], { headline, metrics })] }))).not.toContain(
      'risk High',
    );
  });

  it('comes in the order of every view: by kind, then by risk', () => {
    const sessions = HEADLINE_KINDS.toReversed().flatMap((kind) =>
      [0.1, 0.9].map((risk) =>
        build.session(`${kind}-${risk}`, [], {
          headline: { kind, text: 'Text.', turn: null },
          metrics: { session_risk: build.scored(risk, RISK) },
        }),
      ),
    );
    const order = [...table(build.report({ sessions })).matchAll(/traces\/([\w.-]+)\.json/g)].map(([, id]) => id);
    const worse = ['failed', 'undecided', 'problems', 'not-run'].flatMap((kind) => [`${kind}-0.9`, `${kind}-0.1`]);
    expect(order).toEqual([...worse, 'succeeded-0.9', 'clean-0.9', 'succeeded-0.1', 'clean-0.1']);
  });
});

describe('the first line', () => {
  it('counts sessions by headline', () => {
    const sessions = [REFUND, build.session('a', []), build.session('b', [])];
    expect(table(build.report({ sessions })).split('\n')[0]).toBe(
      '3 sessions: 1 failed, 2 without problems · 2 turns · rules only · 412 ms',
    );
    expect(table(build.report()).split('\n')[0]).toBe('No sessions · 0 turns · rules only · 412 ms');
  });

  it('says that a run was stopped', () => {
    const { run } = build.report();
    expect(table(build.report({ run: { ...run, complete: false } }))).toContain(
      'Stopped early: only finished results are shown.',
    );
  });
});

describe('problems', () => {
  const many = ['low', 'critical', 'high', 'medium', 'low'] as const;
  const failures = many.map((severity, index) =>
    build.failures(`label ${index}`, severity, [build.occurrence('refund', index, `Reason ${index}.`)]),
  );

  it('are listed below their session with location, severity, rule and reason', () => {
    expect(table(REPORT)).toContain(
      '    traces/refund.json:11  turn 2 · low · repeated-call\n      refund_order was called again with the same arguments.\n',
    );
  });

  it('are at most three of a session among others, the most severe first', () => {
    const text = table(build.report({ sessions: [REFUND, build.session('other', [])], failures }));
    expect([...text.matchAll(/Reason (\d)/g)].map(([, index]) => index)).toEqual(['1', '2', '3']);
    expect(text).toContain('  and 2 more problems; --verbose shows all');
    const one = table(build.report({ sessions: [REFUND], failures }));
    expect(one.match(/Reason/g)).toHaveLength(5);
  });

  it('of several sessions are told once, in a group, with one example of the reason', () => {
    const group = build.failures('repeated tool call', 'high', [
      build.occurrence('a', 0, 'It was called again.'),
      build.occurrence('b', 1, 'It was called again, too.'),
    ]);
    const text = table(build.report({ sessions: [build.session('a', []), build.session('b', [])], failures: [group] }));
    expect(text).toContain(
      'Problems of several sessions\n  ✗ repeated tool call · repeated-call · high · 2 sessions\n    traces/a.json:10  turn 1\n      It was called again.\n    traces/b.json:11  turn 2\n',
    );
    expect(text.match(/It was called again/g)).toHaveLength(1);
    expect(text.match(/1 problem that other sessions have too/g)).toHaveLength(2);
  });

  it('have all of their evidence with --verbose', () => {
    const [failure] = ISSUE.occurrences;
    if (!failure) throw new Error('There is no failure.');
    const evidence = [
      { file: failure.file, pointer: '/messages/1', line: 11, note: 'the call' },
      { file: failure.file, pointer: '/messages/4', line: 31, note: 'the answer' },
      { file: 'other.json', pointer: '/0', line: null, note: 'the log' },
    ];
    const report = build.report({
      sessions: [REFUND],
      failures: [{ ...ISSUE, occurrences: [{ ...failure, evidence }] }],
    });
    expect(table(report, VERBOSE)).toContain('traces/refund.json:31  the answer\n        other.json  the log\n');
    expect(table(report)).not.toContain('the answer');
  });
});

it('says how many findings are suppressed, and shows them with --verbose', () => {
  const place = { session: 's', file: 'a.json', turn: 1, pointer: '', line: 7, evidence: [] };
  const one = { ...place, rule: 'repeated-call', finding: 'search was called again.', reason: 'Polling is intended.' };
  const report = build.report({ suppressed: [one] });
  expect(table(report)).toContain('1 finding suppressed with a reason; --verbose shows them');
  expect(table(report, VERBOSE)).toContain(
    'Suppressed\n    a.json:7  turn 2 · s\n      repeated-call: search was called again.\n      suppressed: Polling is intended.',
  );
});

it('shows observations with --verbose only', () => {
  const place = { session: 's', file: 'a.json', turn: 1, pointer: '', line: 7, evidence: [] };
  const seen = { ...place, rule: 'state-change', title: 'State was changed', reason: '`refund` changed state.' };
  const report = build.report({ observations: [seen, { ...seen, line: 9 }] });
  expect(table(report, VERBOSE)).toContain(
    'Observations\n  · State was changed · 2× · state-change\n    a.json:7  turn 2 · s\n      `refund` changed state.\n    a.json:9',
  );
  expect(table(report)).not.toContain('state-change');
});

describe('with --verbose, a session', () => {
  const text = table(REPORT, VERBOSE, [build.evaluated('refund', ['Hello', 'Please refund order A-1001'])]);

  it('has a row for each turn with its risk, problems and all scores', () => {
    expect(text).toMatch(/^ {3}1 {2}Hello +risk low$/m);
    expect(text).toMatch(/^ {3}2 {2}Please refund order A-1001 +risk high$/m);
    expect(text).toContain('      traces/refund.json:11  turn 2 · low · repeated-call');
    expect(text).toContain('      loop_detection 0.31 / 1   coherence 0.80 / 1');
    expect(text).toContain('      loop_detection (1.00 / 1)   coherence 0.90 / 1');
    expect(text).toContain('  agent_consistency 0.41 / 1\n');
  });

  it('names turns by their ids if their messages are not known', () => {
    expect(table(REPORT, VERBOSE)).toMatch(/^ {3}2 {2}t2 /m);
  });

  it('says what is open', () => {
    const session = build.session('s', [build.turn(0)], { undecided: ['3 questions got no answer.'] });
    expect(table(build.report({ sessions: [session] }), VERBOSE)).toContain('  ? 3 questions got no answer.\n');
  });
});

describe('a judged score below its threshold', () => {
  const judged = (score: number, reason = 'No carrier is named.', metadata = {}) =>
    toResult(
      {
        status: 'scored',
        score,
        source: 'judge',
        judge: 'openai/m',
        reason,
        evidence: [{ pointer: '/messages/4', note: '' }],
        metadata,
      },
      {
        range: [1, 5],
        threshold: 3.5,
        bands: [{ from: 1, name: 'unhelpful', meaning: '' }],
        lowerIsBetter: false,
        implied: false,
      },
    );
  const report = build.report({
    sessions: [
      build.session('s', [build.turn(0, { helpfulness: judged(2), relevance: judged(5), verbosity: judged(3) })]),
    ],
  });
  const locator = {
    locate: (_: string, pointers: Iterable<string>) => new Map(Array.from(pointers, (at) => [at, { line: 40 }])),
  };

  it('is named with its scale below the headline, the farthest first', () => {
    expect(table(report)).toContain(
      '  low scores: helpfulness 2 / 5, below 3.50 (turn 1), verbosity 3 / 5, below\n  3.50 (turn 1)\n',
    );
  });

  it('has its band, reason and location with --verbose', () => {
    expect(table(report, { ...VERBOSE, locator })).toContain(
      '      ! helpfulness 2 / 5, below 3.50 · unhelpful\n        No carrier is named.\n        traces/s.json:40',
    );
  });

  it('that a finding capped says what the judge gave, without praise as its reason', () => {
    const cap = { cap: { most: 2, judged: 5, reason: 'All is well.', findings: [{ rule: 'unknown-tool' }] } };
    const capped = build.report({
      sessions: [build.session('s', [build.turn(0, { helpfulness: judged(2, 'Well. Capped.', cap) })])],
    });
    const text = flat(capped, VERBOSE);
    expect(text).toContain('capped by unknown-tool, the judge gave 5.00');
    expect(text).not.toContain('All is well.');
  });
});

describe('means of metrics', () => {
  const mean = (score: number, frame = {}, metadata: object = { n: 7 }) => ({
    ...build.scored(score, frame),
    source: 'aggregate' as const,
    metadata: metadata as Record<string, unknown>,
  });

  it('have n and threshold, those that miss it first', () => {
    const metrics = { coherence: mean(0.9, { threshold: null }), loop_detection: mean(0.31) };
    const rows = (ownThresholds: readonly string[]) => {
      const report = build.report({ metrics });
      const lines = table({ ...report, run: { ...report.run, ownThresholds: [...ownThresholds] } }).split('\n');
      const at = lines.findIndex((line) => line.startsWith('Metrics'));
      return lines.slice(at, at + 3);
    };
    expect(rows(['loop_detection'])).toEqual([
      'Metrics                         mean         over  threshold',
      '  loop_detection            0.31 / 1      7 turns  ≥ 0.50, missed',
      '  coherence                 0.90 / 1      7 turns',
    ]);
    // No gate fails on a built-in threshold.
    expect(rows([])[1]).toBe('  loop_detection            0.31 / 1      7 turns  ≥ 0.50, low');
  });

  it('of rates are percentages, with the share of first contacts', () => {
    const metrics = {
      resolution_rate: mean(0.8, {}, { n: 5, first_contact_rate: 0.6 }),
      completion_rate: mean(0.75, { threshold: null }, { sessions: 6, unknown: 2 }),
    };
    const text = table(build.report({ metrics }));
    expect(text).toMatch(/resolution_rate +80 % +5 sessions +≥ 0\.50, 60 % at first contact/);
    expect(text).toMatch(/completion_rate +75 % +4 sessions$/m);
  });

  it('have a unit where they are no scores, and say what they are over', () => {
    const measured = { threshold: null, range: [0, null] as const };
    const metrics = { response_time: mean(8930, measured), token_usage: mean(1234.5, measured, { n: 1 }) };
    const text = table(build.report({ metrics }));
    expect(text).toMatch(/response_time +8\.93 s +7 turns$/m);
    expect(text).toMatch(/token_usage +1,235 tokens +1 turn$/m);
  });

  it('leave out labels of failures, which are problems', () => {
    const label = toResult(
      { status: 'scored', label: 'wrong tool', labels: ['wrong tool'], source: 'aggregate', reason: null },
      { range: null, threshold: null, bands: [], lowerIsBetter: false, implied: false },
    );
    expect(table(build.report({ metrics: { tool_call_behavior_failure: label } }))).not.toContain('Metrics');
  });

  it('say why a metric that was asked for by name has no score', () => {
    const turns = [build.turn(0, { loop_detection: build.vacuous(1) })];
    const report = build.report({ sessions: [build.session('s', turns)] });
    const named = { ...report, run: { ...report.run, namedMetrics: ['loop_detection'] } };
    expect(table(named)).toContain('  loop_detection: nothing to judge (1.00 / 1): There was nothing to judge.');
    expect(table(report)).not.toContain('nothing to judge');
  });
});

describe('coverage and next steps', () => {
  it('count what is not scored and name what would score it', () => {
    const metrics = {
      task_completion: build.unscored('needs_judge'),
      response_match_score: build.unscored('needs_reference'),
      coherence: build.unscored('error', 'The embedder answered 500.'),
      loop_detection: build.scored(1),
      plan_quality: build.unscored('not_applicable'),
    };
    const text = table(build.report({ sessions: [build.session('s', [build.turn(0, metrics)])] }));
    expect(text).toContain('Coverage: 1 of 4 results scored (25 %)');
    expect(text).toContain('! coherence: 0 of 1 scored, 1 failed: The embedder answered 500.');
    expect(text.replace(/\s+/g, ' ')).toContain(
      'Next: --judge openai:MODEL or ollama:MODEL answers 1 metric (task_completion) that needs a judge.',
    );
    expect(text.replace(/\s+/g, ' ')).toContain('answers 1 metric (response_match_score) that needs a reference.');
  });

  it('say plainly that nothing was scored', () => {
    const turns = [build.turn(0, { helpfulness: build.unscored('needs_judge') })];
    expect(table(build.report({ sessions: [build.session('s', turns)] }))).toContain(
      'Coverage: 0 of 1 result scored (0 %): nothing was scored',
    );
  });

  it('name --verbose at a terminal only', () => {
    expect(table(REPORT)).toContain('--verbose shows every turn');
    expect(table(REPORT, { ...TERMINAL, terminal: false })).not.toContain('--verbose shows every turn');
    expect(table(REPORT, VERBOSE)).not.toContain('--verbose');
  });
});

describe('gates', () => {
  const severity = { scope: 'session', metric: 'severity', threshold: 'high' } as const;

  it('are counted, and those that are not met have their reasons', () => {
    const gates = [
      build.gate({ met: false, actual: 0.31, reason: '0.31, required: at least 0.50' }),
      build.gate({ ...severity, subject: 'a', met: false, reason: 'a high problem was found' }),
      build.gate({ ...severity, subject: 'b', met: false, reason: 'a high problem was found' }),
      build.gate({ ...severity, subject: 'c', met: null, reason: 'not answered' }),
      build.gate({ ...severity, subject: 'd' }),
    ];
    const text = table(build.report({ gates }));
    expect(text).toContain('Gates: 1 of 5 met, 3 failed, 1 undecided.\n');
    expect(text).toContain('  ✗ loop_detection ≥ 0.50: 0.31, required: at least 0.50\n');
    expect(text).toContain('  ✗ no problem of severity high or above in a, b: a high problem was found\n');
    expect(text).toContain('  ? no problem of severity high or above in c: not answered');
    expect(text).not.toContain('✓');
    expect(table(build.report({ gates }), VERBOSE)).toContain('  ✓ no problem of severity high or above');
  });

  it('name the option of the command line beside the setting that ignores a gate', () => {
    const gates = [
      build.gate({ ...severity, subject: 'a', met: false, reason: 'why; gates.failOn: critical ignores it' }),
      build.gate({
        scope: 'session',
        metric: 'outcome',
        threshold: 'succeeded',
        met: false,
        reason: 'reward 0; gates.outcome: false ignores it',
      }),
    ];
    const text = flat(build.report({ gates }));
    expect(text).toContain('gates.failOn: critical (--fail-on critical) ignores it');
    expect(text).toContain('gates.outcome: false (--ignore-outcome) ignores it');
  });

  it('say if scores do not gate', () => {
    const gates = [build.gate({ ...severity, subject: 's' })];
    expect(table(build.report({ gates }))).toContain('Gates: 1 of 1 met. No thresholds on scores.');
    expect(table(build.report({ gates: [build.gate()] }))).not.toContain('No thresholds');
    expect(table(build.report())).toContain('Gates: none. No thresholds on scores.');
  });

  it('say which problems and outcomes do not gate', () => {
    const high = build.failures('wrong tool', 'high', [build.occurrence('refund', 1, 'There is no such tool.')]);
    const note = 'Worst problem: high. No gate on it (--fail-on high).';
    expect(flat(build.report({ sessions: [REFUND], failures: [ISSUE, high] }))).toContain(note);
    const unmet = build.gate({ ...severity, met: false });
    expect(flat(build.report({ sessions: [REFUND], failures: [high], gates: [unmet] }))).not.toContain('No gate on it');

    const outcome = { status: 'failed', source: 'recorded', reason: 'reward 0.0', disagrees: [] } as const;
    const sessions = [build.session('a', [], { outcome }), build.session('b', [])];
    expect(flat(build.report({ sessions }))).toContain('Outcome: 1 of 2 sessions failed. No gate on it');
    const gate = build.gate({
      scope: 'session',
      metric: 'outcome',
      threshold: 'succeeded',
      actual: 'failed',
      met: false,
    });
    expect(flat(build.report({ sessions, gates: [gate] }))).not.toContain('No gate on it');
  });
});

describe('what leaves a run undecided', () => {
  const down = 'localhost:1 does not answer.';
  const unanswered = {
    code: 'judge-unanswered',
    reason: `3 questions got no answer: helpfulness (2), relevance (1): ${down}`,
    cause: down,
    count: 3,
    metrics: { helpfulness: 2, relevance: 1 },
  } as const;

  it('stands below the gates', () => {
    const report = build.report({ verdict: 'undecided', undecided: [unanswered] });
    expect(flat(report)).toContain(`Gates: none. No thresholds on scores. ? ${unanswered.reason}`);
  });

  it('is counted in the coverage, with its cause told once', () => {
    const lost = (reason: string) => build.unscored('error', reason);
    const turns = [
      build.turn(0, { helpfulness: lost(down), relevance: lost(`${down} openai/m was not asked again.`) }),
      build.turn(1, { helpfulness: lost(down), relevance: build.scored(1) }),
    ];
    const goal = lost(`Nothing is known of the turns: ${down}`);
    const sessions = [build.session('s', turns, { metrics: { goal } })];
    const text = table(build.report({ verdict: 'undecided', undecided: [unanswered], sessions }));
    expect(text.replace(/\s+/g, ' ')).toContain(
      '! helpfulness, relevance, goal: 1 of 5 scored, 4 failed (1 of them derived), see Gates',
    );
    expect(text.split('localhost:1')).toHaveLength(2);
  });

  it('may be a limit, which the coverage counts as well', () => {
    const limit = 'The limit of 4 calls (judge.maxCalls) is reached.';
    const turns = [
      build.turn(0, { helpfulness: build.scored(1) }),
      build.turn(1, { helpfulness: build.unscored('cancelled', limit) }),
    ];
    expect(flat(build.report({ sessions: [build.session('s', turns)] }))).toContain(
      `× helpfulness: 1 of 2 scored, 1 cancelled: ${limit}`,
    );
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
      { k: 1, passAtK: 0.75, passAtKCi: [0.5, 0.9], passPowK: 0.75, passPowKCi: [0.5, 0.9] },
      { k: 2, passAtK: 1, passAtKCi: [0.8, 1], passPowK: 0.5, passPowKCi: [0.25, 0.75] },
    ],
    omittedK: [],
  } as const;

  it('shows pass@k, pass^k and the tasks with mixed results', () => {
    const report = build.report({
      attempts,
      scenarios: [
        { ...scenario, name: 'airline · 3', attempts: 4, correct: 2, leftOut: 0 },
        { ...scenario, name: 'airline · 4', attempts: 4, correct: 4, leftOut: 0 },
      ],
    });
    const text = table(report);
    expect(text).not.toContain('left out');
    expect(text).toContain('Attempts\n  2 tasks, correct by reward, unbiased estimator, 95% intervals\n');
    expect(text).toContain('     2  1.00 [0.80–1.00]    0.50 [0.25–0.75]\n');
    expect(text).toContain('  ! airline · 3: 2 of 4 succeeded\n  ✓ airline · 4: 4 of 4 succeeded\n');
  });

  it('shows the estimate of the largest k of each task, which its assessment is about, and what agrees', () => {
    const task = {
      ...scenario,
      name: 'airline · 3',
      attempts: 3,
      correct: 2,
      leftOut: 0,
      assessment: 'mixed',
      passPowK: [
        { k: 1, value: 2 / 3, ci: [0.2, 0.9] },
        { k: 2, value: 1 / 3, ci: [0.04, 0.87] },
        { k: 3, value: 0, ci: [0.01, 0.8] },
      ],
      metrics: { strategy_consistency: build.scored(0.875) },
      agreement: { attempts: 4, agreeing: 3, likely: [], standOut: ['trial-2'] },
    } as const;
    expect(flat(build.report({ attempts, scenarios: [task] }))).toContain(
      '! airline · 3: 3 of 4 agree, trial-2 stands out · 2 of 3 succeeded · pass^3 0.00 [0.01–0.80] unbiased: mixed · strategy 0.88',
    );
  });

  it('says what the trace records beside a headline that contradicts it', () => {
    const session = build.session('s', [build.turn(0)], {
      headline: FAILED,
      outcome: { status: 'succeeded', source: 'recorded', reason: 'reward 1.0 in the trace', disagrees: [] },
    });
    expect(flat(build.report({ sessions: [session] }))).toContain(
      'The trace says that it succeeded: reward 1.0 in the trace',
    );
  });

  it('lists a task of one attempt only where that stands out among those of other agents', () => {
    const agreement = { attempts: 4, agreeing: 3, likely: [] };
    const tasks = [
      {
        ...scenario,
        name: 'airline · 3 · x',
        attempts: 1,
        correct: 0,
        leftOut: 0,
        agreement: { ...agreement, standOut: ['a'] },
      },
      {
        ...scenario,
        name: 'airline · 3 · y',
        attempts: 1,
        correct: 1,
        leftOut: 0,
        agreement: { ...agreement, standOut: [] },
      },
    ];
    const text = flat(build.report({ attempts, scenarios: tasks }));
    expect(text).toContain('✗ airline · 3 · x: stands out, 3 of 4 agree · 0 of 1 succeeded');
    expect(text).not.toContain('airline · 3 · y');
    expect(text).toContain(
      '2 tasks have attempts of other agents: attempt_agreement and session_risk count them, pass@k does not',
    );
  });

  it('shows the estimates over the conversations of each assistant of a Fair Forge file', () => {
    const conversations = [
      {
        assistant_id: 'v1',
        total_conversations: 4,
        correct_conversations: 3,
        k: 3,
        pass_at_k: 0.984,
        pass_pow_k: 0.422,
        estimator: 'plug-in',
        assessment: 'Inconsistent',
        credible: { pass_at_k: [0.6, 1], pass_pow_k: [0.02, 0.84] },
      },
      { assistant_id: null, total_conversations: 1, correct_conversations: 1, k: 3 },
    ];
    const text = flat(build.report({ metrics: { agentic: { ...build.scored(0.8), metadata: { conversations } } } }));
    expect(text).toContain(
      '· agentic, v1: 3 of 4 conversations correct in every turn · pass@3 0.98 [0.60–1.00], pass^3 0.42 [0.02–0.84] plug-in: Inconsistent',
    );
    expect(text).toContain(
      '· agentic: 1 of 1 conversation correct in every turn · no estimate: the unbiased estimator needs 3 conversations',
    );
  });

  it('says which k are left out', () => {
    const report = build.report({ attempts: { ...attempts, omittedK: [5, 8] } });
    expect(flat(report)).toContain('k = 5, 8 left out: the unbiased estimator needs that many attempts of every task');
  });

  it('says how many attempts are excluded, and counts only the others', () => {
    const text = table(
      build.report({
        attempts: { ...attempts, leftOut: 3 },
        scenarios: [
          { ...scenario, name: 'airline · 3', attempts: 4, correct: 2, leftOut: 1 },
          { ...scenario, name: 'airline · 4', attempts: 4, correct: 2, leftOut: 2 },
        ],
      }),
    );
    expect(text).toContain('  3 attempts left out: no outcome says whether they succeeded. --correct-by\n');
    expect(text).toContain('! airline · 3: 2 of 3 succeeded');
    expect(text).toContain('✓ airline · 4: 2 of 2 succeeded');
  });

  it('says that there is no estimate when all attempts are excluded', () => {
    const scenarios = [{ ...scenario, name: 'airline · 3', attempts: 4, correct: 0, leftOut: 4 }];
    expect(table(build.report({ scenarios }))).toContain(
      'Attempts\n  no estimate for 1 task\n  4 attempts left out: no outcome says whether they succeeded. --correct-by\n',
    );
    expect(table(build.report({ scenarios: [] }))).not.toContain('Attempts');
  });
});

it('lists a limited number of sessions, and all with --verbose', () => {
  const sessions = Array.from({ length: 100 }, (_, index) =>
    build.session(`s${index}`, [build.turn(0)], {
      headline: index % 10 === 0 ? FAILED : { kind: 'clean', text: 'No problems found', turn: null },
    }),
  );
  const count = (text: string) => text.match(/traces\/s\d+\.json/g)?.length;
  const text = table(build.report({ sessions }));
  expect(count(text)).toBe(60);
  expect(text).toContain('and 40 more sessions: 40 without problems; --verbose lists them');
  expect(count(table(build.report({ sessions }), VERBOSE))).toBe(100);
});

it('is plain without colour, and has the same text with it', () => {
  const coloured = table(REPORT, { ...TERMINAL, color: true });
  expect(table(REPORT)).not.toContain('\u001b');
  expect(coloured).toContain('\u001b[31m');
  expect(stripVTControlCharacters(coloured)).toBe(table(REPORT));
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
  fc.double({ min: 0, max: 1, noNaN: true }).map((score) => build.scored(score)),
  fc
    .constantFrom(...STATUSES)
    .map((status) => (status === 'scored' || status === 'vacuous' ? build.vacuous(1) : build.unscored(status))),
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
      build.report({
        verdict,
        sessions: ids.map((id) => ({
          ...build.session(
            id,
            turns.map((turn, index) => build.turn(index, turn)),
            {
              metrics: session,
              verdict,
              headline: { kind: 'failed', text: reason, turn: null },
              undecided: [`2 questions got no answer: m: ${reason}`, label],
            },
          ),
        })),
        undecided: [
          { code: 'judge-unanswered', reason: label, cause: reason, count: 2, metrics: { [label]: 2 } },
          { code: 'interrupted', reason, cause: null, count: 1, metrics: {} },
        ],
        failures: [
          {
            ...build.failures(
              label,
              'high',
              ids.map((id) => build.occurrence(id, 0, reason)),
            ),
            title: reason,
          },
        ],
        gates: [
          build.gate({ scope: 'session', subject: ids[0] ?? '', met: false, reason }),
          build.gate({ met: null, reason }),
        ],
      }),
    );

  it.each([60, 80, 120])('cannot exceed %i columns or control the terminal', (columns) => {
    fc.assert(
      fc.property(hostileReport, hostile, fc.boolean(), fc.boolean(), (report, message, terminal, verbose) => {
        const sessions = report.sessions.map(({ id, turns }) =>
          build.evaluated(
            id,
            turns.map(() => message),
          ),
        );
        for (const line of tableLines(report, {
          userMessages: messagesOf(sessions),
          color: false,
          columns,
          terminal,
          verbose,
        })) {
          expect(line).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
          // A place is never cut: it could not be clicked.
          if (!/^ +traces\//.test(line)) expect(width(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('several agents', () => {
  const attempt = (agent: string, id: string, status: 'succeeded' | 'failed', score: number) =>
    build.session(`${agent}-${id}`, [], {
      task: { id, trial: null, dataset: null, agent },
      outcome: { status, source: 'recorded', reason: 'reward', disagrees: [] },
      metrics: { user_satisfaction_proxy: build.scored(score), helpfulness: build.scored(score) },
    });
  const sessions = [
    attempt('bot', 'a', 'failed', 0.5),
    attempt('human', 'a', 'succeeded', 0.9),
    attempt('bot', 'b', 'succeeded', 0.8),
    attempt('human', 'b', 'succeeded', 0.9),
  ];
  const report = build.report({ sessions, metrics: { helpfulness: build.scored(0.7) } });

  it('that did the same tasks are side by side, with their distance to a person', () => {
    const text = flat(report);
    expect(text).toContain('Agents means over the tasks that all of them did');
    expect(text).toMatch(
      /succeeded \(2 tasks\): human 1\.00 · bot 0\.50 \(-0\.50 from human, 95%: -[\d.]+ to \+?[\d.]+\)/,
    );
    expect(text).toMatch(/user_satisfaction_proxy \(2 tasks\): human 0\.90 · bot 0\.65 \(-0\.25 from human/);
    expect(text).not.toContain('helpfulness (2 tasks)');
  });

  it('are compared by other metrics where they were asked for', () => {
    expect(table(report, VERBOSE)).toContain('helpfulness (2 tasks): human 0.90');
  });

  it('of one name are no several', () => {
    expect(flat(build.report({ sessions: sessions.slice(0, 1) }))).not.toContain('Agents');
  });
});
