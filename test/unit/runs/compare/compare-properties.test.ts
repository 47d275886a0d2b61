import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ComparedMetric } from '../../../../src/core/run-comparison.ts';
import type { RecordedSession } from '../../../../src/core/run-record.ts';
import { compareRuns } from '../../../../src/runs/compare/compare-runs.ts';
import { attemptRow, planMetric, recordedRun } from '../../../support/recorded-runs.ts';

const plan = { metrics: [planMetric('quality'), planMetric('risk', { lowerIsBetter: true })] };

/** Attempts of up to 12 tasks; the contents of two runs never agree, so that nothing is judge noise. */
const rowsOf = (run: string) =>
  fc
    .array(
      fc.record({
        task: fc.integer({ min: 0, max: 11 }),
        trial: fc.integer({ min: 0, max: 2 }),
        correct: fc.boolean(),
        quality: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
        cost: fc.option(fc.integer({ min: 0, max: 1000 })),
      }),
      { maxLength: 40 },
    )
    .map((attempts) => {
      const rows = attempts.map(({ task, trial, correct, quality, cost }): RecordedSession => {
        const scores: RecordedSession['scores'] =
          quality === undefined ? {} : { quality: quality / 10, risk: 1 - quality / 10 };
        return attemptRow(`task ${task}`, trial, correct, { content: `${run} ${task} ${trial}`, scores, cost });
      });
      return [...new Map(rows.map((row) => [row.id, row])).values()];
    });

const OPPOSITE: Partial<Record<ComparedMetric['conclusion'], ComparedMetric['conclusion']>> = {
  better: 'worse',
  worse: 'better',
};

it('says the opposite of the runs in the opposite order', () => {
  fc.assert(
    fc.property(rowsOf('a'), rowsOf('b'), (a, b) => {
      const [first, second] = [recordedRun(a, { plan }), recordedRun(b, { plan })];
      const [there, back] = [compareRuns([first, second]), compareRuns([second, first])];
      expect(Object.keys(back.metrics).sort()).toEqual(Object.keys(there.metrics).sort());
      for (const [name, metric] of Object.entries(there.metrics)) {
        const mirrored = back.metrics[name];
        const { conclusion, difference, p } = metric;
        expect(mirrored).toMatchObject({ pairs: metric.pairs, tasks: metric.tasks });
        // A relevant difference of costs is a share of what they were before.
        if (name !== 'cost') expect(mirrored?.conclusion).toBe(OPPOSITE[conclusion] ?? conclusion);
        expect(mirrored?.p ?? null).toEqual(p === null ? null : expect.closeTo(p, 10));
        expect(mirrored?.difference ?? 0).toBeCloseTo(-(difference ?? 0), 10);
      }
      expect(back.flips).toHaveLength(there.flips.length);
      expect(back.onlyIn.map(({ tasks }) => tasks)).toEqual(there.onlyIn.map(({ tasks }) => tasks).reverse());
    }),
  );
});

it('averages nothing over sessions that only one run has', () => {
  fc.assert(
    fc.property(rowsOf('a'), rowsOf('b'), rowsOf('c'), (a, b, c) => {
      fc.pre(a.some(({ task }) => b.some((row) => row.task?.id === task?.id)));
      const others = c.map((row) => ({
        ...row,
        task: row.task && { ...row.task, id: `other ${row.task.id}` },
        inputs: `c ${row.inputs}`,
      }));
      const plain = compareRuns([recordedRun(a, { plan }), recordedRun(b, { plan })]);
      const more = compareRuns([recordedRun(a, { plan }), recordedRun([...others, ...b], { plan })]);
      for (const [name, metric] of Object.entries(plain.metrics)) expect(more.metrics[name]).toEqual(metric);
      expect(more.flips).toEqual(plain.flips);
    }),
  );
});

it('keeps every session: in a pair, with its task, or in the list of what only one run has', () => {
  fc.assert(
    fc.property(rowsOf('a'), rowsOf('b'), (a, b) => {
      const { pairing, onlyIn, runs } = compareRuns([recordedRun(a), recordedRun(b)]);
      for (const { run, tasks } of onlyIn) expect(runs[run]?.tasks).toBe(pairing.tasks + tasks.length);
    }),
  );
});
