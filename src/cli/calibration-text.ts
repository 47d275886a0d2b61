import { basename } from 'node:path';
import type { LabelledSessions, RiskCalibration } from '../app/risk-calibration.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { RISK_FILE } from '../core/trace-file-names.ts';
import { padEnd, sanitizeLine } from '../reports/terminal-text.ts';

interface CalibrationTextOptions {
  /** Where the weights were written; null if they were not. */
  readonly file: string | null;
  readonly dryRun?: true;
}

/** What cross-validation says, and what became of the weights. */
export function calibrationText(
  { samples, failed, tasks, unlabelled }: LabelledSessions,
  calibration: RiskCalibration,
  options: CalibrationTextOptions,
): string {
  const left = unlabelled === 0 ? '' : ` Left out, without an outcome: ${unlabelled}.`;
  return [
    `${pluralize(samples.length, 'session')} with an outcome, of ${pluralize(tasks, 'task')}: ${failed} failed.${left}`,
    '',
    ...figureTable(calibration),
    '',
    `${conclusion(calibration)} ${whatNext(calibration, options)}`,
    '',
  ].join('\n');
}

function figureTable({ auroc, brier, baseRateBrier }: RiskCalibration): string[] {
  const rows = [
    ['', 'shipped weights', 'refitted, cross-validated', 'difference'],
    ['AUROC (higher is better)', text(auroc.current), text(auroc.fitted), text(auroc.difference, true)],
    ['Brier score (lower is better)', text(brier.current), text(brier.fitted), text(brier.difference, true)],
    ['the same of the share of failures', text({ value: baseRateBrier, interval: null }), '', ''],
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function text({ value, interval }: RiskCalibration['auroc']['current'], isDifference = false): string {
  if (value === null) return '–';
  const number = (figure: number) => {
    // Without the sign of a zero.
    const rounded = Number(figure.toFixed(2)) || 0;
    return `${isDifference && rounded > 0 ? '+' : ''}${rounded.toFixed(2)}`;
  };
  return interval ? `${number(value)} [${interval.map(number).join(' to ')}]` : number(value);
}

function conclusion({ isBetter, coefficients }: RiskCalibration): string {
  if (!isBetter) return 'The refitted weights are not better beyond chance.';
  return coefficients.isProbability
    ? 'The refitted weights are better, and the risk is a probability.'
    : 'The refitted weights are better; the risk ranks sessions and is not a probability.';
}

function whatNext({ isBetter }: RiskCalibration, { file, dryRun }: CalibrationTextOptions): string {
  if (file === null) {
    if (dryRun) return 'Nothing was written (--dry-run).';
    return isBetter ? '' : 'Nothing was written; --force stores them anyway.';
  }
  const written = `Written to ${sanitizeLine(file)}`;
  return basename(file) === RISK_FILE
    ? `${written}: later evaluations of this folder use it.`
    : `${written}. Evaluations use a file of the name ${RISK_FILE}.`;
}
