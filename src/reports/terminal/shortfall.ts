import { formatScore } from '../../report-model/score-text.ts';
import type { Shortfall } from '../../report-model/shortfall.ts';
import { sanitizeLine } from '../terminal-text.ts';

/** `helpfulness 2.00 < 3.50`; with `>` for metrics where lower is better. */
export function shortfallText({ metric, result: { scale }, score, threshold }: Shortfall): string {
  const sign = score > threshold ? '>' : '<';
  return `${sanitizeLine(metric)} ${formatScore(score, scale)} ${sign} ${formatScore(threshold, scale)}`;
}
