import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report, SessionReport } from '../../../src/core/report.ts';
import { type Evidence, type Metadata, type Result, toResult } from '../../../src/core/result.ts';
import type { ReportOptions } from '../../../src/reports/report-writer.ts';
import { tableLines } from '../../../src/reports/table.ts';
import { width } from '../../../src/reports/terminal-text.ts';
import * as made from './report.ts';

const TERMINAL: ReportOptions = { color: false, columns: 80, terminal: true };
const RISK = { lowerIsBetter: true };

interface Said {
  readonly reason?: string;
  readonly evidence?: readonly Evidence[];
  readonly metadata?: Metadata;
  readonly threshold?: number;
}

/** What a judge gave on a scale of 1 to 5. */
function judged(score: number, { threshold = 3.5, ...said }: Said = {}): Result {
  const bands = [
    { from: 3, name: 'somewhat helpful', meaning: '' },
    { from: 1, name: 'unhelpful', meaning: '' },
  ];
  return toResult(
    { status: 'scored', score, source: 'judge', judge: 'openai/m', reason: 'It is what was asked for.', ...said },
    { range: [1, 5], threshold, bands, lowerIsBetter: false, implied: false },
  );
}

function mean(score: number, frame: Partial<Parameters<typeof toResult>[1]> = {}): Result {
  const likert = { range: [1, 5], threshold: 3.5, bands: [], lowerIsBetter: false, implied: false } as const;
  return toResult({ status: 'scored', score, source: 'aggregate', reason: null }, { ...likert, ...frame });
}

function label(name: string): Result {
  return toResult(
    { status: 'scored', label: name, labels: [name], source: 'judge', judge: 'openai/m', reason: 'So it says.' },
    { range: null, threshold: null, bands: [], lowerIsBetter: false, implied: false },
  );
}

/** A report of a run that asked a judge. */
function asked(rest: Partial<Report>): Report {
  const { run } = made.report();
  const usage = { ...run.usage, judgeCalls: 3, promptTokens: 100, completionTokens: 10 };
  return made.report({ run: { ...run, judge: { provider: 'openai', model: 'm' }, usage }, ...rest });
}

function of(turns: SessionReport['turns'], rest: Partial<SessionReport> = {}): Report {
  return asked({ sessions: [made.session('refund', turns, rest)] });
}

/** Lines are those of the pointers' last tokens, times ten. */
const locator: ReportOptions['locator'] = {
  locate: (_, pointers) => new Map(Array.from(pointers, (at) => [at, { line: 10 * Number(at.split('/').at(-1)) }])),
};

function table(report: Report, options: Partial<ReportOptions> = {}): string {
  return [...tableLines(report, { ...TERMINAL, locator, ...options })].join('\n');
}

/** Of a session's part of the table, the lines below the row of a turn. */
function below(text: string, turn: string): string[] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trimStart().startsWith(`${turn.slice(1)}  ${turn}`));
  const rest = lines.slice(at + 1);
  return rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith('      ')),
  );
}

const ANSWER = [{ pointer: '/messages/4', note: 'the answer' }];

