import type { Report } from '../../core/report.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { type CountedResults, isNothingScored, totalCoverage } from '../../report-model/run-coverage.ts';
import { missingResultLines } from './missing-results.ts';
import type { TableStyle } from './style.ts';

/** How many results were scored, and why others were not. */
export function* coverageLines(report: Report, byMetric: CountedResults, style: TableStyle): Generator<string> {
  const covered = totalCoverage(byMetric);
  const { scored, of } = covered;
  const share = of === 0 ? '' : ` (${Math.floor((100 * scored) / of)} %)`;
  const nothing = isNothingScored(covered) ? ': nothing was scored' : '';
  yield '';
  yield `${style.paint('Coverage:', 'strong')} ${scored} of ${pluralize(of, 'result')} scored${share}${nothing}`;
  const { undecided } = report;
  yield* missingResultLines('error', byMetric, undecided, style);
  yield* missingResultLines('cancelled', byMetric, undecided, style);
  // With a judge, a result that still needs one gives its own reason.
  if (report.run.judge) yield* missingResultLines('needs_judge', byMetric, [], style);
}
