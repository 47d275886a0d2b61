import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assessJudge, correctedShareOf, foreignLabels } from '../../../../src/runs/calibration/calibrate-judge.ts';
import { nextToLabel } from '../../../../src/runs/calibration/next-labels.ts';
import { judgedMetric, judgedResult, label } from './labels.ts';

const OPTIONS = { precision: 0.9, at: '2026-11-28T10:00:00.000Z' };

/** A judge that fails every fourth result with a 2, and a person who fails every third. */
const RESULTS = Array.from({ length: 120 }, (_, i) =>
  judgedResult(i, i % 4 === 0 ? { score: 2, verdict: 'fail' } : { score: i % 2 === 0 ? 4 : 5 }),
);
const LABELS = RESULTS.map((result, i) => label(result, i % 3 === 1 ? 'fail' : 'pass'));
const METRIC = judgedMetric(RESULTS);

describe('assessJudge', () => {
  it('measures on held-out labels only', () => {
    const own = assessJudge(METRIC, LABELS, OPTIONS);
    expect([own.heldOut, own.tuning, own.missing]).toEqual([80, 40, 0]);
    const changed = LABELS.map((one) => (one.part === 'tuning' ? { ...one, label: 'fail' as const } : one));
    expect(assessJudge(METRIC, changed, OPTIONS).figures).toEqual(own.figures);
    expect(own.figures?.agreement).toEqual({ bothPass: 30, onlyJudge: 30, onlyPerson: 10, bothFail: 10 });
    expect(own.figures?.truePositiveRate).toMatchObject({ share: 0.75, of: 40 });
    expect(own.figures?.trueNegativeRate).toMatchObject({ share: 0.25, of: 40 });
    expect(own.calibration?.cases).toHaveLength(80);
    expect(own.disagreements.every(({ part }) => part === 'held-out')).toBe(true);
    expect(own.disagreements).toHaveLength(40);
  });

  it('leaves out held-out labels that were given after the answer of the judge was seen', () => {
    const seen = LABELS.map((one, i) => (i % 2 === 0 ? { ...one, seen: true as const } : one));
    const assessment = assessJudge(METRIC, seen, { ...OPTIONS });
    expect(assessment).toMatchObject({ heldOut: 40, seen: 40, tuning: 40, missing: 10 });
    expect(correctedShareOf(METRIC, seen)).toMatchObject({ estimate: null });
  });

  it('tunes thresholds on the other labels only, and takes the lowest of equal ones', () => {
    const scored = (part: 'held-out' | 'tuning') =>
      RESULTS.filter((result) => result.part === part).map((result, i) =>
        label({ ...result, score: (i % 5) + 1 }, (part === 'tuning' ? i % 5 >= 2 : i % 5 < 2) ? 'pass' : 'fail'),
      );
    const { bestF1, forPrecision } = assessJudge(METRIC, [...scored('held-out'), ...scored('tuning')], OPTIONS);
    expect(bestF1).toMatchObject({ threshold: 3, f1: 1, precision: 1 });
    expect(forPrecision?.threshold).toBe(3);
    expect(bestF1?.heldOut.kappa?.value).toBeLessThan(0);
  });

  it('takes the verdict at the threshold that is set now', () => {
    const strict = assessJudge({ ...METRIC, threshold: 5 }, LABELS, OPTIONS);
    expect(strict.figures?.agreement.bothPass).toBeLessThan(30);
    expect(strict.calibration?.threshold).toBe(5);
  });

  it('refuses fewer than 50 held-out labels, and says how many are missing', () => {
    const few = LABELS.slice(0, 30);
    const { missing, figures, calibration, bestF1 } = assessJudge(METRIC, few, OPTIONS);
    expect({ missing, figures, calibration, bestF1 }).toEqual({
      missing: 30,
      figures: null,
      calibration: null,
      bestF1: null,
    });
  });

  it('counts labels of this judge and this question alone', () => {
    const others = [
      ...LABELS.slice(0, 5).map((one) => ({ ...one, judge: 'openai/other' })),
      ...LABELS.slice(5, 8).map((one) => ({ ...one, question: 'q0' })),
      ...LABELS.slice(8, 9).map((one) => ({ ...one, metric: 'verbosity' })),
    ];
    expect(assessJudge(METRIC, others, OPTIONS)).toMatchObject({ heldOut: 0, tuning: 0, missing: 50 });
    const foreign = foreignLabels(METRIC, others);
    expect(foreign).toEqual({ ofOtherJudges: new Map([['openai/other', 5]]), ofOtherQuestions: 3 });
  });
});

describe('correctedShareOf', () => {
  it('counts a held-out result as a label, and not as a judged result too', () => {
    const onlyLabels = judgedMetric(RESULTS.filter(({ part }) => part === 'held-out'));
    expect(correctedShareOf(onlyLabels, LABELS)).toMatchObject({ labels: 80, estimate: { estimate: 0.5, lambda: 0 } });
  });

  it('needs labels of the results of the run', () => {
    const changed = judgedMetric(RESULTS.map((_, i) => judgedResult(i, { content: `changed ${i}` })));
    expect(correctedShareOf(changed, LABELS)).toEqual({ labels: 0, estimate: null });
  });
});

describe('nextToLabel', () => {
  it('gives two held-out results, then one for tuning', () => {
    const parts = nextToLabel(METRIC, []).map(({ part }) => part);
    expect(parts.slice(0, 6)).toEqual(['held-out', 'held-out', 'tuning', 'held-out', 'held-out', 'tuning']);
    expect(parts).toHaveLength(120);
  });

  it('does not look at what the judge said where results are held out', () => {
    const order = (results: typeof RESULTS) =>
      nextToLabel(judgedMetric(results), []).flatMap(({ id, part }) => (part === 'held-out' ? id : []));
    const flipped = RESULTS.map((result) =>
      result.verdict === 'pass'
        ? { ...result, score: 1, verdict: 'fail' as const }
        : { ...result, score: 5, verdict: 'pass' as const },
    );
    expect(order(flipped)).toEqual(order(RESULTS));
  });

  it('alternates for tuning between what passes and fails, nearest to the threshold first', () => {
    const tuning = nextToLabel(METRIC, []).filter(({ part }) => part === 'tuning');
    expect(tuning.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass', 'fail']);
    const passing = tuning.filter(({ verdict }) => verdict === 'pass').map(({ score }) => score);
    expect(passing).toEqual(passing.toSorted());
  });

  it('never gives a labelled result, and is the same whatever the order of results', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(RESULTS, { minLength: 120 }), fc.subarray(LABELS), (shuffled, labelled) => {
        const next = nextToLabel(judgedMetric(shuffled), labelled);
        expect(next.map(({ id }) => id)).toEqual(nextToLabel(METRIC, labelled).map(({ id }) => id));
        const done = new Set(labelled.map(({ session }) => session));
        expect(next.filter(({ session }) => done.has(session))).toEqual([]);
        expect(next).toHaveLength(120 - labelled.length);
      }),
      { numRuns: 20 },
    );
  });

  it('gives the same order one at a time as all at once', () => {
    fc.assert(
      fc.property(fc.subarray(RESULTS), fc.nat(60), (results, ahead) => {
        const metric = judgedMetric(results);
        const all = nextToLabel(metric, []);
        const labels = all.slice(0, ahead).map((result) => label(result, 'pass'));
        expect(nextToLabel(metric, labels).map(({ id }) => id)).toEqual(all.slice(ahead).map(({ id }) => id));
      }),
      { numRuns: 50 },
    );
  });
});
