import { agreesBeyondChance, MIN_TEST_LABELS, uncorrectedReason } from '../core/judge-labels.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { padEnd, padStart, sanitizeLine } from '../reports/terminal-text.ts';
import type {
  correctedShareOf,
  ForeignLabels,
  JudgeAssessment,
  JudgeFigures,
  MeasuredShare,
  TunedThreshold,
} from '../runs/calibration/calibrate-judge.ts';
import { labelsToGive } from '../runs/calibration/next-labels.ts';

type RunShare = ReturnType<typeof correctedShareOf>;

/** What labels say about one metric, and what follows for a run. */
export interface AssessedMetric {
  readonly assessment: JudgeAssessment;
  readonly foreign: ForeignLabels;
  /** Null with too few labels. */
  readonly corrected: RunShare | null;
  /** Judged results of the run, and how many of them the judge passes. */
  readonly results: number;
  readonly passed: number;
}

interface AssessmentTextOptions {
  /** Where the calibrations were written; null if they were not. */
  readonly file: string | null;
  readonly dryRun: boolean;
}

export function assessmentText(assessed: readonly AssessedMetric[], { file, dryRun }: AssessmentTextOptions): string {
  const blocks = assessed.map((one) => metricLines(one).join('\n'));
  const isCalibrated = assessed.some(({ assessment }) => assessment.calibration !== null);
  const end =
    file !== null
      ? [
          `Written to ${sanitizeLine(file)}: later reports show corrected shares, and "gates": {"judge": "calibrated"} lets only calibrated judges gate.`,
        ]
      : isCalibrated && dryRun
        ? ['Nothing was written (--dry-run).']
        : [];
  return `${[...blocks, ...end].join('\n\n')}\n`;
}

function metricLines(assessed: AssessedMetric): string[] {
  const { assessment, foreign, corrected, results, passed } = assessed;
  const { metric, judge, question, threshold, heldOut, tuning, missing, figures } = assessment;
  const at = threshold === null ? '' : ` · threshold ${threshold}`;
  const head = [
    `${metric} · judge ${sanitizeLine(judge)} · question ${question.slice(0, 8)}${at}`,
    `  ${pluralize(heldOut, 'held-out label')}, which measure the judge; ${tuning} for tuning thresholds`,
    ...foreignLines(foreign),
    ...seenLines(assessment),
  ];
  if (!figures) {
    return [
      ...head,
      `  Too few: ${MIN_TEST_LABELS} held-out labels are needed, ${missing} more. About two of three are held out, so label about ${labelsToGive(missing)}:`,
      `  turnwise calibrate judge --metric ${metric} --export labels.csv --count ${labelsToGive(missing)}`,
    ];
  }
  return [
    ...head,
    ...confusionLines(figures),
    ...figureLines(figures),
    ...(corrected
      ? [
          `  pass share  ${percent(passed / results)} of ${pluralize(results, 'result')} by the judge; ${correctedText(assessment, corrected)}`,
        ]
      : []),
    ...tunedLines(assessment),
    ...chanceLines(assessment),
    ...disagreementLines(assessment),
  ];
}

function correctedText({ metric, heldOut }: JudgeAssessment, { estimate, labels }: RunShare): string {
  if (!estimate) return `no corrected share: ${uncorrectedReason(metric, { labels, of: heldOut })}`;
  const { estimate: share, interval, lambda } = estimate;
  return `corrected ${percent(share)} ${range(interval, percent)} (PPI++, lambda ${lambda.toFixed(2)})`;
}

function foreignLines({ ofOtherJudges, ofOtherQuestions }: ForeignLabels): string[] {
  const judges = Array.from(ofOtherJudges, ([judge, count]) => {
    return `  ${pluralize(count, 'label')} of the judge ${sanitizeLine(judge)} ${count === 1 ? 'does' : 'do'} not count for this one`;
  });
  if (ofOtherQuestions === 0) return judges;
  const verb = ofOtherQuestions === 1 ? 'does' : 'do';
  return [...judges, `  ${pluralize(ofOtherQuestions, 'label')} for another version of the question ${verb} not count`];
}

