import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import type { Result } from './result.ts';
import type * as schemas from './schemas/judge-labels.ts';
import { NO_FAILURE } from './severity.ts';
import { pluralize } from './text/pluralize.ts';

export interface JudgeLabel extends DeepReadonly<z.infer<typeof schemas.judgeLabelSchema>> {}
export interface JudgeCalibration extends DeepReadonly<z.infer<typeof schemas.judgeCalibrationSchema>> {}
export interface JudgeFile extends DeepReadonly<z.infer<typeof schemas.judgeFileSchema>> {}
/** How often a judge and a person gave which answer. */
export type JudgeAgreement = JudgeCalibration['agreement'];
export type Label = JudgeLabel['label'];
export type JudgeIdentity = Pick<JudgeLabel, 'metric' | 'judge' | 'question'>;

export const NO_JUDGE_FILE: JudgeFile = { labels: [], calibrations: [] };

/** Held-out labels without which a judge is not calibrated: fewer give intervals that are wrong too often (docs/calibration.md). */
export const MIN_TEST_LABELS = 50;

export function isSameIdentity(a: JudgeIdentity, b: JudgeIdentity): boolean {
  return a.metric === b.metric && a.judge === b.judge && a.question === b.question;
}

/** Whether a judge agrees with people more than chance does. */
export function agreesBeyondChance({ kappa }: Pick<JudgeCalibration, 'kappa'>): boolean {
  return kappa !== null && kappa.interval[0] > 0;
}

/** The judge as the first of two raters, a person as the second. */
export function raterTable({ bothPass, onlyJudge, onlyPerson, bothFail }: JudgeAgreement): {
  readonly bothYes: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly bothNo: number;
} {
  return { bothYes: bothPass, onlyFirst: onlyJudge, onlySecond: onlyPerson, bothNo: bothFail };
}

/** Why the share of a run is not corrected, with what to do. @param of all held-out labels, of which `labels` are a random choice of the run */
export function uncorrectedReason(metric: string, { labels, of }: { labels: number; of: number }): string {
  const why =
    labels === 0
      ? 'the labels are of other answers than those of this run'
      : `${labels} of ${pluralize(of, 'label')} are a random choice of the answers of this run, and ${MIN_TEST_LABELS} are needed`;
  return `${why}. Label some of this run: turnwise calibrate judge --metric ${metric} --export labels.csv`;
}

/** What the judge says of a result: whether it passes. Null where a judge did not give it, or where it passes nothing. */
export function judgedVerdict({ status, source, score, label, passed }: Result): Label | null {
  if (status !== 'scored' || source !== 'judge') return null;
  if (score === null && label !== null && passed === null) return label === NO_FAILURE ? 'pass' : 'fail';
  return passed === null ? null : passed ? 'pass' : 'fail';
}
