import { describe, expect, it } from 'vitest';
import type { JudgeCalibration } from '../../../src/core/judge-labels.ts';
import { labelPart } from '../../../src/core/label-ids.ts';
import type { Result } from '../../../src/core/result.ts';
import { withCorrectedShares } from '../../../src/metrics/aggregate/corrected-shares.ts';
import { correctedShareTexts } from '../../../src/report-model/corrected-share.ts';

function result(passed: boolean, changes: Partial<Result> = {}): Result {
  return {
    status: 'scored',
    score: passed ? 5 : 2,
    label: null,
    labels: [],
    scale: [1, 5],
    threshold: 4,
    passed,
    band: null,
    judge: 'openai/m',
    reason: null,
    source: 'judge',
    evidence: [],
    metadata: {},
    ...changes,
  };
}

/** A session of one turn. */
function session(number: number, own: Result, content = `content ${number}`) {
  const turn = { id: 't', index: 0, pointer: '', line: null, metrics: { faithfulness: own } };
  return { id: `s${number}`, turns: [turn], metrics: {}, hashes: { inputs: '', content } };
}

const MEANS = { faithfulness: result(true, { source: 'aggregate' }) };
/** The judge passes four of five. */
const SESSIONS = Array.from({ length: 150 }, (_, i) => session(i, result(i % 5 !== 0)));
const HELD_OUT = SESSIONS.filter(({ hashes }) => labelPart(null, hashes.content) === 'held-out');

/** People pass every second one. */
const CALIBRATION: JudgeCalibration = {
  metric: 'faithfulness',
  judge: 'openai/m',
  question: 'q1',
  threshold: 4,
  agreement: { bothPass: 30, onlyJudge: 20, onlyPerson: 0, bothFail: 10 },
  kappa: null,
  cases: HELD_OUT.map(({ hashes }, i) => ({ content: hashes.content, turn: 0, label: i % 2 === 0 ? 'pass' : 'fail' })),
  at: '2026-11-28T10:00:00.000Z',
};

function textOf(sessions: readonly ReturnType<typeof session>[], changes: Partial<JudgeCalibration> = {}) {
  return correctedShareTexts({ metrics: withCorrectedShares(MEANS, sessions, [{ ...CALIBRATION, ...changes }]) });
}

describe('a corrected share', () => {
  it('stands beside the mean, as a sentence in reports', () => {
    const metrics = withCorrectedShares(MEANS, SESSIONS, [CALIBRATION]);
    const labels = HELD_OUT.length;
    expect(metrics.faithfulness?.metadata.corrected).toMatchObject({ judged: 0.8, labels, judge: 'openai/m' });
    expect(correctedShareTexts({ metrics })).toEqual([
      {
        metric: 'faithfulness',
        text: expect.stringMatching(
          /^(49|50|51) % would pass by \d+ labels of people \(95% interval 4\d % to 5\d %\); openai\/m passes 80 %$/,
        ),
      },
    ]);
  });

  it('counts results of that judge alone', () => {
    const others = SESSIONS.map((one) => ({
      ...one,
      turns: one.turns.map((turn) => ({ ...turn, metrics: { faithfulness: result(true, { judge: 'openai/other' }) } })),
    }));
    expect(withCorrectedShares(MEANS, others, [CALIBRATION])).toEqual(MEANS);
    expect(correctedShareTexts({ metrics: MEANS })).toEqual([]);
  });

  it('is not made of labels of other answers, also where sessions have the same ids', () => {
    const fixed = SESSIONS.map((_, i) => session(i, result(true), `fixed ${i}`));
    expect(textOf(fixed)).toEqual([
      {
        metric: 'faithfulness',
        text: 'no corrected share: the labels are of other answers than those of this run. Label some of this run: turnwise calibrate judge --metric faithfulness --export labels.csv',
      },
    ]);
    const [{ metadata } = MEANS.faithfulness] = [withCorrectedShares(MEANS, fixed, [CALIBRATION]).faithfulness];
    expect(metadata).toMatchObject({ uncorrected: { labels: 0, judge: 'openai/m' } });
    expect(metadata).not.toHaveProperty('corrected');
  });

  it('is not made of labels of what did not change, which stand for nothing else', () => {
    const failing = new Set(SESSIONS.filter((_, i) => i % 5 === 0).map(({ id }) => id));
    const fixed = SESSIONS.map((one, i) => (failing.has(one.id) ? session(i, result(true), `fixed ${i}`) : one));
    expect(textOf(fixed)[0]?.text).toMatch(
      /^no corrected share: \d+ of \d+ labels are a random choice of the answers of this run, and 50 are needed\. Label/,
    );
  });

  it('is made of the labels that are left in a random part of the run', () => {
    const part = SESSIONS.slice(0, 110);
    expect(textOf(part)[0]?.text).toContain('would pass by');
    expect(textOf(part.slice(0, 40))[0]?.text).toMatch(/^no corrected share: \d\d of \d+ labels are/);
  });

  it('does not come from a calibration of an earlier version, which does not say what was labelled', () => {
    const cases = SESSIONS.map(({ id }) => [id, 0] as const);
    expect(textOf(SESSIONS, { cases })[0]?.text).toBe(
      'no corrected share: an earlier version stored the calibration, without what was labelled. Store it again: turnwise calibrate judge --metric faithfulness',
    );
  });
});
