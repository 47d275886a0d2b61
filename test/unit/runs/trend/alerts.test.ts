import { describe, expect, test } from 'vitest';
import type { RecordedRun } from '../../../../src/core/run-record.ts';
import { alertSchema } from '../../../../src/core/schemas/report.ts';
import { type AlertRule, checkAlerts } from '../../../../src/runs/trend/alerts.ts';
import { seeded } from '../../../../src/stats/random.ts';
import { attemptRow, recordedRun } from '../../../support/recorded-runs.ts';

function runs(probabilities: readonly number[], seed = 1): RecordedRun[] {
  const random = seeded(seed);
  return probabilities.map((probability, index) =>
    recordedRun(
      Array.from({ length: 40 }, (_, task) => attemptRow(`task-${task}`, 0, random() < probability)),
      { id: `run-${index}` },
    ),
  );
}

function rule(given: Partial<AlertRule> = {}): AlertRule {
  return { metric: 'correct', direction: 'falls', for: 1, drift: false, gate: false, ...given };
}

describe('an alert for some runs', () => {
  test('is raised when the newest run fell beyond chance, with its figures and its runs', () => {
    const alerts = checkAlerts(runs([0.95, 0.95, 0.95, 0.95, 0.5]), [rule({ gate: true })]);
    expect(alerts.map((alert) => alertSchema.safeParse(alert).success)).toEqual([true]);
    expect(alerts).toMatchObject([
      { metric: 'correct', kind: 'persistent', direction: 'falls', runs: ['run-4'], gate: true },
    ]);
    expect(alerts[0]?.message).toMatch(/^correct falls: [\d.]+ % in this run, [\d.]+ % in 4 runs before\.$/);
  });

  test('waits until so many runs are beyond the ones before', () => {
    const fallen = rule({ for: 3 });
    expect(checkAlerts(runs([0.95, 0.95, 0.95, 0.95, 0.6, 0.6]), [fallen])).toEqual([]);
    expect(checkAlerts(runs([0.95, 0.95, 0.95, 0.6, 0.6, 0.6]), [fallen])).toMatchObject([
      { runs: ['run-3', 'run-4', 'run-5'] },
    ]);
    expect(checkAlerts(runs([0.95, 0.95, 0.95, 0.6, 0.6, 0.95]), [fallen])).toEqual([]);
  });

  test('is not raised by a change in the other direction', () => {
    expect(checkAlerts(runs([0.5, 0.5, 0.5, 0.95]), [rule()])).toEqual([]);
    expect(checkAlerts(runs([0.5, 0.5, 0.5, 0.95]), [rule({ direction: 'rises' })])).toHaveLength(1);
  });

  test('is not raised by the first run, or for what no run has', () => {
    expect(checkAlerts(runs([0.1]), [rule()])).toEqual([]);
    expect(checkAlerts(runs([0.9, 0.1]), [rule({ metric: 'coherence' })])).toEqual([]);
    expect(checkAlerts([], [rule()])).toEqual([]);
  });

  test('does not compare with runs that another judge rated', () => {
    const judged = (model: string, score: number, id: string) =>
      recordedRun(
        Array.from({ length: 20 }, (_, task) =>
          attemptRow(`t${task}`, 0, true, { scores: { coherence: score }, judged: ['coherence'] }),
        ),
        { id, plan: { metrics: [], judge: { provider: 'ollama', model } } },
      );
    const falls = rule({ metric: 'coherence' });
    expect(checkAlerts([judged('a', 0.9, '1'), judged('a', 0.9, '2'), judged('a', 0.4, '3')], [falls])).toEqual([]);
  });

  test('is raised in few runs that are alike', () => {
    let raised = 0;
    const SERIES = 60;
    for (let seed = 1; seed <= SERIES; seed += 1)
      raised += checkAlerts(runs([0.8, 0.8, 0.8, 0.8, 0.8], seed), [rule()]).length;
    // 1 of 100, and twice the standard deviation of 60 draws.
    expect(raised / SERIES).toBeLessThanOrEqual(0.035);
  });
});

describe('an alert for drift', () => {
  const drifts = rule({ drift: true });

  test('is raised when success falls a little in every run', () => {
    const probabilities = [...Array.from({ length: 12 }, () => 0.9), 0.86, 0.82, 0.78, 0.74, 0.7, 0.66];
    const [alert] = checkAlerts(runs(probabilities), [drifts]);
    expect(alert).toMatchObject({ kind: 'drift', direction: 'falls' });
    expect(alert?.runs.at(-1)).toBe('run-17');
    expect(alert?.message).toMatch(/^correct falls slowly: [\d.]+ % in this run, [\d.]+ % until \d+ runs ago\.$/);
  });

  test('is raised in at most 1 of 100 runs that are alike', () => {
    let raised = 0;
    const SERIES = 3;
    for (let seed = 1; seed <= SERIES; seed += 1) {
      const all = runs(
        Array.from({ length: 40 }, () => 0.85),
        seed,
      );
      for (let end = 6; end <= all.length; end += 1)
        raised += checkAlerts(all.slice(Math.max(0, end - 30), end), [drifts]).length;
    }
    expect(raised / (SERIES * 35)).toBeLessThanOrEqual(0.01);
  });
});