describe('a judged turn', () => {
  it('lists each score below its threshold with threshold, band, reason and evidence line', () => {
    const helpfulness = judged(2, { reason: 'No carrier is named.', evidence: ANSWER });
    expect(below(table(of([made.turn(0, { helpfulness, relevance: judged(5) })])), 't1')).toEqual([
      '      ✗ helpfulness 2.00 < 3.50 · unhelpful',
      '        No carrier is named.  traces/refund.json:40',
    ]);
  });

  it('omits passing scores, and the table says so once', () => {
    const text = table(of([made.turn(0, { relevance: judged(5) }), made.turn(1, { relevance: judged(4) })]));
    expect(below(text, 't1')).toEqual([]);
    const note = 'Turns list only scores below their thresholds';
    expect(text.split(note)).toHaveLength(2);
    expect(table(of([made.turn(0, { loop_detection: made.scored(1) })]))).not.toContain(note);
  });

  it('has no score columns, since the scores are listed below', () => {
    const metrics = { helpfulness: judged(2), loop_detection: made.scored(0.2), turn_risk: made.scored(0.7, RISK) };
    const text = table(of([made.turn(0, metrics)]));
    expect(text).not.toContain('▮▮▮▮▮▮');
    expect(text).toMatch(/^ {3}1 {2}t1 +0\.70 ▮▮▮▮▯$/m);
    expect(below(text, 't1')).toContain('      ✗ loop_detection 0.20 < 0.50');
  });

  it('puts a location that does not fit on its own line', () => {
    const file = `traces/${'long-'.repeat(20)}name.json`;
    const evidence = [{ pointer: '/messages/7', note: 'the log', file }];
    const helpfulness = judged(2, { reason: 'No carrier is named.', evidence });
    expect(below(table(of([made.turn(0, { helpfulness })])), 't1').slice(1)).toEqual([
      '        No carrier is named.',
      `        ${file}:70`,
    ]);
  });

  it('has no location without a citation, and no line where none is known', () => {
    const uncited = of([made.turn(0, { helpfulness: judged(2) })]);
    expect(below(table(uncited), 't1').at(-1)).toBe('        It is what was asked for.');
    const cited = of([made.turn(0, { helpfulness: judged(2, { evidence: ANSWER }) })]);
    expect(below(table(cited, { locator: undefined }), 't1').at(-1)).toMatch(/ {2}traces\/refund\.json$/);
  });

  it('cuts a reason that is longer than three lines', () => {
    const reason = 'It says this, and then it says that. '.repeat(20);
    const lines = below(table(of([made.turn(0, { helpfulness: judged(1, { reason }) })])), 't1');
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toMatch(/…$/);
  });

  it('marks a score that a finding capped, with the score of the judge', () => {
    const cap = (judgedAs: number) => ({
      cap: { most: 2, judged: judgedAs, reason: 'The call was needless.', findings: [{ rule: 'unknown-tool' }] },
    });
    const reason = 'The call was needless. Capped at 2 (the judge gave 3): There is no such tool.';
    const said = (judgedAs: number) =>
      below(table(of([made.turn(0, { helpfulness: judged(2, { reason, metadata: cap(judgedAs) }) })])), 't1');
    const mark = (figure: string) => [
      '      ✗ helpfulness 2.00 < 3.50 · unhelpful · capped by unknown-tool, the judge',
      `        gave ${figure}`,
    ];
    expect(said(3)).toEqual([...mark('3.00'), '        The call was needless.']);
    // Praise is no reason for a score that falls short.
    expect(said(5)).toEqual(mark('5.00'));
  });

  it('shows a few scores with their reasons, the farthest from their thresholds first, and names the others', () => {
    const scores = { a: 3, b: 1, c: 2, d: 3, e: 3, f: 3, g: 3, h: 3 };
    const metrics = Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, judged(score)]));
    const lines = below(table(of([made.turn(0, metrics)])), 't1');
    expect(lines.filter((line) => line.includes('✗')).map((line) => line[8])).toEqual([...'bcadef']);
    expect(lines.at(-1)).toBe('      also g 3.00 < 3.50 · h 3.00 < 3.50');
    expect(below(table(of([made.turn(0, metrics)]), { terminal: false }), 't1').join()).not.toContain('also');
  });

  it('omits composite and implied scores', () => {
    const implied = { ...judged(1), implied: true } as const;
    const text = table(of([made.turn(0, { helpfulness: judged(4), whole: mean(2), other: implied })]));
    expect(below(text, 't1')).toEqual([]);
  });

  it('keeps the columns when the judge gave no score', () => {
    const turns = [made.turn(0, { loop_detection: made.scored(0.2), helpfulness: made.unscored('error') })];
    expect(table(of(turns))).toMatch(/^ {3}1 {2}t1 +0\.20 {2}▮▮/m);
  });
});

