import * as l10n from '@vscode/l10n';
import type { ResultsByMetric } from '../../core/report.ts';
import { formatScoreWithScale } from '../../core/score-text.ts';
import type { FileVersions } from './file-versions.ts';
import type { SessionResultsView } from './session-results-view.ts';

/**
 * A session that was evaluated by the rules alone, after a judge had scored an earlier state of it. Its judged metrics have
 * no score, and say which one they had: an old score is not one of the new text.
 */
export function withOutdatedScores(
  now: SessionResultsView,
  before: SessionResultsView | undefined,
): SessionResultsView {
  if (!before) return now;
  const { report } = before.detail;
  if (!before.detail.hasOutdatedScores && !isJudged(before)) return now;
  const turns = new Map(report.turns.map(({ index, metrics }) => [index, metrics]));
  return {
    ...now,
    detail: {
      ...now.detail,
      hasOutdatedScores: true,
      report: {
        ...now.detail.report,
        metrics: withReasons(now.detail.report.metrics, report.metrics),
        turns: now.detail.report.turns.map((turn) => {
          const metrics = turns.get(turn.index);
          return metrics ? { ...turn, metrics: withReasons(turn.metrics, metrics) } : turn;
        }),
      },
    },
  };
}

/**
 * A session that a judge is being asked about again, as it is shown meanwhile: with its earlier scores, until others
 * replace them.
 */
export function withEarlierScores(now: SessionResultsView, before: SessionResultsView | undefined): SessionResultsView {
  if (!before || !isJudged(before)) return now;
  const turns = new Map(before.detail.report.turns.map(({ index, metrics }) => [index, metrics]));
  const { report } = now.detail;
  return {
    ...now,
    detail: {
      ...now.detail,
      report: {
        ...report,
        metrics: withScores(report.metrics, before.detail.report.metrics),
        turns: report.turns.map((turn) => ({
          ...turn,
          metrics: withScores(turn.metrics, turns.get(turn.index) ?? {}),
        })),
      },
    },
  };
}

function withScores(now: ResultsByMetric, before: ResultsByMetric): ResultsByMetric {
  return Object.fromEntries(
    Object.entries(now).map(([name, result]) => {
      const old = result.status === 'needs_judge' && Object.hasOwn(before, name) ? before[name] : undefined;
      return [name, old?.judge === undefined ? result : old];
    }),
  );
}

/** Whether a judge has scored any of it. */
export function isJudged({ detail: { report } }: SessionResultsView): boolean {
  return [report.metrics, ...report.turns.map(({ metrics }) => metrics)].some(hasJudged);
}

function hasJudged(metrics: ResultsByMetric): boolean {
  return Object.values(metrics).some(({ judge }) => judge !== undefined);
}

function withReasons(now: ResultsByMetric, before: ResultsByMetric): ResultsByMetric {
  return Object.fromEntries(
    Object.entries(now).map(([name, result]) => {
      const old = Object.hasOwn(before, name) ? before[name] : undefined;
      if (result.status !== 'needs_judge' || !old) return [name, result];
      if (old.status === 'needs_judge') return [name, { ...result, reason: old.reason }];
      if (old.judge === undefined) return [name, result];
      const value = old.score === null ? old.label : formatScoreWithScale(old.score, old.scale);
      const reason = l10n.t('Outdated: {0} before the last change. Evaluate again to ask the judge.', value ?? '–');
      return [name, { ...result, reason }];
    }),
  );
}

/** Results without their judged scores are outdated, though the rules have seen the current text. */
export function statusWithScores(
  status: ReturnType<FileVersions['fileStatus']>,
  sessions: readonly SessionResultsView[],
): ReturnType<FileVersions['fileStatus']> {
  const isOutdated = status.state === 'fresh' && sessions.some(({ detail }) => detail.hasOutdatedScores);
  return isOutdated ? { state: 'stale', changed: 'judge' } : status;
}
