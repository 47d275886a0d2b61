import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import { metricsFor } from '../../../src/core/task-gates.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import { createRunPlan, planMetrics, type TaskMetrics } from '../../../src/engine/plan.ts';
import { configuration, counting, scripted } from './support.ts';

const a = scripted('a', {}, { aliases: ['a_v1'] });
const b = scripted('b', {}, { uses: ['a'] });
const rare = scripted('rare', {}, { optIn: true });
const overall = counting('overall', ['b']);
const TABLE = [overall, b, a, rare];

const names = (input: Parameters<typeof configuration>[0]) => {
  const { turn, session } = planMetrics(TABLE, configuration(input));
  return [...turn, ...session].map(({ metric, template: frame }) => metric.name + (frame.implied ? ' (implied)' : ''));
};

describe('planMetrics', () => {
  it('runs everything that is not opt-in, each metric after those that it uses', () => {
    expect(names({})).toEqual(['a', 'b', 'overall']);
  });

  it('restricts to a list, and adds the metrics that these use as implied', () => {
    expect(names({ metrics: ['overall'] })).toEqual(['a (implied)', 'b (implied)', 'overall']);
    expect(names({ metrics: ['rare'] })).toEqual(['rare']);
  });

  it('knows metrics by their aliases', () => {
    expect(names({ metrics: ['a_v1'] })).toEqual(['a']);
  });

  it('enables and disables metrics by an object of settings', () => {
    expect(names({ metrics: { rare: { enabled: true }, overall: { enabled: false } } })).toEqual(
      ['b', 'a', 'rare'].sort(),
    );
  });

  it('computes metrics that a gate needs', () => {
    expect(names({ metrics: ['a'], gates: { thresholds: { rare: 0.5 } } })).toEqual(['a', 'rare']);
    const ofTask = [{ task: 't', thresholds: { rare: 0.5 } }];
    expect(names({ metrics: ['a'], gates: { for: ofTask } })).toEqual(['a', 'rare']);
  });

  it('does not add opt-in metrics as implied, but keeps their order if they are selected', () => {
    const reader = scripted('reader', {}, { uses: ['rare'] });
    const planned = (input: Parameters<typeof configuration>[0]) =>
      planMetrics([reader, rare], configuration(input)).turn.map(({ metric }) => metric.name);
    expect(planned({})).toEqual(['reader']);
    expect(planned({ metrics: ['reader', 'rare'] })).toEqual(['rare', 'reader']);
  });

  it('takes thresholds from the configuration, including percentages', () => {
    const { turn } = planMetrics(TABLE, configuration({ metrics: { a: { threshold: '85%' }, b: { threshold: 0.1 } } }));
    expect(turn.map(({ template: frame }) => frame.threshold)).toEqual([0.85, 0.1]);
  });

  it('rejects a metric that uses itself indirectly', () => {
    const circle = [scripted('x', {}, { uses: ['y'] }), scripted('y', {}, { uses: ['x'] })];
    expect(() => planMetrics(circle, configuration())).toThrow('uses itself');
  });
});

describe('metrics of tasks', () => {
  const planOf = (input: Parameters<typeof configuration>[0], taskMetrics: readonly TaskMetrics[]) =>
    createRunPlan({
      configuration: configuration(input),
      taskMetrics,
      metrics: TABLE,
      judges: NO_JUDGES,
      embedder: null,
      version: '0',
    });
  const entries = (plan: ReturnType<typeof planOf>, id?: string) =>
    metricsFor(plan, { task: id === undefined ? null : { id } }).map(
      ({ name, template: { implied, threshold } }) => `${name}${implied ? ' (implied)' : ''} ${threshold}`,
    );

  it('replace those of all others, with thresholds and implied metrics of their own', () => {
    const plan = planOf({ metrics: ['a', 'b'] }, [
      {
        tasks: ['one', 'two'],
        metrics: { b: { enabled: true, threshold: 0.9 }, a: { enabled: false }, overall: { enabled: false } },
      },
      { tasks: null, metrics: ['a'] },
    ]);
    expect(plan.metrics.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(entries(plan, 'two')).toEqual(['a (implied) 0.5', 'b 0.9']);
    expect(entries(plan, 'three')).toEqual(['a 0.5']);
    expect(entries(plan)).toEqual(['a 0.5']);
  });

  it('have what gates of these tasks need, and not what those of others do', () => {
    const gates: ConfigurationInput['gates'] = {
      for: [
        { task: 'o*', thresholds: { rare: 0.5 } },
        { task: 'three', thresholds: { overall: 0.5 } },
      ],
    };
    const plan = planOf({ metrics: ['a'], gates }, [{ tasks: ['one'], metrics: ['a'] }]);
    expect(entries(plan, 'one').map((text) => text.split(' ')[0])).toEqual(['a', 'rare']);
  });

  it('are absent from the plan where all tasks have the same', () => {
    const plan = planOf({}, []);
    expect(plan).not.toHaveProperty('metricsByTask');
    expect(metricsFor(plan, { task: { id: 'one' } })).toBe(plan.metrics);
  });
});