describe('problems of a judged session', () => {
  const found = {
    ...made.occurrence('refund', 0, 'The answer says 370, the result 42.50.'),
    metric: 'agent_behavior_failure',
    rule: null,
  };
  const group = made.failures('false information', 'high', [found, { ...found, turn: 1, line: 31 }]);
  const failures = [{ ...group, explanation: found.reason }];
  const turns = [
    made.turn(0, { agent_behavior_failure: label('false information') }),
    made.turn(1, { agent_behavior_failure: label('false information') }),
  ];
  const text = table(asked({ sessions: [made.session('refund', turns)], failures }));

  it('are listed under their turn, with reason and location', () => {
    expect(below(text, 't1')).toEqual([
      '      ✗ false information · high',
      '        The answer says 370, the result 42.50.  traces/refund.json:10',
    ]);
  });

  it('are named in the summary, with their turns', () => {
    expect(text).toContain('  but  false information (turns 1, 2)\n');
  });

  it('are listed with their locations, without repeating their reasons', () => {
    expect(text).toContain(
      'Failures\n  ✗ false information · high · 2× · judge\n    traces/refund.json:10  turn 1\n    traces/refund.json:31  turn 2\n\n',
    );
    expect(text.match(/The answer says 370/g)).toHaveLength(2);
  });

  it('have their reasons in the list if these were not shown before', () => {
    const many = Array.from({ length: 8 }, (_, at) => ({ ...found, reason: `Reason ${at}.`, line: at + 1 }));
    const report = asked({
      sessions: [made.session('refund', turns)],
      failures: many.map((one, at) => made.failures(`label ${at}`, 'high', [one])),
    });
    expect(below(table(report), 't1').at(-1)).toBe('      also label 6 · label 7');
    expect(table(report)).toContain('✗ label 7 · high · judge\n    traces/refund.json:8  turn 1\n      Reason 7.');
    expect(table(report)).toContain('✗ label 5 · high · judge\n    traces/refund.json:6  turn 1\n  ✗');
  });

  it('are listed with their own labels in a group with another label', () => {
    const group = made.failures('false information', 'high', [found]);
    const other = { ...found, label: 'wrong arguments', severity: 'medium' } as const;
    const report = asked({ sessions: [], failures: [{ ...group, occurrences: [...group.occurrences, other] }] });
    expect(table(report)).toContain('traces/refund.json:10  turn 1\n');
    expect(table(report)).toContain('traces/refund.json:10  turn 1 · wrong arguments\n');
  });

  it('show the cause by which a judge grouped them, and their source', () => {
    const proven = { ...found, rule: 'misquoted-figure', reason: 'The result has 42.50.' };
    const group = {
      ...made.failures('false information', 'high', [proven, found]),
      explanation: 'It reads old prices.',
    };
    const report = asked({ sessions: [], failures: [group] });
    expect(table(report)).toContain(
      '✗ false information · high · 2× · misquoted-figure · judge\n    It reads old prices.\n',
    );
    const alike = { ...group, occurrences: [proven, proven] };
    expect(table(asked({ sessions: [], failures: [alike] }))).not.toContain('It reads old prices.');
  });
});

describe('the figures of a judged session', () => {
  const figures = (metrics: SessionReport['metrics'], turns: SessionReport['turns'], sessions = 1) => {
    const all = Array.from({ length: sessions }, () => made.session('refund', turns, { metrics }));
    const lines = table(asked({ sessions: all })).split('\n');
    const at = lines.findIndex((line) => line.includes('traces/refund.json:2'));
    const rest = lines.slice(at + 1);
    return rest.slice(
      0,
      rest.findIndex((line) => !/^ {2}( {2})?\S/.test(line)),
    );
  };
  const both = made.turn(0, { helpfulness: judged(2), relevance: judged(5) });

  it('include means: first those below their threshold, then the rest', () => {
    const metrics = { agent_consistency: made.scored(0.9), relevance: mean(4.5), helpfulness: mean(2), d: mean(3) };
    const turn = made.turn(0, { ...both.metrics, d: judged(3) });
    expect(figures(metrics, [turn])).toEqual([
      '  helpfulness 2.00 < 3.50   d 3.00 < 3.50',
      '  relevance 4.50   agent_consistency 0.90',
    ]);
  });

  it('show the number of turns of a mean that does not cover all', () => {
    const failed = made.turn(1, { helpfulness: made.unscored('error'), relevance: made.unscored('not_applicable') });
    expect(figures({ helpfulness: mean(2), relevance: mean(5) }, [both, failed])).toEqual([
      '  helpfulness 2.00 < 3.50 (1 of 2)',
      '  relevance 5.00',
    ]);
  });

  it('omit means without a threshold, and failure labels', () => {
    const turn = made.turn(0, {
      tool_call_count: made.scored(3, { threshold: null }),
      agent_behavior_failure: label('false information'),
      tool_call_behavior_failure: label('no failure'),
    });
    const metrics = {
      tool_call_count: mean(3, { threshold: null }),
      agent_behavior_failure: label('false information'),
      tool_call_behavior_failure: label('no failure'),
    };
    expect(figures(metrics, [turn])).toEqual(['  tool_call_behavior_failure no failure']);
  });

  it('include the reason of a judge about the whole session', () => {
    const goal = judged(2, { reason: 'It was promised only.', evidence: ANSWER });
    expect(figures({ goal_completion: goal, helpfulness: mean(2) }, [both])).toEqual([
      '  ✗ goal_completion 2.00 < 3.50 · unhelpful',
      '    It was promised only.  traces/refund.json:40',
      '  helpfulness 2.00 < 3.50',
    ]);
  });

  it('do not repeat the reasons of the verdict', () => {
    const session = made.session('refund', [both], { verdict: 'failed', metrics: { helpfulness: mean(2) } });
    const gates = [made.gate({ metric: 'helpfulness', threshold: 3, met: false })];
    const text = table(asked({ verdict: 'failed', sessions: [session], gates }));
    expect(text).toContain('  why  helpfulness is 2.00, threshold 3.00\n   ');
  });

  it('take little room when there are several sessions', () => {
    const names = Array.from({ length: 30 }, (_, at) => `metric_number_${at}`);
    const metrics = Object.fromEntries(names.map((name) => [name, mean(5)]));
    const turn = made.turn(0, Object.fromEntries(names.map((name) => [name, judged(5)])));
    expect(figures(metrics, [turn])).toHaveLength(10);
    const several = figures(metrics, [turn], 2);
    expect(several).toHaveLength(4);
    expect(several.at(-1)).toBe('  and 21 more');
  });
});

