import { describe, expect, test } from 'vitest';
import type { RecordedRun, RecordedSession, RunManifest } from '../../../../src/core/run-record.ts';
import { runTrendSchema } from '../../../../src/core/schemas/run-trend.ts';
import { runTrend } from '../../../../src/runs/trend/run-trend.ts';
import { seeded } from '../../../../src/stats/random.ts';
import { attemptRow, planMetric, recordedRun, sessionRow } from '../../../support/recorded-runs.ts';

type RunParts = Parameters<typeof recordedRun>[1];

function runId(index: number): string {
  return `20261101T09${String(index).padStart(2, '0')}00000Z-${String(index).padStart(8, '0')}`;
}

/** A run of tasks that succeed with a probability. */
function run(index: number, probability: number, given: RunParts = {}, tasks = 60): RecordedRun {
  const random = seeded(100 + index);
  const rows = Array.from({ length: tasks }, (_, task) => attemptRow(`task-${task}`, 0, random() < probability));
  return at(index, rows, given);
}

function at(index: number, rows: readonly RecordedSession[], given: RunParts = {}): RecordedRun {
  return recordedRun(rows, {
    id: runId(index),
    startedAt: `2026-11-01T09:${String(index).padStart(2, '0')}:00.000Z`,
    ...given,
  });
}

function version(name: string): Pick<RunManifest, 'agent'> {
  return { agent: { name: 'shop', version: name, versionFrom: 'option', models: [] } };
}

const CORRECT = { subject: 'correct', task: null };

