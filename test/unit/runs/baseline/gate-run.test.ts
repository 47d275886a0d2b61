import { describe, expect, it } from 'vitest';
import type { Baseline } from '../../../../src/core/baseline.ts';
import type { RunPlan } from '../../../../src/core/run-plan.ts';
import type { RecordedSession } from '../../../../src/core/run-record.ts';
import { acceptBaseline } from '../../../../src/runs/baseline/accept-baseline.ts';
import { gateRun } from '../../../../src/runs/baseline/gate-run.ts';
import { attemptRow, planMetric, recordedRun, sessionRow } from '../../../support/recorded-runs.ts';

const TODAY = '2026-11-23';

/** Attempts of tasks `t0`, `t1`, …: how many of each succeed, of `attempts`. */
function rows(correct: readonly number[], attempts: number, given: Partial<RecordedSession> = {}): RecordedSession[] {
  return correct.flatMap((count, task) =>
    Array.from({ length: attempts }, (_, trial) => attemptRow(`t${task}`, trial, trial < count, given)),
  );
}

const fill = (length: number, value: number) => Array.from({ length }, () => value);

const accept = (run: Parameters<typeof acceptBaseline>[0], given: Partial<Baseline> = {}): Baseline => ({
  ...acceptBaseline(run, { reason: 'first', today: TODAY }),
  ...given,
});

const gate = (baseline: Baseline, run: Parameters<typeof gateRun>[1]) =>
  gateRun(baseline, run, { file: 'turnwise.baseline.json', today: TODAY });

const gateOf = (result: ReturnType<typeof gateRun>, name: string) => result.gates.find((one) => one.name === name);