describe('a failed judge', () => {
  const down = 'localhost:1234 does not answer (connection refused).';
  const names = ['helpfulness', 'relevance', 'verbosity', 'faithfulness', 'safety_v1'];
  const errors = (reason: string) =>
    Object.fromEntries(names.map((name) => [name, made.unscored('error', reason)] as const));
  const coverage = (turns: SessionReport['turns']) =>
    table(of(turns), { terminal: false }).split('Coverage')[1]?.replace(/\s+/g, ' ');

  it('is reported once, with the number of missing results', () => {
    const turns = [made.turn(0, errors(down)), made.turn(1, errors(`${down} openai/m was not asked again.`))];
    const text = coverage([...turns, made.turn(2, { helpfulness: judged(4) })]);
    expect(text).toContain(`! helpfulness, relevance, verbosity and 2 more: 1 of 11 scored, 10 failed: ${down}`);
    expect(text?.match(/localhost:1234/g)).toHaveLength(1);
  });

  it('is reported per metric when the reasons differ', () => {
    const turns = ['a', 'b'].map((what, at) =>
      made.turn(at, { helpfulness: made.unscored('error', `${what} is wrong.`) }),
    );
    const text = coverage([...turns, made.turn(2, errors(down))]);
    expect(text).toContain('! helpfulness: 0 of 3 scored, 2 failed: a is wrong.');
    expect(text).not.toContain('b is wrong');
    expect(text).toContain(`0 of 7 scored, 5 failed: ${down}`);
  });
});

it('explains a missing score with a judge, and how to configure one without', () => {
  const reason = 'The parts of it were not asked for.';
  const turns = [made.turn(0, { composite_score: made.unscored('needs_judge', reason), helpfulness: judged(4) })];
  const text = table(of(turns));
  expect(text).toContain(`  ? composite_score: 0 of 1 scored, 1 open: ${reason}`);
  expect(text).not.toContain('--judge');
  const without = table(made.report({ sessions: [made.session('refund', turns)] }));
  expect(without).toContain('  ? 1 metric needs a judge: composite_score.');
  expect(without).not.toContain(reason);
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\u001b[2J\u001b]0;owned\u0007',
    'a\r\n✓ passed',
    '\u202Egnp.exe',
    '日本語の長い文章です'.repeat(20),
    'x'.repeat(500),
    '👩‍👩‍👧'.repeat(40),
    '',
  ),
);

const hostileReport = fc
  .record({
    id: hostile,
    name: hostile,
    reason: hostile,
    rule: hostile,
    file: hostile,
    score: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ id, name, reason, rule, file, score }) => {
    const metadata = { cap: { most: 2, judged: 3, reason, findings: [{ rule }] } };
    const metrics = {
      helpfulness: judged(score, { reason, metadata, evidence: [{ pointer: '/1', note: reason, file: `p/${file}` }] }),
      [name]: judged(score, { reason, evidence: ANSWER }),
      style: label(reason),
      relevance: made.unscored('error', reason),
    };
    const session = made.session(id, [made.turn(0, metrics)], { metrics: { ...metrics, [`${name}!`]: mean(1) } });
    const failure = { ...made.occurrence(id, 0, reason), label: name };
    return asked({ sessions: [session], failures: [made.failures(name, 'high', [failure])] });
  });

describe('the text of a judge', () => {
  it.each([60, 80, 120])('cannot exceed %i columns or control the terminal', (columns) => {
    fc.assert(
      fc.property(hostileReport, fc.boolean(), (report, terminal) => {
        for (const line of tableLines(report, { color: false, columns, terminal, locator })) {
          expect(line).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
          // A place is never cut: it could not be clicked.
          if (!/^ +(traces|p)\//.test(line)) expect(width(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is colored like the rest of the table, and plain without color', () => {
    const report = of([made.turn(0, { helpfulness: judged(2, { evidence: ANSWER }) })]);
    const coloured = table(report, { color: true });
    expect(coloured).toContain('\u001b[31m✗ helpfulness 2.00 < 3.50 · unhelpful');
    expect(stripVTControlCharacters(coloured)).toBe(table(report));
  });
});
