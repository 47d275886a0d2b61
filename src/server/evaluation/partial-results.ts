import type { ResultsByMetric, RunInfo, SessionReport } from '../../core/report.ts';
import { UNKNOWN_OUTCOME } from '../../report-model/agent-outcome.ts';
import { mergeFindings } from '../../report-model/session-findings.ts';
import { stoppedHeadline } from '../../report-model/session-headline.ts';
import type { LoadedSession } from '../results/loaded-session.ts';
import type { PartialReport, SessionResultsView } from '../results/session-results-view.ts';

/** How many turns of a session are evaluated. */
export interface TurnProgress {
  readonly turns: number;
  readonly turnsDone: number;
}

/** The report of a session before any of its turns is evaluated. */
export function emptySessionReport({ id, source, task }: LoadedSession): SessionReport {
  return {
    id,
    source,
    task,
    verdict: 'undecided',
    outcome: UNKNOWN_OUTCOME,
    headline: { kind: 'undecided', text: 'Evaluating', turn: null },
    metrics: {},
    turns: [],
  };
}

/** A report of a run that has not finished. */
export function createPartialReport(parts: Partial<PartialReport>): PartialReport {
  return {
    sessions: [],
    failures: [],
    observations: [],
    gates: [],
    problems: [],
    run: UNFINISHED_RUN,
    ...parts,
  };
}

/** What is unknown until the run ends. */
const UNFINISHED_RUN: RunInfo = {
  id: '',
  startedAt: '',
  durationMs: 0,
  complete: false,
  agentVersion: null,
  judge: null,
  embedder: null,
  questionsPerCall: 1,
  usage: { judgeCalls: 0, judgeCallsCached: 0, promptTokens: 0, completionTokens: 0, embeddedTexts: 0 },
};

/** Merges new turns into an earlier view of the session; a new turn replaces the same earlier turn. */
export function mergeSessionView(
  before: SessionResultsView | undefined,
  now: SessionResultsView,
  progress: TurnProgress,
): SessionResultsView {
  const { detail, file, files } = now;
  const evaluatedTurns = new Set(detail.report.turns.map(({ index }) => index));
  const old = before ? locatedTurns(before).filter(({ report }) => !evaluatedTurns.has(report.index)) : [];
  const turns = [...old, ...locatedTurns(now)].sort((a, b) => a.report.index - b.report.index);
  const isOld = ({ turn }: { readonly turn: number }) => !evaluatedTurns.has(turn);
  const failures = [...(before?.failures.filter(isOld) ?? []), ...now.failures].sort(byTurn);
  const observations = [...(before?.observations.filter(isOld) ?? []), ...now.observations].sort(byTurn);
  const known = before ?? now;
  return {
    row: {
      ...known.row,
      ...progress,
      problems: failures.length,
    },
    file,
    files: [...new Set([...files, ...(before?.files ?? [])])],
    failures,
    observations,
    turnPlaces: turns.map(({ location }) => location),
    detail: {
      ...known.detail,
      report: { ...known.detail.report, turns: turns.map(({ report }) => report) },
      found: before ? mergeFindings(before.detail.found, detail.found, evaluatedTurns) : detail.found,
    },
  };
}

/**
 * A session whose evaluation was stopped between two answers of the judge. Where a result is missing, the one without a
 * judge stands in for it.
 */
export function fillMissingResults(stopped: SessionResultsView, local: SessionResultsView): SessionResultsView {
  const { report } = stopped.detail;
  const turns = new Map(local.detail.report.turns.map(({ index, metrics }) => [index, metrics]));
  return {
    ...stopped,
    detail: {
      ...stopped.detail,
      ...(local.detail.hasOutdatedScores ? { hasOutdatedScores: true } : {}),
      report: {
        ...report,
        metrics: fillMissing(report.metrics, local.detail.report.metrics),
        turns: report.turns.map((turn) => ({
          ...turn,
          metrics: fillMissing(turn.metrics, turns.get(turn.index) ?? {}),
        })),
      },
    },
  };
}

/** A session of which only the results without a judge are known, because the evaluation was stopped. */
export function withoutJudge(local: SessionResultsView): SessionResultsView {
  const { report } = local.detail;
  const results = [report.metrics, ...report.turns.map(({ metrics }) => metrics)].flatMap((all) => Object.values(all));
  const headline = stoppedHeadline(report.headline, results.filter(({ status }) => status === 'needs_judge').length);
  return {
    ...local,
    row: { ...local.row, headline },
    detail: { ...local.detail, report: { ...report, headline } },
  };
}

function fillMissing(results: ResultsByMetric, local: ResultsByMetric): ResultsByMetric {
  return Object.fromEntries(
    Object.entries(results).map(([name, result]) => {
      const other = result.status === 'cancelled' && Object.hasOwn(local, name) ? local[name] : undefined;
      return [name, other ?? result];
    }),
  );
}

function locatedTurns({ detail, turnPlaces }: SessionResultsView) {
  return detail.report.turns.flatMap((report, at) => {
    const location = turnPlaces[at];
    return location ? [{ report, location }] : [];
  });
}

function byTurn(a: { readonly turn: number }, b: { readonly turn: number }): number {
  return a.turn - b.turn;
}

/** Whether all of it was computed, with any outcome. */
export function isFinished({ metrics, turns }: SessionReport): boolean {
  return [metrics, ...turns.map((turn) => turn.metrics)].every((results) =>
    Object.values(results).every(({ status }) => status !== 'cancelled'),
  );
}

/** Whether any turn was computed before the run was stopped. */
export function isStarted({ turns }: SessionReport): boolean {
  return turns.some(({ metrics }) => Object.values(metrics).every(({ status }) => status !== 'cancelled'));
}
