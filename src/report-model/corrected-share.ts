import { getArray, getNumber, getString } from '../core/json.ts';
import type { Report } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';

/** A metric of a run whose judge was calibrated, and what people would pass by their labels, or why that is not known. */
export interface CorrectedShareText {
  readonly metric: string;
  readonly text: string;
}

/** The corrected shares of a report, which stand beside the means. */
export function correctedShareTexts({ metrics }: Pick<Report, 'metrics'>): CorrectedShareText[] {
  return Object.entries(metrics).flatMap(([metric, { metadata }]) => {
    const { corrected, uncorrected } = metadata;
    const reason = getString(uncorrected, 'reason');
    if (reason !== undefined) return [{ metric, text: `no corrected share: ${reason}` }];
    const [judged, share, labels] = ['judged', 'share', 'labels'].map((key) => getNumber(corrected, key));
    const [low, high] = getArray(corrected, 'ci95') ?? [];
    const judge = getString(corrected, 'judge');
    if (judged === undefined || share === undefined || labels === undefined || judge === undefined) return [];
    if (typeof low !== 'number' || typeof high !== 'number') return [];
    const text = `${percent(share)} would pass by ${pluralize(labels, 'label')} of people (95% interval ${percent(low)} to ${percent(high)}); ${judge} passes ${percent(judged)}`;
    return [{ metric, text }];
  });
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
