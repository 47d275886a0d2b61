import {
  isSameIdentity,
  type JudgeAgreement,
  type JudgeCalibration,
  type JudgeIdentity,
  type JudgeLabel,
  type Label,
  MIN_TEST_LABELS,
  raterTable,
} from '../../core/judge-labels.ts';
import { labelId, labelOrder } from '../../core/label-ids.ts';
import { meetsThreshold } from '../../core/scoring.ts';
import { type Interval, wilsonInterval } from '../../stats/intervals.ts';
import { cohenKappa, type Kappa } from '../../stats/kappa.ts';
import { type SampledShare, sampledShare } from '../../stats/sampled-share.ts';
import type { JudgedMetric } from './judged-results.ts';

/** A share with its 95% interval; the share is null of nothing. */
export interface MeasuredShare {
  readonly share: number | null;
  readonly of: number;
  readonly interval: Interval;
}

/** How a judge and people agree. Positive is what passes. */
export interface JudgeFigures {
  readonly agreement: JudgeAgreement;
  readonly kappa: Kappa | null;
  /** Of what people pass, what the judge passes. */
  readonly truePositiveRate: MeasuredShare;
  /** Of what people fail, what the judge fails. */
  readonly trueNegativeRate: MeasuredShare;
}

/** A threshold that the tuning labels prefer, measured on the held-out ones. */
export interface TunedThreshold {
  readonly threshold: number;
  /** On the tuning labels. */
  readonly f1: number;
  readonly precision: number;
  readonly heldOut: JudgeFigures;
}

/** What the labels of a person say about the judge of one metric. */
export interface JudgeAssessment extends JudgeIdentity {
  readonly threshold: number | null;
  /** Without those of `seen`. */
  readonly heldOut: number;
  /** Held-out labels that were given after the answer of the judge was seen: they do not count. */
  readonly seen: number;
  readonly tuning: number;
  /** Held-out labels that are missing before the judge can be calibrated. */
  readonly missing: number;
  /** Null with too few labels. */
  readonly figures: JudgeFigures | null;
  /** With the highest F1, and the lowest with the precision that is asked for; null where tuning labels show none. */
  readonly bestF1: TunedThreshold | null;
  readonly forPrecision: TunedThreshold | null;
  /** Held-out results where the person says otherwise. */
  readonly disagreements: readonly JudgeLabel[];
  readonly calibration: JudgeCalibration | null;
}

/** The fewest labels of each kind on which a threshold is tuned. */
const MIN_TUNING = 5;

/**
 * Measures a judge on held-out labels, and tunes thresholds on the others. Only labels of this judge and this version of the question
 * count; the verdict of the judge is that of its score at the threshold.
 */
export function assessJudge(
  { metric, judge, question, threshold }: Omit<JudgedMetric, 'results'>,
  all: readonly JudgeLabel[],
  { precision, at }: { readonly precision: number; readonly at: string },
): JudgeAssessment {
  const identity = { metric, judge, question };
  const own = all.filter((label) => isSameIdentity(label, identity));
  const heldOut = own.filter(isBlind);
  const seen = own.filter((label) => label.part === 'held-out' && !isBlind(label)).length;
  const tuning = own.filter(({ part }) => part === 'tuning');
  const missing = Math.max(0, MIN_TEST_LABELS - heldOut.length);
  const counts = { ...identity, threshold, heldOut: heldOut.length, seen, tuning: tuning.length, missing };
  if (missing > 0) {
    return { ...counts, figures: null, bestF1: null, forPrecision: null, disagreements: [], calibration: null };
  }
  const figures = measure(heldOut, threshold);
  const candidates = tunedCandidates(tuning, threshold).map((candidate) => ({
    ...candidate,
    heldOut: measure(heldOut, candidate.threshold),
  }));
  const [bestF1 = null] = candidates.toSorted((a, b) => b.f1 - a.f1 || a.threshold - b.threshold);
  return {
    ...counts,
    figures,
    bestF1,
    forPrecision: candidates.find((candidate) => candidate.precision >= precision) ?? null,
    disagreements: heldOut.filter((label) => label.label !== verdictAt(label, threshold)),
    calibration: {
      ...identity,
      threshold,
      agreement: figures.agreement,
      kappa: figures.kappa && { value: figures.kappa.value, interval: [...figures.kappa.interval] },
      cases: heldOut.map(({ content, turn, label }) => ({ content, turn, label })),
      at,
    },
  };
}

