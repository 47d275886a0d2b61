import { describe, expect, test } from 'vitest';
import type { RunTrend, TrendPoint } from '../../../src/core/run-trend.ts';
import { trendTable } from '../../../src/reports/trend/table.ts';

const PLAIN = { terminal: true, color: false, columns: 120 };

function point(index: number, value: number | null, interval: [number, number] | null = null): TrendPoint {
  return {
    run: `20261101T090000000Z-0000000${index}`,
    startedAt: `2026-11-0${index}T09:00:00.000Z`,
    git: null,
    agentVersion: null,
    complete: true,
    value,
    interval,
    n: 10,
    tasks: 10,
    leftOut: 0,
    segment: 0,
  };
}

function trend(points: readonly TrendPoint[]): RunTrend {
  return {
    schemaVersion: 1,
    subject: {
      kind: 'metric',
      name: 'm',
      unit: 'score',
      scale: [0, 1],
      threshold: 0.8,
      lowerIsBetter: false,
      task: null,
    },
    points,
    segments: [{ from: 0, to: points.length - 1, reasons: [], pairing: 'tasks' }],
    changes: [],
    versions: [],
    notes: [],
  };
}

function rows(shown: RunTrend, options = PLAIN): string[] {
  return [...trendTable(shown, options)].join('').split('\n').slice(3);
}

describe('the chart of a trend', () => {
  test('has each value and its interval at their position on one axis', () => {
    const [, first = '', second = '', third = ''] = rows(
      trend([point(1, 0.5, [0, 1]), point(2, 1, [0.5, 1]), point(3, null)]),
    );
    expect(first).toMatch(/ {2}─{18}●─{17}$/);
    expect(second).toMatch(/ {20}─{17}●$/);
    expect(third).toMatch(/–\s+10$/);
    expect(first.indexOf('─')).toBe(second.length - 36);
  });

  test('is not drawn in a pipe, or where there is no room', () => {
    const shown = trend([point(1, 0.5, [0, 1]), point(2, 1)]);
    for (const options of [
      { ...PLAIN, terminal: false },
      { ...PLAIN, columns: 60 },
    ]) {
      expect(rows(shown, options).join('\n')).not.toMatch(/[●─]/);
    }
  });

  test('is a single position where all values are equal', () => {
    expect(rows(trend([point(1, 0.5), point(2, 0.5)]))[1]).toMatch(/ {2}●$/);
  });
});

describe('the table of a trend', () => {
  test('says the threshold and the direction, and leaves empty columns out', () => {
    const [lead, subject, , head] = [...trendTable(trend([point(1, 0.5)]), PLAIN)].join('').split('\n');
    expect(lead).toBe('No change beyond chance in 1 run.');
    expect(subject).toBe('m, mean over tasks: higher is better, threshold 0.8');
    expect(head?.trim()).toBe('run       began (UTC)       value  sessions');
  });
});
