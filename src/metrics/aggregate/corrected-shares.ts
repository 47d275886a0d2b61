import {
  type JudgeCalibration,
  judgedVerdict,
  type Label,
  MIN_TEST_LABELS,
  uncorrectedReason,
} from '../../core/judge-labels.ts';
import { labelId, labelOrder, labelPart } from '../../core/label-ids.ts';
import type { ResultsByMetric } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { type SampledCase, sampledShare } from '../../stats/sampled-share.ts';

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
    /** Those of results of the run. */
    readonly labels: number;
    readonly judge: string;
  };
}

/** Instead of a corrected share, where the labels say nothing about the results of the run. */
export interface UncorrectedShare {
  readonly uncorrected: {
    /** Those that are a random choice of the run's results. */
    readonly labels: number;
    readonly judge: string;
    /** A clause, and a sentence with what to do. */
    readonly reason: string;
  };
}

/** A session of the run. */
type EvaluatedSession = Pick<SessionOutcome, 'turns' | 'metrics' | 'task' | 'hashes'>;

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

/** Null without results of the judge. */
function correctedShare(
  sessions: readonly EvaluatedSession[],
  calibration: JudgeCalibration,
): CorrectedShare | UncorrectedShare | null {
  const { metric, judge, cases } = calibration;
  const results = judgedCases(sessions, calibration);
  if (results.length === 0) return null;
  const { labels, estimate } = sampledShare(results, MIN_TEST_LABELS);
  if (!estimate) {
    const reason = isStoredBefore(calibration)
      ? `an earlier version stored the calibration, without what was labelled. Store it again: turnwise calibrate judge --metric ${metric}`
      : uncorrectedReason(metric, { labels, of: cases.length });
    return { uncorrected: { labels, judge, reason } };
  }
  return {
    corrected: {
      judged: results.filter(({ prediction }) => prediction).length / results.length,
      share: estimate.estimate,
      ci95: estimate.interval,
      lambda: estimate.lambda,
      labels,
      judge,
    },
  };
}

function isStoredBefore({ cases }: JudgeCalibration): boolean {
  return cases.some((one) => !('content' in one));
}

/** What the judge says of the run's results, with labels of the same content. Equal results of equal sessions count once, as labels do. */
function judgedCases(
  sessions: readonly EvaluatedSession[],
  { metric, judge, question, cases }: JudgeCalibration,
): SampledCase[] {
  const idOf = (content: string, turn: number | null) => labelId({ metric, judge, question, content, turn });
  const labels = new Map(
    cases.flatMap((one): [string, Label][] => ('content' in one ? [[idOf(one.content, one.turn), one.label]] : [])),
  );
  const found = new Map<string, SampledCase>();
  for (const { turns, metrics, task, hashes } of sessions) {
    const content = hashes?.content ?? '';
    const ofTurns = turns.map((turn) => [turn.index, turn.metrics[metric]] as const);
    for (const [turn, result] of [...ofTurns, [null, metrics[metric]] as const]) {
      const verdict = result?.judge === judge ? judgedVerdict(result) : null;
      if (verdict === null) continue;
      const id = idOf(content, turn);
      const label = labels.get(id);
      found.set(id, {
        order: labelPart(task, content) === 'held-out' ? labelOrder(id) : null,
        prediction: verdict === 'pass',
        label: label === undefined ? null : label === 'pass',
      });
    }
  }
  return [...found.values()];
}
