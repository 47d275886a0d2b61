import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.ts';
import type { JudgeProblem, MetricOutcome, Result } from '../../../src/core/result.ts';
import type { ToolStep, Turn } from '../../../src/core/session.ts';
import { collectProblems, goalProblem, type SeveritySettings } from '../../../src/engine/agent-problems.ts';
import { groupProblems, toFailureGroup } from '../../../src/engine/problem-groups.ts';
import { resultOf } from '../metrics/views.ts';
import { session, turn } from './support.ts';

const UNSET: SeveritySettings = { severities: {}, rules: {} };

/** A failure that a judge names, at a place of the trace. */
function named(
  label: string,
  reason: string,
  more: Partial<JudgeProblem> & { readonly at?: string } = {},
): JudgeProblem {
  const { at, ...rest } = more;
  return { label, reason, evidence: at === undefined ? [] : [{ pointer: at, note: 'there' }], ...rest };
}

function judged(...failures: readonly JudgeProblem[]): MetricOutcome {
  return labelled(
    failures.map(({ label }) => label),
    { source: 'judge', failures },
  );
}

function labelled(
  labels: readonly string[],
  more: Partial<Extract<MetricOutcome, { readonly label: string }>> = {},
): MetricOutcome {
  const [label = 'no failure'] = labels;
  return {
    status: 'scored',
    label,
    labels: labels.length === 0 ? [label] : labels,
    source: 'judge',
    reason: 'of all',
    evidence: [{ pointer: '/of/all', note: 'of all' }],
    ...more,
  };
}

function finding(turnIndex: number, more: Partial<Finding> = {}): Finding {
  return {
    rule: 'unknown-tool',
    severity: 'high',
    label: 'wrong tool',
    turn: turnIndex,
    message: '`x` was called.',
    evidence: [{ pointer: `/turns/${turnIndex}/call`, note: 'the call' }],
    ...more,
  };
}

function call(name: string, pointer: string): ToolStep {
  return {
    type: 'tool',
    name,
    pointer,
    resultPointer: `${pointer}/result`,
    arguments: {},
    outcome: 'ok',
    requestedBy: 'agent',
  };
}

interface Given {
  /** Of `agent_behavior_failure`, one per turn. */
  readonly turns?: readonly MetricOutcome[];
  readonly findings?: readonly Finding[];
  readonly settings?: Partial<SeveritySettings>;
  readonly steps?: readonly ToolStep[];
  readonly id?: string;
}

function failures({ turns = [], findings = [], settings, steps = [], id = 's' }: Given) {
  const metrics = turns.map((outcome) => ({
    agent_behavior_failure: resultOf(outcome, { scale: 'label', threshold: null }),
  }));
  const all: Turn[] = Array.from({ length: Math.max(3, turns.length) }, (_, at) => turn(`t${at}`, { steps }));
  return collectProblems(
    {
      session: session(id, all),
      findings,
      turns: all.map((_, at) => [at, metrics[at] ?? {}] as const),
    },
    { ...UNSET, ...settings },
  );
}

function groups(...input: readonly Given[]) {
  return groupProblems(input.flatMap(failures)).map(toFailureGroup);
}