describe('the trend of a subject', () => {
  test('has a value with its interval, commit and agent version for each run, the oldest first', () => {
    const trend = runTrend([run(1, 0.9, version('1.0')), run(2, 0.9, version('1.1'))], CORRECT);
    expect(runTrendSchema.safeParse(trend).success).toBe(true);
    expect(trend?.subject).toMatchObject({ kind: 'measure', name: 'correct', unit: 'share', lowerIsBetter: false });
    expect(trend?.points).toMatchObject([
      { run: runId(1), agentVersion: '1.0', n: 60, tasks: 60, segment: 0, complete: true },
      { run: runId(2), agentVersion: '1.1', n: 60, tasks: 60, segment: 0, complete: true },
    ]);
    const [point] = trend?.points ?? [];
    expect(point?.git?.commit).toBe('0'.repeat(40));
    expect(point?.interval?.[0]).toBeLessThan(point?.value ?? 0);
    expect(point?.interval?.[1]).toBeGreaterThan(point?.value ?? 1);
  });

  test('marks the run from which on sessions fail', () => {
    const runs = [0.95, 0.95, 0.95, 0.5, 0.5].map((probability, index) => run(index, probability));
    const trend = runTrend(runs, CORRECT);
    expect(trend?.changes).toMatchObject([{ at: 3, from: 0, to: 4, conclusion: 'worse' }]);
    expect(trend?.changes[0]?.text).toMatch(
      /^correct fell from 9\d(\.\d)? % to [45]\d(\.\d)? %; unchanged runs show that in/,
    );
  });

  test('marks a drop and the recovery from it', () => {
    const runs = [0.95, 0.95, 0.4, 0.4, 0.95, 0.95].map((probability, index) => run(index, probability));
    expect(runTrend(runs, CORRECT)?.changes).toMatchObject([
      { at: 2, from: 0, to: 3, conclusion: 'worse' },
      { at: 4, from: 2, to: 5, conclusion: 'better' },
    ]);
  });

  test('marks no change in runs that are alike', () => {
    const runs = Array.from({ length: 10 }, (_, index) => run(index, 0.8));
    expect(runTrend(runs, CORRECT)?.changes).toEqual([]);
  });

  test('calls a rise of the cost worse', () => {
    const costly = (index: number, cost: number) =>
      at(
        index,
        Array.from({ length: 12 }, (_, task) => attemptRow(`t${task}`, 0, true, { cost: cost + task / 100 })),
      );
    const trend = runTrend([costly(1, 0.2), costly(2, 0.2), costly(3, 0.5), costly(4, 0.5)], {
      subject: 'cost',
      task: null,
    });
    expect(trend?.subject.unit).toBe('usd');
    expect(trend?.changes).toMatchObject([{ at: 2, conclusion: 'worse' }]);
  });

  test('is split where the judge changed, for judged metrics only', () => {
    const judged = (index: number, model: string) =>
      at(
        index,
        Array.from({ length: 12 }, (_, task) =>
          attemptRow(`t${task}`, 0, true, { scores: { coherence: model === 'a' ? 0.9 : 0.2 }, judged: ['coherence'] }),
        ),
        {
          plan: { metrics: [planMetric('coherence')], judge: { provider: 'ollama', model } },
          questions: { coherence: 'q' },
        },
      );
    const runs = [judged(1, 'a'), judged(2, 'a'), judged(3, 'b'), judged(4, 'b')];
    const trend = runTrend(runs, { subject: 'coherence', task: null });
    expect(trend?.segments).toMatchObject([
      { from: 0, to: 1, reasons: [] },
      { from: 2, to: 3, reasons: [expect.stringMatching(/^The judge changed: ollama\/a in .*, ollama\/b in /)] },
    ]);
    expect(trend?.changes).toEqual([]);
    expect(runTrend(runs, CORRECT)?.segments).toHaveLength(1);
  });

  test('averages only tasks that all runs have, and is split where most are others', () => {
    const of = (index: number, tasks: readonly string[]) =>
      at(
        index,
        tasks.map((task) => attemptRow(task, 0, task !== 'new')),
      );
    const trend = runTrend(
      [of(1, ['a', 'b', 'c']), of(2, ['a', 'b', 'c', 'new']), of(3, ['x', 'y', 'z']), of(4, ['x', 'y', 'z'])],
      CORRECT,
    );
    expect(trend?.points.map(({ value, tasks, leftOut }) => [value, tasks, leftOut])).toEqual([
      [1, 3, 0],
      [1, 3, 1],
      [1, 3, 0],
      [1, 3, 0],
    ]);
    expect(trend?.segments[1]?.reasons).toEqual(['The tasks changed: 0 of 3 tasks are the same, 3 are others.']);
    expect(trend?.notes).toContain('1 session of tasks that not all runs have does not count.');
  });

  test('compares runs whose sessions are no attempts of tasks as samples, and says so', () => {
    const traffic = (index: number, failing: number) =>
      at(
        index,
        Array.from({ length: 40 }, (_, session) =>
          sessionRow({
            id: `s${index}-${session}`,
            inputs: `i${index}-${session}`,
            task: null,
            rules: session < failing ? { 'failed-call': 1 } : {},
          }),
        ),
      );
    const trend = runTrend([traffic(1, 2), traffic(2, 1), traffic(3, 25), traffic(4, 24)], {
      subject: 'failed-call',
      task: null,
    });
    expect(trend?.subject.kind).toBe('rule');
    expect(trend?.segments).toMatchObject([{ from: 0, to: 3, pairing: 'sessions' }]);
    expect(trend?.points.map(({ value, tasks }) => [value, tasks])).toEqual([
      [0.05, null],
      [0.025, null],
      [0.625, null],
      [0.6, null],
    ]);
    expect(trend?.changes).toMatchObject([{ at: 2, conclusion: 'worse' }]);
    expect(trend?.notes[0]).toMatch(/^The runs have no tasks in common/);
  });

  test('of one task is over its attempts', () => {
    const of = (index: number, correct: number) =>
      at(
        index,
        Array.from({ length: 8 }, (_, trial) => attemptRow('refund', trial, trial < correct)).concat(
          attemptRow('other', 0, false),
        ),
      );
    const trend = runTrend([of(1, 8), of(2, 8), of(3, 1)], { subject: null, task: 'refund' });
    expect(trend?.subject).toMatchObject({ name: 'correct', task: 'refund' });
    expect(trend?.points.map(({ value, n }) => [value, n])).toEqual([
      [1, 8],
      [1, 8],
      [0.125, 8],
    ]);
    expect(trend?.changes).toMatchObject([{ at: 2, conclusion: 'worse' }]);
  });

  test('says of each agent version its mean, extent, number of sessions and deviation from those before', () => {
    const scored = (index: number, scores: readonly number[], agent: string) =>
      at(
        index,
        scores.map((score, task) => attemptRow(`t${task}`, 0, true, { scores: { quality: score } })),
        { ...version(agent), plan: { metrics: [planMetric('quality')] } },
      );
    const runs = [scored(1, [0.2, 0.6], '1'), scored(2, [0.4, 0.8], '1'), scored(3, [0.9, 1], '2')];
    const options = { subject: 'quality', task: null };
    const versions = runTrend(runs, options)?.versions ?? [];
    expect(versions).toMatchObject([
      { version: '1', task: null, runs: 2, n: 4, minimum: 0.2, maximum: 0.8, deviation: null },
      { version: '2', task: null, runs: 1, n: 2, minimum: 0.9, maximum: 1 },
    ]);
    expect(versions[0]?.mean).toBeCloseTo(0.5);
    expect(versions[1]?.deviation).toBeCloseTo(0.45);
    const byTask = runTrend(runs, { ...options, byTask: true })?.versions.filter(({ task }) => task === 't0') ?? [];
    expect(byTask.map(({ mean }) => mean)).toEqual([expect.closeTo(0.3), expect.closeTo(0.9)]);
    expect(byTask[1]?.deviation).toBeCloseTo(0.6);
  });

  test('is null for a name that no run has', () => {
    expect(runTrend([run(1, 0.5)], { subject: 'corect', task: null })).toBeNull();
    expect(runTrend([], CORRECT)).toBeNull();
  });
});