describe('gateRun', () => {
  it('is not worse for the same run', () => {
    const run = recordedRun(rows([10, 10, 7, 0], 10));
    expect(gate(accept(run), run)).toMatchObject({ answer: 'not worse', undecided: [], tasks: [], missing: [] });
  });

  it('names the tasks that fell beyond chance, and says which of them were flaky before', () => {
    const before = recordedRun(rows([...fill(8, 10), 9, 10], 10));
    const after = recordedRun(rows([...fill(8, 10), 1, 2], 10));
    const result = gate(accept(before), after);
    expect(result.answer).toBe('worse');
    expect(gateOf(result, 'correct')).toMatchObject({ answer: 'worse', finding: 'regression', settle: null });
    const ofCorrect = result.tasks.filter((task) => task.gate === 'correct');
    expect(ofCorrect.map(({ task, finding, flaky }) => [task, finding, flaky]).sort()).toEqual([
      ['t8', 'regression', true],
      ['t9', 'regression', false],
    ]);
    expect(result.flaky).toEqual([{ task: 't8', before: [9, 10] }]);
  });

  it('leaves a drop undecided that so few attempts cannot prove', () => {
    const baseline = accept(recordedRun(rows(fill(2, 2), 2)));
    const result = gate(baseline, recordedRun(rows([2, 0], 2)));
    const correct = gateOf(result, 'correct');
    expect(result.answer).toBe('undecided');
    expect(correct?.reason).toMatch(/too few attempts to tell it from chance/);
  });

  it('says how many more attempts would settle a likely drop, and is right', () => {
    const baseline = accept(recordedRun(rows(fill(6, 10), 10)));
    const after = rows([...fill(5, 10), 5], 10);
    const result = gate(baseline, recordedRun(after));
    const correct = gateOf(result, 'correct');
    expect(correct).toMatchObject({ answer: 'undecided', finding: 'likely', settle: { tasks: ['t5'] } });
    const more = correct?.settle?.attempts ?? 0;
    expect(correct?.reason).toContain(`${more} more attempts of t5 would settle it`);
    const extra = Array.from({ length: more }, (_, at) => attemptRow('t5', 10 + at, at % 2 === 0));
    expect(gateOf(gate(baseline, recordedRun([...after, ...extra])), 'correct')?.answer).toBe('worse');
  });

  it('is undecided where tasks of the baseline were not evaluated, and lists those that are new', () => {
    const before = recordedRun(rows(fill(6, 4), 4));
    const after = recordedRun([...rows(fill(4, 4), 4), attemptRow('new', 0, false)]);
    expect(gate(accept(before), after)).toMatchObject({
      answer: 'undecided',
      missing: ['t4', 't5'],
      added: ['new'],
      undecided: ['2 tasks of the baseline were not evaluated: t4, t5.'],
    });
  });

  it('is undecided where nothing of the baseline was evaluated', () => {
    const result = gate(accept(recordedRun(rows([4], 4))), recordedRun([sessionRow({ id: 'other' })]));
    expect(result).toMatchObject({ answer: 'undecided', undecided: ['No task of the baseline was evaluated.'] });
  });

  it('withholds what rests on another judge, and still compares the outcomes that the traces record', () => {
    const metrics = [planMetric('helpfulness')];
    const judge = (model: string) => ({ plan: { judge: { provider: 'openai', model }, metrics } });
    const scored = { scores: { helpfulness: 0.8 }, judged: ['helpfulness'] };
    const before = recordedRun(rows(fill(20, 2), 2, scored), judge('a'));
    const after = recordedRun(rows(fill(20, 2), 2, scored), judge('b'));
    const result = gate(accept(before), after);
    expect(result.answer).toBe('undecided');
    expect(gateOf(result, 'helpfulness')).toMatchObject({
      answer: 'undecided',
      reason: 'The baseline cannot be compared: the judge changed from openai/a to openai/b.',
    });
    expect(gateOf(result, 'verdict')?.answer).toBe('undecided');
    expect(gateOf(result, 'correct')?.answer).toBe('not worse');
  });

  it('withholds what another version of Turnwise, other rules or another question computed', () => {
    const metrics = [planMetric('helpfulness')];
    const scored = { scores: { helpfulness: 0.8 } };
    const run = (given: Parameters<typeof recordedRun>[1]) => recordedRun(rows(fill(20, 2), 2, scored), given);
    const before = accept(run({ plan: { metrics }, questions: { helpfulness: 'q1' } }));
    const reasons = (given: Parameters<typeof recordedRun>[1]) =>
      gate(before, run(given)).gates.flatMap(({ name, answer, reason }) =>
        answer === 'undecided' ? [`${name}: ${reason}`] : [],
      );
    expect(reasons({ plan: { metrics }, questions: { helpfulness: 'q2' } })).toEqual([
      'helpfulness: The baseline cannot be compared: the question, options, threshold or version of helpfulness changed.',
    ]);
    const rules = { 'repeated-call': 'off' as const };
    expect(reasons({ plan: { metrics, rules }, questions: { helpfulness: 'q1' } })).toEqual([
      'verdict: The baseline cannot be compared: the gates, rules or severities of the configuration changed.',
    ]);
    const metric = { name: 'helpfulness', scope: 'session' } as const;
    const ofTask = { name: 'helpfulness', metric, value: 0.9, lowerIsBetter: false, gateScope: 'scenario' } as const;
    const gating = (task: string) =>
      run({ plan: { metrics, thresholds: [{ ...ofTask, task }] }, questions: { helpfulness: 'q1' } });
    const verdictOf = (task: string) => gateOf(gate(accept(gating('a-*')), gating(task)), 'verdict');
    expect(verdictOf('a-*')?.answer).toBe('not worse');
    expect(verdictOf('b-*')?.reason).toMatch(/the gates, rules or severities of the configuration changed\.$/);
    const tool = { name: 'turnwise', version: '0.3.0' } as const;
    expect(reasons({ tool, plan: { metrics }, questions: { helpfulness: 'q1' } })).toHaveLength(2);
  });

  it('withholds only what another version of Turnwise computes differently, if both say their versions', () => {
    const versions = { rules: { 'repeated-call': 1, 'no-answer': 1 }, verdict: 1 };
    const metrics = [planMetric('helpfulness'), planMetric('coherence')];
    const scored = { scores: { helpfulness: 0.8, coherence: 0.9 } };
    const tool = { name: 'turnwise', version: '0.3.0' } as const;
    const before = accept(recordedRun(rows(fill(20, 2), 2, scored), { plan: { metrics, versions } }));
    const reasons = (plan: Partial<RunPlan>) =>
      gate(before, recordedRun(rows(fill(20, 2), 2, scored), { tool, plan: { metrics, versions, ...plan } }))
        .gates.filter(({ answer }) => answer === 'undecided')
        .map(({ name, reason }) => `${name}: ${reason.replace('The baseline cannot be compared: ', '')}`);
    expect(reasons({})).toEqual([]);
    const [helpfulness] = [{ ...planMetric('helpfulness'), version: 2 }];
    expect(reasons({ metrics: [helpfulness, planMetric('coherence')] })).toEqual([
      'helpfulness: the question, options, threshold or version of helpfulness changed.',
    ]);
    const made = 'it was made by Turnwise 0.2.0, this run by 0.3.0';
    expect(reasons({ versions: { ...versions, rules: { 'repeated-call': 2, 'no-answer': 1 } } }).sort()).toEqual([
      `coherence: ${made}, and their rules differ.`,
      `helpfulness: ${made}, and their rules differ.`,
      `verdict: ${made}, and their rules differ.`,
    ]);
    expect(reasons({ versions: { ...versions, verdict: 2 } }).sort()).toEqual([
      `correct: ${made}, and they decide outcomes and verdicts differently.`,
      `verdict: ${made}, and they decide outcomes and verdicts differently.`,
    ]);
  });

  it('is undecided where a metric of the baseline was not computed', () => {
    const before = recordedRun(rows(fill(20, 2), 2, { scores: { helpfulness: 1 } }), {
      plan: { metrics: [planMetric('helpfulness')] },
    });
    expect(gateOf(gate(accept(before), recordedRun(rows(fill(20, 2), 2))), 'helpfulness')).toMatchObject({
      answer: 'undecided',
      reason: 'Nothing of it was computed in this run.',
    });
  });

  it('leaves out a metric that applies to no session now, and not one whose judge is gone', () => {
    const metrics = [planMetric('helpfulness')];
    const judge = { provider: 'openai', model: 'a' };
    const scored = { scores: { helpfulness: 1 }, judged: ['helpfulness'] };
    const before = accept(recordedRun(rows(fill(20, 2), 2, scored), { plan: { metrics, judge } }));
    const now = (plan: Partial<RunPlan>) => gate(before, recordedRun(rows(fill(20, 2), 2), { plan }));
    expect(now({ metrics, judge })).toMatchObject({ answer: 'not worse' });
    expect(gateOf(now({ metrics, judge }), 'helpfulness')).toBeUndefined();
    expect(gateOf(now({ metrics }), 'helpfulness')?.answer).toBe('undecided');
  });

  it('sees a mean fall over the tasks, in the direction of the metric', () => {
    const metrics = [planMetric('helpfulness'), planMetric('verbosity', { lowerIsBetter: true })];
    const run = (helpfulness: number, verbosity: number) =>
      recordedRun(
        fill(30, 0).map((_, at) =>
          sessionRow({ id: `s${at}`, scores: { helpfulness: helpfulness + at / 100, verbosity } }),
        ),
        { plan: { metrics } },
      );
    const baseline = accept(run(0.6, 0.3));
    expect(gateOf(gate(baseline, run(0.5, 0.3)), 'helpfulness')?.answer).toBe('worse');
    expect(gateOf(gate(baseline, run(0.6, 0.5)), 'verbosity')?.answer).toBe('worse');
    expect(gate(baseline, run(0.7, 0.1)).answer).toBe('not worse');
  });

  it('counts a mean that did not change at all among the gates', () => {
    const run = recordedRun(
      fill(3, 0).map((_, at) => sessionRow({ id: `s${at}`, scores: { helpfulness: 0.6 } })),
      { plan: { metrics: [planMetric('helpfulness')] } },
    );
    expect(gateOf(gate(accept(run), run), 'helpfulness')).toMatchObject({
      answer: 'not worse',
      before: { value: 0.6 },
      after: { value: 0.6 },
    });
  });

  it('names a rule that finds more across tasks although no task stands out', () => {
    const find = (task: number) => (task % 3 === 0 ? { rules: { 'unconfirmed-change': 1 }, labels: { harm: 1 } } : {});
    const run = (given: (task: number) => Partial<RecordedSession>) =>
      recordedRun(
        fill(60, 0).flatMap((_, task) => [
          attemptRow(`t${task}`, 0, true),
          attemptRow(`t${task}`, 1, true, given(task)),
        ]),
      );
    const result = gate(accept(run(() => ({}))), run(find));
    expect(gateOf(result, 'unconfirmed-change')).toMatchObject({
      kind: 'rule',
      answer: 'worse',
      before: { count: 0, of: 120 },
      after: { count: 20, of: 120 },
    });
    expect(result.answer).toBe('worse');
    expect(result.tasks).toEqual([]);
  });

  it('leaves out a task in quarantine until its date, and counts it again afterwards', () => {
    const before = recordedRun(rows(fill(10, 8), 8));
    const after = recordedRun(rows([...fill(9, 8), 0], 8));
    const until = (date: string) => accept(before, { quarantine: { t9: { until: date, reason: 'broken sandbox' } } });
    expect(gate(until(TODAY), after)).toMatchObject({
      answer: 'not worse',
      quarantined: [{ task: 't9', until: TODAY, reason: 'broken sandbox' }],
    });
    expect(gate(until('2026-11-22'), after)).toMatchObject({
      answer: 'worse',
      quarantined: [],
      notes: ['The quarantine of t9 ended on 2026-11-22, so it counts again (broken sandbox).'],
    });
  });

  it('follows a renamed task by what its user writes, and refuses one whose user writes something else', () => {
    const scripted = rows(fill(4, 2), 2).map((row, at) => ({ ...row, inputs: `in${Math.floor(at / 2)}` }));
    const change = (given: (row: RecordedSession) => Partial<RecordedSession>) =>
      recordedRun(scripted.map((row) => (row.task?.id === 't3' ? { ...row, ...given(row) } : row)));
    const baseline = accept(recordedRun(scripted));
    expect(
      gate(
        baseline,
        change(({ task }) => ({ task: task && { ...task, id: 'new name' } })),
      ),
    ).toMatchObject({
      answer: 'not worse',
      missing: [],
      added: [],
      notes: ['1 task with another name was recognized by what the user writes.'],
    });
    expect(
      gate(
        baseline,
        change(() => ({ inputs: 'other' })),
      ),
    ).toMatchObject({
      answer: 'undecided',
      undecided: ['The users of 1 task write something else than in the baseline: t3. Accept a new baseline.'],
    });
  });
});
