import { describe, expect, it } from 'vitest';
import type { JudgeCalibration } from '../../../src/core/judge-labels.ts';
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
function session(number: number, own: Result) {
  const turn = { id: 't', index: 0, pointer: '', line: null, metrics: { faithfulness: own } };
  return { id: `s${number}`, turns: [turn], metrics: {} };
}

const CALIBRATION: JudgeCalibration = {
  metric: 'faithfulness',
  judge: 'openai/m',
  question: 'q1',
  threshold: 4,
  agreement: { bothPass: 30, onlyJudge: 20, onlyPerson: 0, bothFail: 10 },
  kappa: null,
  cases: [['s0', 0]],
  at: '2026-11-28T10:00:00.000Z',
};

const MEANS = { faithfulness: result(true, { source: 'aggregate' }) };
const SESSIONS = Array.from({ length: 100 }, (_, i) => session(i, result(i % 5 !== 0)));

describe('a corrected share', () => {
  it('stands beside the mean, as a sentence in reports', () => {
    const metrics = withCorrectedShares(MEANS, SESSIONS, [CALIBRATION]);
    expect(metrics.faithfulness?.metadata.corrected).toMatchObject({ judged: 0.8, labels: 1, judge: 'openai/m' });
    expect(correctedShareTexts({ metrics })).toEqual([
      {
        metric: 'faithfulness',
        text: expect.stringMatching(
          /^4\d % would pass by 1 label of people \(95% interval 3\d % to 6\d %\); openai\/m passes 80 %$/,
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

  it('does not count what is labelled as a judged result too', () => {
    const shares = [[], SESSIONS.slice(0, 50).map(({ id }) => [id, 0] as const)].map((cases) => {
      const { faithfulness } = withCorrectedShares(MEANS, SESSIONS, [{ ...CALIBRATION, cases }]);
      return JSON.stringify(faithfulness?.metadata.corrected);
    });
    expect(shares[0]).not.toBe(shares[1]);
  });
});
