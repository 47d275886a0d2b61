import * as l10n from '@vscode/l10n';
import { canonicalJson } from '../../core/json.ts';
import {
  agreesBeyondChance,
  type JudgeCalibration,
  type JudgeLabel,
  MIN_TEST_LABELS,
} from '../../core/judge-labels.ts';
import { labelId } from '../../core/label-ids.ts';
import { limitName, limitSentence } from '../../panel/values.ts';
import type { JudgeAgreementRow, LabelState } from '../../protocol/labels.ts';
import {
  correctedShareOf,
  type ForeignLabels,
  foreignLabels,
  type JudgeAssessment,
} from '../../runs/calibration/calibrate-judge.ts';
import type { JudgedMetric } from '../../runs/calibration/judged-results.ts';
import { labelsToGive } from '../../runs/calibration/next-labels.ts';

const MAX_DISAGREEMENTS = 500;

/** The labels of a metric, and what they say about its judge. */
export interface AssessedLabels {
  readonly metric: JudgedMetric;
  readonly assessment: JudgeAssessment;
  readonly labels: readonly JudgeLabel[];
  /** Calibrations of this judge, this question and this threshold in the file. */
  readonly stored: readonly JudgeCalibration[];
}

/** How far the labels of a metric are. */
export function labelState(
  assessed: AssessedLabels,
): Omit<LabelState, 'asks' | 'runName' | 'startedAt' | 'file' | 'refusal'> {
  const { metric, assessment, labels } = assessed;
  const { heldOut, tuning, missing } = assessment;
  const labelled = new Set(labels.map(labelId));
  return {
    judge: limitName(metric.judge),
    results: metric.results.length,
    labelled: metric.results.filter(({ id }) => labelled.has(id)).length,
    heldOut,
    tuning,
    needed: MIN_TEST_LABELS,
    missing,
    more: labelsToGive(missing),
    notCounted: [...notCounted(foreignLabels(metric, labels)), ...seenText(assessment)],
    agreement: agreementRow(assessed),
  };
}

function notCounted({ ofOtherJudges, ofOtherQuestions }: ForeignLabels): string[] {
  const judges = Array.from(ofOtherJudges, ([judge, count]) =>
    count === 1
      ? l10n.t('1 label of the judge {0} does not count for this one.', limitName(judge))
      : l10n.t('{0} labels of the judge {1} do not count for this one.', count, limitName(judge)),
  );
  if (ofOtherQuestions === 0) return judges;
  const question =
    ofOtherQuestions === 1
      ? l10n.t('1 label for another version of the question does not count.')
      : l10n.t('{0} labels for another version of the question do not count.', ofOtherQuestions);
  return [...judges, question];
}

function seenText({ seen }: JudgeAssessment): string[] {
  if (seen === 0) return [];
  return [
    seen === 1
      ? l10n.t('1 label was given after the answer of the judge was seen, and does not count.')
      : l10n.t('{0} labels were given after the answer of the judge was seen, and do not count.', seen),
  ];
}

function agreementRow({ metric, assessment, labels, stored }: AssessedLabels): JudgeAgreementRow | null {
  const { figures, calibration, disagreements } = assessment;
  if (!figures || !calibration) return null;
  const { results } = metric;
  const { estimate, labels: sampled } = correctedShareOf(metric, labels);
  return {
    counts: figures.agreement,
    kappa: figures.kappa && { value: figures.kappa.value, interval: figures.kappa.interval },
    truePositiveRate: figures.truePositiveRate,
    trueNegativeRate: figures.trueNegativeRate,
    passing: {
      judged: results.filter(({ verdict }) => verdict === 'pass').length / Math.max(1, results.length),
      corrected: estimate && { share: estimate.estimate, interval: estimate.interval },
      labels: sampled,
    },
    isBeyondChance: agreesBeyondChance(calibration),
    stored: storedState(calibration, stored),
    disagreements: disagreements.slice(0, MAX_DISAGREEMENTS).map((label) => ({
      id: labelId(label),
      file: limitName(label.file),
      line: label.line,
      session: limitName(label.session),
      turn: label.turn,
      label: label.label,
      score: label.score,
      note: label.note === undefined ? null : limitSentence(label.note),
    })),
    disagreementCount: disagreements.length,
  };
}

/** Whether the file has the figures of these labels. */
function storedState(
  { agreement, cases }: JudgeCalibration,
  [known]: readonly JudgeCalibration[],
): JudgeAgreementRow['stored'] {
  if (!known) return 'no';
  const figures = (of: Pick<JudgeCalibration, 'agreement' | 'cases'>) =>
    canonicalJson([of.agreement, of.cases.map((one) => JSON.stringify(one)).sort()]);
  return figures(known) === figures({ agreement, cases }) ? 'yes' : 'outdated';
}