describe('collectProblems', () => {
  it('collects what a judge names, each with its own reason, evidence, label and severity', () => {
    const outcome = judged(
      named('false information', 'It invented a date.', { at: '/a' }),
      named('repetition', 'Again.'),
    );
    expect(groups({ turns: [labelled([]), outcome] })).toEqual([
      {
        label: 'false information',
        severity: 'high',
        count: 1,
        title: 'false information',
        explanation: 'It invented a date.',
        occurrences: [
          {
            session: 's',
            file: 's.json',
            turn: 1,
            pointer: '/a',
            line: null,
            evidence: [{ file: 's.json', pointer: '/a', line: null, note: 'there' }],
            label: 'false information',
            severity: 'high',
            metric: 'agent_behavior_failure',
            rule: null,
            reason: 'It invented a date.',
          },
        ],
      },
      expect.objectContaining({
        label: 'repetition',
        severity: 'low',
        occurrences: [expect.objectContaining({ pointer: '/turns/t1', evidence: [], reason: 'Again.' })],
      }),
    ]);
  });

  it('collects bare labels of a judge or the file, with the reason of the result', () => {
    const imported = labelled(['unsafe action'], { source: 'imported' });
    const partly = labelled(['wrong tool', 'repetition'], { failures: [named('repetition', 'Again.')] });
    expect(
      failures({ turns: [imported, partly] }).map(({ occurrence, isJudged: byJudge }) => ({ ...occurrence, byJudge })),
    ).toMatchObject([
      { turn: 0, label: 'unsafe action', severity: 'critical', reason: 'of all', pointer: '/of/all', byJudge: false },
      { turn: 1, label: 'repetition', reason: 'Again.', byJudge: true },
      { turn: 1, label: 'wrong tool', reason: 'of all', pointer: '/of/all', byJudge: true },
    ]);
  });

  it.each<[string, MetricOutcome]>([
    ['no failure', labelled([])],
    ['no failure with a severity', judged(named('no failure', 'None.', { severity: 'high' }))],
    ['a label that nobody gave a severity', labelled(['friendly'])],
    ['a label of the rules', labelled(['wrong tool'], { source: 'rules' })],
    ['an answer that never came', { status: 'error', reason: 'timeout' }],
  ])('does not collect %s', (_, outcome) => {
    expect(failures({ turns: [outcome] })).toEqual([]);
  });

  it('does not collect observations', () => {
    expect(failures({ findings: [finding(0, { severity: 'info', label: null })] })).toEqual([]);
  });
});

describe('a label that both a rule and a judge name', () => {
  const proven = finding(0);
  const only = (input: Given) => {
    const [failure, ...others] = failures(input);
    expect(others).toEqual([]);
    return failure;
  };

  it('is counted once', () => {
    const both = labelled(['wrong tool', 'repetition'], { failures: [named('repetition', 'Again.')] });
    const all = failures({ turns: [both], findings: [proven] }).map(({ occurrence }) => occurrence);
    expect(all).toMatchObject([
      { label: 'wrong tool', rule: 'unknown-tool', metric: null, severity: 'high' },
      { label: 'repetition', rule: null, metric: 'agent_behavior_failure' },
    ]);
  });

  it('is one problem with the worse severity, both reasons and all evidence', () => {
    const worse = judged(named('wrong tool', 'It deleted the account.', { at: '/b', severity: 'critical' }));
    const failure = only({ turns: [worse], findings: [proven] });
    expect(failure).toMatchObject({
      isJudged: true,
      title: 'Unknown tool',
      occurrence: {
        severity: 'critical',
        rule: 'unknown-tool',
        metric: 'agent_behavior_failure',
        reason: '`x` was called. A judge says: It deleted the account.',
        pointer: '/turns/0/call',
        evidence: [{ pointer: '/turns/0/call' }, { pointer: '/b' }],
      },
    });
  });

  it("is at least as severe as the rule's finding", () => {
    const outcome = judged(named('wrong tool', 'So it is.', { severity: 'low' }));
    const failure = only({ turns: [outcome], findings: [finding(0, { severity: 'critical' })] });
    expect(failure?.occurrence.severity).toBe('critical');
  });

  it.each([
    ['the one at the same place', '/turns/0/second', 1],
    ['the one within the place', '/turns/0/second/arguments/id', 1],
    ['the one around the place', '/turns/0', 0],
    ['the first where the place is another', '/turns/0/seconds', 0],
  ])('belongs to %s', (_, at, index) => {
    const second = finding(0, { message: 'Two.', evidence: [{ pointer: '/turns/0/second', note: 'the call' }] });
    const turns = [judged(named('wrong tool', 'Worse.', { at, severity: 'critical' }))];
    const severities = failures({ turns, findings: [proven, second] }).map(({ occurrence }) => occurrence.severity);
    expect(severities.indexOf('critical')).toBe(index);
    expect(severities).toHaveLength(2);
  });

  it('is a separate problem in another turn, or beside an imported label', () => {
    const outcome = judged(named('wrong tool', 'Again.'));
    expect(failures({ turns: [labelled([]), outcome], findings: [proven] })).toHaveLength(2);
    expect(failures({ turns: [labelled(['wrong tool'], { source: 'imported' })], findings: [proven] })).toHaveLength(2);
  });
});

