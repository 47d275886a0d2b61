import { describe, expect, it } from 'vitest';
import { baselineSchema } from '../../../../src/core/schemas/baseline.ts';
import { acceptBaseline, missingForBaseline } from '../../../../src/runs/baseline/accept-baseline.ts';
import { baselineText } from '../../../../src/runs/baseline/baseline-text.ts';
import { raiseBaseline } from '../../../../src/runs/baseline/raise-baseline.ts';
import { editorRemedies } from '../../../../src/runs/remedies.ts';
import { attemptRow, planMetric, recordedRun } from '../../../support/recorded-runs.ts';

const OPTIONS = { reason: 'release 1.2', today: '2026-11-23' };

const run = (correct: (task: number) => number, tasks = 30, attempts = 10) =>
  recordedRun(
    Array.from({ length: tasks }, (_, task) =>
      Array.from({ length: attempts }, (_unused, trial) =>
        attemptRow(`task ${task}`, trial, trial < correct(task), {
          scores: { helpfulness: 0.123456, coherence: 1 },
          passed: { coherence: true },
          rules: trial === 0 ? { 'repeated-call': 2 } : {},
        }),
      ),
    ).flat(),
    { plan: { metrics: [planMetric('helpfulness'), planMetric('coherence', { threshold: 0.5 })] } },
  );

describe('the file of a baseline', () => {
  it('has a line of at most 200 bytes for each task, sorted, and is read back as it was', () => {
    const baseline = acceptBaseline(
      run(() => 9),
      OPTIONS,
    );
    const text = baselineText(baseline);
    expect(baselineSchema.parse(JSON.parse(text))).toEqual(baseline);
    const lines = text.split('\n').filter((line) => line.startsWith('    "task '));
    expect(lines).toHaveLength(30);
    expect(lines).toEqual([...lines].sort());
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(JSON.parse(text)).sort());
  });

  it('counts by thresholds that the user set, and by means elsewhere', () => {
    const { columns, tasks } = acceptBaseline(
      run(() => 9),
      OPTIONS,
    );
    expect(columns).toEqual({
      passed: ['correct', 'verdict', 'coherence'],
      means: ['helpfulness'],
      labels: [],
      rules: ['repeated-call'],
    });
    expect(tasks['task 0']).toMatchObject({ attempts: 10, passed: [9, 9, 10], means: [0.123], rules: [1] });
  });

  it('says what a run lacks to be a baseline', () => {
    const { manifest } = run(() => 9);
    const git = { commit: 'abc', branch: 'main', dirty: true };
    const undecided = manifest.totals && { ...manifest.totals, verdicts: { passed: 0, failed: 298, undecided: 2 } };
    expect(missingForBaseline(manifest)).toEqual([]);
    expect(missingForBaseline({ ...manifest, state: 'interrupted', stoppedBy: 'It was stopped by Ctrl+C.' })).toEqual([
      'The run is not complete: It was stopped by Ctrl+C. Finish it with turnwise eval --resume, or evaluate again.',
    ]);
    expect(missingForBaseline({ ...manifest, git }).join()).toMatch(/uncommitted changes/);
    expect(missingForBaseline({ ...manifest, git: null }).join()).toMatch(/--agent-version/);
    expect(missingForBaseline({ ...manifest, totals: undecided }).join()).toMatch(/^2 of 300 sessions are undecided/);
  });

  it('names no command line where the editor says it', () => {
    const { manifest } = run(() => 9);
    expect(missingForBaseline({ ...manifest, state: 'interrupted', git: null }, editorRemedies)).toEqual([
      'The run is not complete. Evaluate its traces again: run "Turnwise: Evaluate Traces in Folder".',
      'Nothing says which version of the agent ran. Evaluate inside a git work tree, or name the version in the traces.',
    ]);
  });
});

describe('raiseBaseline', () => {
  it('takes over what is better beyond chance, and never lowers a task', () => {
    const baseline = acceptBaseline(
      run(() => 5),
      OPTIONS,
    );
    const better = run((task) => (task === 0 ? 4 : 9));
    const { baseline: raised, raised: gates } = raiseBaseline(baseline, better, { ...OPTIONS, reason: 'fixed' });
    expect(gates.map(({ gate, tasks }) => [gate.name, tasks])).toEqual([
      ['correct', 29],
      ['verdict', 29],
    ]);
    expect(raised.tasks['task 0']?.passed).toEqual([5, 5, 10]);
    expect(raised.tasks['task 1']?.passed).toEqual([9, 9, 10]);
    expect(raised.raised).toEqual([
      { run: better.manifest.id, on: '2026-11-23', reason: 'fixed', columns: ['correct', 'verdict'] },
    ]);
  });

  it('changes nothing for a run that is luckier by chance, or worse', () => {
    const baseline = acceptBaseline(
      run((task) => 8 + (task % 2)),
      OPTIONS,
    );
    expect(
      raiseBaseline(
        baseline,
        run(() => 9),
        OPTIONS,
      ).baseline,
    ).toBe(baseline);
    expect(
      raiseBaseline(
        baseline,
        run(() => 2),
        OPTIONS,
      ).baseline,
    ).toBe(baseline);
  });

  it('refuses a run that cannot be compared', () => {
    const baseline = acceptBaseline(
      run(() => 5),
      OPTIONS,
    );
    const { manifest, rows } = run(() => 9);
    const newer = { rows, manifest: { ...manifest, tool: { name: 'turnwise', version: '9.0.0' } as const } };
    expect(() => raiseBaseline(baseline, newer, OPTIONS)).toThrow(/made by Turnwise 0\.2\.0, this run by 9\.0\.0/);
  });
});