function seenLines({ seen }: JudgeAssessment): string[] {
  if (seen === 0) return [];
  const verbs = seen === 1 ? ['was', 'does'] : ['were', 'do'];
  return [
    `  ${pluralize(seen, 'label')} ${verbs[0]} given after the answer of the judge was seen, and ${verbs[1]} not count`,
  ];
}

function confusionLines({ agreement: { bothPass, onlyJudge, onlyPerson, bothFail } }: JudgeFigures): string[] {
  const row = (head: string, ...counts: readonly (number | string)[]) =>
    `  ${padEnd(head, 14)}${counts.map((count) => padStart(String(count), 13)).join('')}`;
  return [
    '',
    row('', 'judge: pass', 'judge: fail'),
    row('person: pass', bothPass, onlyPerson),
    row('person: fail', onlyJudge, bothFail),
    '',
  ];
}

function figureLines({ kappa, truePositiveRate, trueNegativeRate }: JudgeFigures): string[] {
  return [
    `  kappa       ${kappa ? `${kappa.value.toFixed(2)} ${range(kappa.interval)}` : '– (one answer is the only one)'}`,
    `  TPR         ${share(truePositiveRate)} of what people pass, the judge passes`,
    `  TNR         ${share(trueNegativeRate)} of what people fail, the judge fails`,
  ];
}

function share({ share: value, of, interval }: MeasuredShare): string {
  return value === null ? `– (none of ${of})` : `${value.toFixed(2)} ${range(interval)}`;
}

function tunedLines({ bestF1, forPrecision, threshold }: JudgeAssessment): string[] {
  const line = (what: string, { threshold: tuned, heldOut }: TunedThreshold) => {
    const { kappa, truePositiveRate: tpr, trueNegativeRate: tnr } = heldOut;
    const rates = [tpr, tnr].map((rate) => rate.share?.toFixed(2) ?? '–').join(' and ');
    return `  ${what}: ${tuned}${tuned === threshold ? ', as it is' : ''}; held out, kappa ${kappa?.value.toFixed(2) ?? '–'}, TPR and TNR ${rates}`;
  };
  return [
    ...(bestF1 ? [line(`threshold of the best F1 (${bestF1.f1.toFixed(2)} on tuning labels)`, bestF1)] : []),
    ...(forPrecision ? [line(`lowest threshold of precision ${forPrecision.precision.toFixed(2)}`, forPrecision)] : []),
  ];
}

function chanceLines({ calibration }: JudgeAssessment): string[] {
  return calibration && !agreesBeyondChance(calibration)
    ? [
        '  The judge does not agree with people beyond chance: it informs, and does not gate with "gates": {"judge": "calibrated"}.',
      ]
    : [];
}

function disagreementLines({ disagreements }: JudgeAssessment): string[] {
  if (disagreements.length === 0) return ['  no disagreements'];
  return [
    '',
    `  ${pluralize(disagreements.length, 'disagreement')}:`,
    ...disagreements.map(({ file, line, session, turn, score, label, note }) => {
      const where = `${sanitizeLine(file)}${line === null ? '' : `:${line}`}`;
      const what = turn === null ? sanitizeLine(session) : `turn ${turn + 1} of ${sanitizeLine(session)}`;
      const judged = `judge ${score ?? (label === 'pass' ? 'fail' : 'pass')}`;
      return `    ${where}  ${what}: ${judged}, person ${label}${note ? ` (${sanitizeLine(note)})` : ''}`;
    }),
  ];
}

function percent(value: number): string {
  return `${Math.round(value * 100)}%`;
}

function range([low, high]: readonly [number, number], format = (value: number) => value.toFixed(2)): string {
  return `[${format(low)} to ${format(high)}]`;
}