describe('the severity of a problem', () => {
  const severity = (judgeProblem: JudgeProblem, settings: Partial<SeveritySettings> = {}) => {
    const [failure] = failures({ turns: [judged(judgeProblem)], settings });
    return failure && [failure.occurrence.severity, failure.isSeverityFixed];
  };

  it('comes from the table of labels; a judge can raise it but not lower it', () => {
    expect(severity(named('repetition', 'r'))).toEqual(['low', false]);
    expect(severity(named('repetition', 'r', { severity: 'high' }))).toEqual(['high', false]);
    expect(severity(named('unsafe action', 'r', { severity: 'low' }))).toEqual(['critical', false]);
  });

  it('is the configured severity of the label, whatever the judge says', () => {
    const severities = { repetition: 'medium', 'unsafe action': 'low' } as const;
    expect(severity(named('repetition', 'r', { severity: 'critical' }), { severities })).toEqual(['medium', true]);
    expect(severity(named('unsafe action', 'r'), { severities })).toEqual(['low', true]);
  });

  it("is the judge's severity for a label that is in no table", () => {
    expect(severity(named('rude', 'r', { severity: 'medium' }))).toEqual(['medium', false]);
    expect(severity(named('rude', 'r'), { severities: { rude: 'high' } })).toEqual(['high', true]);
  });

  it.each<[string, Partial<SeveritySettings>, boolean]>([
    ['nothing', {}, false],
    ['its label', { severities: { 'wrong tool': 'low' } }, true],
    ['its rule', { rules: { 'unknown-tool': 'low' } }, true],
    ['its rule, in an object', { rules: { 'unknown-tool': { level: 'low' } } }, true],
    ['an option of its rule', { rules: { 'unknown-tool': { other: 1 } } }, false],
    ['another rule', { rules: { 'repeated-call': 'low' } }, false],
  ])('is fixed for a finding if the user configured %s', (_, settings, fixed) => {
    expect(failures({ findings: [finding(0)], settings })[0]?.isSeverityFixed).toBe(fixed);
  });

  it("is not fixed by a rule's level if a judge names the problem too", () => {
    const turns = [judged(named('wrong tool', 'Worse.', { severity: 'critical' }))];
    const [failure] = failures({ turns, findings: [finding(0)], settings: { rules: { 'unknown-tool': 'low' } } });
    expect(failure?.isSeverityFixed).toBe(false);
  });
});

