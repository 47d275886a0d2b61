import { describe, expect, it } from 'vitest';
import type { AgentOutcome, Gate } from '../../../src/core/report.ts';
import { toResult } from '../../../src/core/result.ts';
import { decideOutcome, UNKNOWN_OUTCOME } from '../../../src/report-model/agent-outcome.ts';
import {
  type HeadlineFacts,
  type HeadlineProblem,
  sessionHeadline,
} from '../../../src/report-model/session-headline.ts';

const problem = (severity: HeadlineProblem['severity'], turn = 0, title = 'Failed call repeated unchanged') => ({
  title,
  severity,
  turn,
});

const recorded = (status: AgentOutcome['status'], reason: string) => decideOutcome({ recorded: { status, reason } });

function headline(facts: Partial<HeadlineFacts>) {
  return sessionHeadline({
    outcome: UNKNOWN_OUTCOME,
    problems: [],
    report: { verdict: 'passed', metrics: {}, turns: [] },
    gates: [],
    missing: [],
    limit: 'high',
    ownThresholds: new Set(),
    isRecorded: true,
    isTestCase: false,
    ...facts,
  });
}

const score = (value: number, threshold: number) =>
  toResult(
    { status: 'scored', score: value, source: 'judge', reason: null },
    { range: [0, 1], threshold, bands: [], lowerIsBetter: false, implied: false },
  );

const failed = recorded('failed', 'reward 0.0 in the trace');
const succeeded = recorded('succeeded', 'reward 1.0 in the trace');
const outage = [{ code: 'judge-unanswered', count: 43 }] as const;

describe('the headline of a session', () => {
  it.each<[string, Partial<HeadlineFacts>, string, string, number | null]>([
    ['a failed outcome', { outcome: failed }, 'failed', 'Failed: reward 0.0 in the trace', null],
    [
      'a failed outcome with a problem, whose turn it names',
      { outcome: failed, problems: [problem('low', 4)] },
      'failed',
      'Failed: reward 0.0 in the trace',
      4,
    ],
    [
      'a problem at the limit',
      { problems: [problem('medium', 0), problem('high', 1, 'Success claimed after an error')] },
      'failed',
      'Failed: success claimed after an error (turn 2)',
      1,
    ],
    [
      'a problem at the limit beside a successful outcome',
      { outcome: succeeded, problems: [problem('critical', 2, 'API key in an answer')] },
      'failed',
      'Failed: API key in an answer (turn 3)',
      2,
    ],
    [
      'an outage',
      { missing: outage, problems: [problem('low')] },
      'undecided',
      'Undecided: the judge gave no valid answer, 43 checks not run',
      null,
    ],
    [
      'an outage beside a failure',
      { missing: outage, outcome: failed },
      'failed',
      'Failed: reward 0.0 in the trace',
      null,
    ],
    ['no content', { isRecorded: false }, 'undecided', 'Undecided: the trace has no content', null],
    ['a test case', { isRecorded: false, isTestCase: true }, 'not-run', 'Test case without a run', null],
    [
      'problems below the limit',
      { problems: [problem('low', 0, 'Hedging'), problem('medium', 2)] },
      'problems',
      '2 problems, worst medium: failed call repeated unchanged (turn 3)',
      2,
    ],
    [
      'one problem beside a successful outcome',
      { outcome: succeeded, problems: [problem('low')] },
      'problems',
      '1 problem, low: failed call repeated unchanged (turn 1)',
      0,
    ],
    ['a successful outcome', { outcome: succeeded }, 'succeeded', 'Succeeded: reward 1.0 in the trace', null],
    [
      'the success that a judge saw',
      { outcome: decideOutcome({ judge: { status: 'succeeded', reason: 'goal_completion 1.00 / 1' } }) },
      'succeeded',
      'Succeeded (judge)',
      null,
    ],
    ['nothing', {}, 'clean', 'No problems found', null],
  ])('of %s', (_, facts, kind, text, turn) => {
    expect(headline(facts)).toEqual({ kind, text, turn });
  });

  it('names a score below a threshold that the user set for a metric', () => {
    const turns = [
      { index: 0, metrics: { faithfulness: score(0.9, 0.8) } },
      { index: 1, metrics: { faithfulness: score(0.4, 0.8) } },
    ];
    const facts = {
      report: { verdict: 'passed', metrics: {}, turns },
      ownThresholds: new Set(['faithfulness']),
    } as const;
    expect(headline(facts)).toEqual({
      kind: 'failed',
      text: 'Failed: faithfulness 0.40 / 1, required 0.80 (turn 2)',
      turn: 1,
    });
    expect(headline({ ...facts, ownThresholds: new Set() }).kind).toBe('clean');
  });

  it('names the gate that a session misses, with the first turn below it', () => {
    const gate: Gate = {
      scope: 'run',
      subject: null,
      metric: 'faithfulness',
      threshold: 0.8,
      actual: 0.65,
      scored: 2,
      of: 2,
      met: false,
      reason: '0.65, required: at least 0.80',
    };
    const turns = [
      { index: 0, metrics: { faithfulness: score(0.9, 0.8) } },
      { index: 1, metrics: { faithfulness: score(0.4, 0.8) } },
    ];
    const report = { verdict: 'failed', metrics: { faithfulness: score(0.65, 0.8) }, turns } as const;
    expect(headline({ gates: [gate], report })).toEqual({
      kind: 'failed',
      text: 'Failed: faithfulness 0.65 / 1, required 0.80',
      turn: 1,
    });
  });
});

describe('the outcome of a session', () => {
  const yes = (reason: string) => ({ status: 'succeeded', reason }) as const;
  const no = (reason: string) => ({ status: 'failed', reason }) as const;

  it('is what is recorded, before the user, expectations and a judge, and names who disagrees', () => {
    expect(decideOutcome({ recorded: yes('r'), user: no('u'), expected: no('e'), judge: yes('j') })).toEqual({
      status: 'succeeded',
      source: 'recorded',
      reason: 'r',
      disagrees: ['user', 'expected'],
    });
    expect(decideOutcome({ user: no('u'), judge: yes('j') })).toMatchObject({ source: 'user', disagrees: ['judge'] });
    expect(decideOutcome({ expected: no('e'), judge: no('j') })).toMatchObject({ source: 'expected', disagrees: [] });
  });

  it('skips a source that says neither, and is unknown without another', () => {
    const neither = { status: 'unknown', reason: 'reward NaN' } as const;
    expect(decideOutcome({ recorded: neither, judge: yes('j') })).toMatchObject({
      status: 'succeeded',
      source: 'judge',
    });
    expect(decideOutcome({ recorded: neither })).toEqual({ ...UNKNOWN_OUTCOME, reason: 'reward NaN' });
    expect(decideOutcome({})).toEqual(UNKNOWN_OUTCOME);
  });
});