/** Whether a label measures the judge: it is held out, and who gave it had not seen what the judge said. */
function isBlind({ part, seen }: JudgeLabel): boolean {
  return part === 'held-out' && !seen;
}

/** Why labels do not count for a judge. */
export interface ForeignLabels {
  readonly ofOtherJudges: ReadonlyMap<string, number>;
  /** Of the same judge, for an earlier version of the question. */
  readonly ofOtherQuestions: number;
}

/** Labels of the same metric that say nothing about this judge and this question. */
export function foreignLabels(identity: JudgeIdentity, all: readonly JudgeLabel[]): ForeignLabels {
  const others = all.filter((label) => label.metric === identity.metric && !isSameIdentity(label, identity));
  const ofOtherJudges = new Map<string, number>();
  for (const { judge } of others) {
    if (judge !== identity.judge) ofOtherJudges.set(judge, (ofOtherJudges.get(judge) ?? 0) + 1);
  }
  return { ofOtherJudges, ofOtherQuestions: others.filter(({ judge }) => judge === identity.judge).length };
}

/** The corrected share of a run's results. */
export function correctedShareOf(
  { results }: Pick<JudgedMetric, 'results'>,
  labels: readonly JudgeLabel[],
): SampledShare {
  const labelOf = new Map(labels.filter(isBlind).map((label) => [labelId(label), label.label]));
  return sampledShare(
    results.map(({ id, part, verdict }) => ({
      order: part === 'held-out' ? labelOrder(id) : null,
      prediction: verdict === 'pass',
      label: labelOf.get(id) === undefined ? null : labelOf.get(id) === 'pass',
    })),
    MIN_TEST_LABELS,
  );
}

/** What the judge says at a threshold. */
function verdictAt({ score, verdict }: JudgeLabel, threshold: number | null): Label {
  if (score === null || threshold === null) return verdict;
  return meetsThreshold(score, threshold) ? 'pass' : 'fail';
}

function measure(labels: readonly JudgeLabel[], threshold: number | null): JudgeFigures {
  const agreement = { bothPass: 0, onlyJudge: 0, onlyPerson: 0, bothFail: 0 };
  for (const label of labels) {
    const judged = verdictAt(label, threshold);
    if (label.label === 'pass') agreement[judged === 'pass' ? 'bothPass' : 'onlyPerson'] += 1;
    else agreement[judged === 'pass' ? 'onlyJudge' : 'bothFail'] += 1;
  }
  const { bothPass, onlyJudge, onlyPerson, bothFail } = agreement;
  return {
    agreement,
    kappa: cohenKappa(raterTable(agreement)),
    truePositiveRate: shareOf(bothPass, bothPass + onlyPerson),
    trueNegativeRate: shareOf(bothFail, bothFail + onlyJudge),
  };
}

function shareOf(count: number, of: number): MeasuredShare {
  return { share: of === 0 ? null : count / of, of, interval: wilsonInterval(count, of) };
}

/** Every score among the labels as a threshold, and the one that is set, the lowest first. None with fewer labels of either kind than tell anything. */
function tunedCandidates(tuning: readonly JudgeLabel[], current: number | null): Omit<TunedThreshold, 'heldOut'>[] {
  const passed = tuning.filter(({ label }) => label === 'pass').length;
  const scores = new Set(tuning.flatMap(({ score }) => score ?? []));
  if (Math.min(passed, tuning.length - passed) < MIN_TUNING) return [];
  if (scores.size === 0) return [];
  return [...(current === null ? scores : scores.add(current))]
    .sort((a, b) => a - b)
    .map((threshold) => {
      const { bothPass, onlyJudge, onlyPerson } = measure(tuning, threshold).agreement;
      const judged = bothPass + onlyJudge;
      return {
        threshold,
        f1: (2 * bothPass) / (2 * bothPass + onlyJudge + onlyPerson),
        precision: judged === 0 ? 0 : bothPass / judged,
      };
    });
}
