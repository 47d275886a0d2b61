import { type JudgeCalibration, judgedVerdict, raterTable } from '../../core/judge-labels.ts';
import type { ResultsByMetric } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { shareFromLabels } from '../../stats/ppi.ts';

/** Beside the mean of a judged metric: the share that people would pass, as their labels of this judge tell. */
export interface CorrectedShare {
  readonly corrected: {
    /** Of the results of the run, what the judge passes. */
    readonly judged: number;
    /** What people would pass, with its 95% interval. */
    readonly share: number;
    readonly ci95: readonly [number, number];
    /** How far the judge counts beside the labels, from 0 to 1. */
    readonly lambda: number;
    readonly labels: number;
    readonly judge: string;
  };
}

/** A session of the run. */
type EvaluatedSession = Pick<SessionOutcome, 'id' | 'turns' | 'metrics'>;

/** Adds to the means of a run, where a judge was calibrated, the share that people would pass. */
export function withCorrectedShares(
  means: ResultsByMetric,
  sessions: readonly EvaluatedSession[],
  calibrations: readonly JudgeCalibration[] = [],
): ResultsByMetric {
  const corrected = calibrations.flatMap((calibration): [string, Result][] => {
    const mean = means[calibration.metric];
    const share = mean && correctedShare(sessions, calibration);
    return share ? [[calibration.metric, { ...mean, metadata: { ...mean.metadata, ...share } }]] : [];
  });
  return { ...means, ...Object.fromEntries(corrected) };
}

/** Labelled results of the run count as labels and not as judged ones. Null without results of the judge. */
function correctedShare(
  sessions: readonly EvaluatedSession[],
  { metric, judge, agreement, cases }: JudgeCalibration,
): CorrectedShare | null {
  const labelled = new Set(cases.map((one) => JSON.stringify(one)));
  const all = { pass: 0, fail: 0 };
  const open = { pass: 0, fail: 0 };
  for (const { id, turns, metrics } of sessions) {
    const ofTurns = turns.map((turn) => [turn.index, turn.metrics[metric]] as const);
    for (const [turn, result] of [...ofTurns, [null, metrics[metric]] as const]) {
      const verdict = result?.judge === judge ? judgedVerdict(result) : null;
      if (verdict === null) continue;
      all[verdict] += 1;
      if (!labelled.has(JSON.stringify([id, turn]))) open[verdict] += 1;
    }
  }
  const count = all.pass + all.fail;
  if (count === 0) return null;
  const estimate = shareFromLabels(raterTable(agreement), { yes: open.pass, no: open.fail });
  return {
    corrected: {
      judged: all.pass / count,
      share: estimate.estimate,
      ci95: estimate.interval,
      lambda: estimate.lambda,
      labels: cases.length,
      judge,
    },
  };
}
