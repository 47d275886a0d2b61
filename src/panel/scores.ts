import * as l10n from '@vscode/l10n';
import type { Result, Status } from '../core/result.ts';
import { isScore } from '../core/statuses.ts';
import { type ReportScore, UNSCORED_STATUSES, type UnscoredGroup } from '../protocol/report-values.ts';
import { displayedScores } from '../report-model/displayed-scores.ts';
import { isCustomMetric, lowerIsBetter, type NamedResult, usesJudge } from '../report-model/metric-results.ts';
import { scoreCap } from '../report-model/score-cap.ts';
import type { MissingScores } from '../report-model/session-totals.ts';
import type { CitationResolver } from './citations.ts';
import type { FeedbackLookup } from './feedback.ts';
import { MAX_ROWS } from './limits.ts';
import { describeSamples } from './samples.ts';
import { finiteOrNull, limitName, limitSentence } from './values.ts';

/** What rows of scores are built with. */
export interface ScoreContext {
  /** Zero-based; null: the session. */
  readonly turn: number | null;
  readonly citations: CitationResolver;
  readonly feedback: FeedbackLookup;
}

/** The most prominent first. */
export function scoreRows(results: readonly NamedResult[], parts: ScoreContext): ReportScore[] {
  return displayedScores(results)
    .slice(0, MAX_ROWS)
    .flatMap(([metric, result]) => scoreRow(metric, result, parts) ?? []);
}

/** Null where there is no score. */
export function scoreRow(
  metric: string,
  result: Result,
  { turn, citations, feedback }: ScoreContext,
): ReportScore | null {
  const { status, score, label, labels, scale, threshold, passed, band, reason, source, judge, evidence } = result;
  const value = score ?? label;
  if (!isScore(status) || value === null) return null;
  return {
    metric: limitName(metric),
    status,
    value: typeof value === 'number' ? (finiteOrNull(value) ?? String(value)) : limitName(value),
    labels: labels.slice(0, MAX_ROWS).map(limitName),
    scale,
    threshold,
    passed,
    lowerIsBetter: lowerIsBetter(metric),
    band: band === null ? null : { name: band.name, meaning: band.meaning },
    reason: reason === null ? null : limitSentence(reason),
    source,
    judge: judge === undefined ? null : limitName(judge),
    cap: capOf(result),
    ...optionalFields(metric, result),
    ...citations.cite(evidence, reason),
    hasPrompt: source !== 'aggregate' && (judge !== undefined || usesJudge(metric)),
    feedback: feedback(turn, { type: 'metric', metric }),
  };
}

/** Fields that most scores do not have. */
function optionalFields(metric: string, result: Result): Pick<ReportScore, 'samples' | 'own'> {
  const samples = describeSamples(result);
  return { ...(samples === null ? {} : { samples }), ...(isCustomMetric(metric, result) ? { own: true } : {}) };
}

/** The cap of a judge's score as the panel shows it. */
function capOf(result: Result): ReportScore['cap'] {
  const { most = null, judged = 0 } = (result.source === 'judge' && scoreCap(result)) || {};
  return most === null ? null : { most, judged };
}

/** @param missing metrics without a score. */
export function unscoredRows(missing: readonly MissingScores[]): UnscoredGroup[] {
  return missing.flatMap(({ status, reasons, count }) =>
    isUnscored(status)
      ? {
          status,
          metrics: count,
          reasons: reasons.slice(0, MAX_ROWS).map(({ reason, metrics }) => ({
            reason: limitSentence(reason ?? l10n.t('No reason was given.')),
            metrics: metrics.slice(0, MAX_ROWS).map(limitName),
          })),
        }
      : [],
  );
}

function isUnscored(status: Status): status is UnscoredGroup['status'] {
  return UNSCORED_STATUSES.some((candidate) => candidate === status);
}