describe('groupProblems', () => {
  const reasons = (...texts: readonly string[]) =>
    groups({ turns: texts.map((text) => judged(named('false information', text))) }).map(({ count }) => count);

  it.each([
    ['figures', 'It said 42.50, not 17.', 'It said 9, not 1,200.'],
    ['ids', 'Order A-1001 is on its way.', 'Order NO-58213/b is on its way.'],
    ['names in quotation marks', 'The tool "a b" is gone.', 'The tool “c” is gone.'],
    ['names in code', "The tool `x` isn't there.", "The tool 'y z' isn't there."],
    ['case, punctuation and line breaks', 'It lied.\nTwice!', 'it lied – twice'],
  ])('groups reasons that differ only in %s', (_, one, other) => {
    expect(reasons(one, other)).toEqual([2]);
  });

  it('keeps different wordings apart', () => {
    expect(reasons("It didn't ask who's there.", "It didn't ask what's up.")).toEqual([1, 1]);
    expect(reasons('日付が違う。', '金額が違う。')).toEqual([1, 1]);
  });

  it('never mixes labels', () => {
    const turns = [judged(named('false information', 'So.')), judged(named('repetition', 'So.'))];
    expect(groups({ turns })).toHaveLength(2);
  });

  it('groups across sessions and metrics', () => {
    const turns = [judged(named('false information', 'So.'))];
    expect(groups({ turns, id: 'a' }, { turns, id: 'b' })).toMatchObject([
      { count: 2, occurrences: [{ session: 'a' }, { session: 'b' }] },
    ]);
  });

  it('groups by rule and tool', () => {
    const steps = [call('search', '/one'), call('search', '/two'), call('buy', '/three')];
    const findings = ['/one', '/two', '/three'].map((pointer) => finding(0, { calls: [pointer] }));
    expect(
      groups({ findings: [...findings, finding(0, { rule: 'repeated-call', calls: ['/one'] })], steps }),
    ).toMatchObject([
      { title: 'Unknown tool: search', count: 2 },
      { title: 'Unknown tool: buy', count: 1 },
      { title: expect.stringMatching(/: search$/), count: 1, occurrences: [{ rule: 'repeated-call' }] },
    ]);
  });

  it('groups by the tool whose call or result a judge cites, whatever the reason', () => {
    const steps = [call('search', '/one'), call('search', '/two'), call('buy', '/three')];
    const of = (label: string, ...at: readonly string[]) =>
      judged(
        named(label, `${label} at ${at.join(' ')} it is`, { evidence: at.map((pointer) => ({ pointer, note: '' })) }),
      );
    const counted = (...turns: readonly MetricOutcome[]) =>
      groups({ turns, steps }).map(({ title, count }) => [title, count]);
    expect(counted(of('wrong arguments', '/one'), of('wrong arguments', '/two/result'))).toEqual([
      ['wrong arguments: search', 2],
    ]);
    expect(counted(of('wrong arguments', '/one'), of('wrong arguments', '/three'))).toEqual([
      ['wrong arguments: search', 1],
      ['wrong arguments: buy', 1],
    ]);
    // Of several tools, none is at fault for sure; and a claim is not made by the tool that it contradicts.
    expect(counted(of('wrong arguments', '/one', '/three'))).toEqual([['wrong arguments', 1]]);
    expect(counted(of('false information', '/one', 'a'), of('false information', '/one', 'b'))).toEqual([
      ['false information', 1],
      ['false information', 1],
    ]);
  });

  it('sorts groups by severity, then by frequency', () => {
    const turns = [
      judged(named('repetition', 'a'), named('false information', 'b')),
      judged(named('repetition', 'a'), named('false information', 'c')),
      judged(named('repetition', 'd'), named('false information', 'c')),
    ];
    expect(groups({ turns }).map(({ explanation, severity, count }) => [explanation, severity, count])).toEqual([
      ['c', 'high', 2],
      ['b', 'high', 1],
      ['a', 'low', 2],
      ['d', 'low', 1],
    ]);
  });

  it('gives a group the severity of its worst problem', () => {
    const turns = [judged(named('repetition', 'a')), judged(named('repetition', 'a', { severity: 'high' }))];
    expect(groups({ turns })).toMatchObject([
      { severity: 'high', count: 2, occurrences: [{ severity: 'low' }, { severity: 'high' }] },
    ]);
  });
});

describe('goalProblem', () => {
  const result = (outcome: MetricOutcome) => resultOf(outcome, { scale: 'binary', threshold: 0.8 });
  const missed = result({
    status: 'scored',
    score: 0,
    source: 'judge',
    judge: 'openai/m',
    reason: 'Nothing was refunded.',
    evidence: [{ pointer: '/turns/1/output', note: 'the answer' }],
  });
  const of = (goal: Result | undefined, settings: Partial<SeveritySettings> = {}, turns = [turn('a'), turn('b')]) =>
    goalProblem(session('s', turns), goal ? { goal_completion: goal } : {}, { ...UNSET, ...settings });

  it('is critical, at the last turn, with the evidence of the judge', () => {
    const [problem, ...more] = of(missed);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ title: 'Goal not completed', isJudged: true });
    expect(problem?.occurrence).toMatchObject({
      label: 'goal not completed',
      severity: 'critical',
      metric: 'goal_completion',
      rule: null,
      turn: 1,
      pointer: '/turns/1/output',
      reason: 'Nothing was refunded.',
    });
  });

  it('has the severity that the user sets', () => {
    const [problem] = of(missed, { severities: { 'goal not completed': 'medium' } });
    expect(problem?.occurrence.severity).toBe('medium');
  });

  it('exists only for a score of 0 in a session with turns', () => {
    expect(of(undefined)).toEqual([]);
    expect(of({ ...missed, score: 1 })).toEqual([]);
    expect(of({ ...missed, status: 'error', score: null })).toEqual([]);
    expect(of(missed, {}, [])).toEqual([]);
  });
});
