import { resolve } from 'node:path';
import { type AttemptSession, summarizeScenario } from '../../report-model/session-attempts.ts';
import type { FinishedAttempt } from '../../scenarios/run-scenarios.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { type AttemptResult, attemptResult, type StoredScenarioResult } from './attempt-results.ts';

interface ScenarioRunFacts {
  /** Paths of scenario files are relative to it. */
  readonly project: string;
  /** In milliseconds of the epoch. */
  readonly startedAt: number;
  readonly finishedAt: Date;
  /** The recorded run; null where none is stored. */
  readonly run: string | null;
  /** The results of a session file; undefined where there are none. */
  readonly viewOf: (sessionFile: string) => SessionResultsView | undefined;
}

/** What came of attempts at one scenario; null where there are none. */
export function buildScenarioResult(
  attempts: readonly FinishedAttempt[],
  { project, startedAt, finishedAt, run, viewOf }: ScenarioRunFacts,
): StoredScenarioResult | null {
  const [first] = attempts;
  if (!first) return null;
  const evaluated = attempts.map((attempt) => ({
    attempt,
    view: attempt.sessionFile === null ? undefined : viewOf(attempt.sessionFile),
  }));
  return {
    file: resolve(project, first.file),
    name: first.scenario.name,
    summary: summarizeScenario(evaluated.flatMap(({ view }) => attemptSession(view))),
    attempts: evaluated.map(({ attempt, view }) => toResult(attempt, view, project)),
    mockedTools: first.scenario.mockedTools,
    run,
    previousRun: null,
    startedAt,
    finishedAt: finishedAt.toISOString(),
  };
}

function attemptSession(view: SessionResultsView | undefined): AttemptSession[] {
  const facts = view?.detail.facts;
  if (!view || !facts) return [];
  return [{ key: view.row.key, report: view.detail.report, facts, gates: view.detail.gates }];
}

function toResult(
  { trial, agent, sessionFile, failure, turns, durationMs, output }: FinishedAttempt,
  view: SessionResultsView | undefined,
  project: string,
): AttemptResult {
  const tokens = view?.detail.facts?.tokens ?? null;
  const facts = { trial, agent, sessionFile, turns, tokens, durationMs, output, failure: failure?.reason ?? null };
  return attemptResult(facts, view ? evaluatedReport(view) : null, project);
}

/** With the lines of turns also before the end of the run, when the report has none. */
function evaluatedReport({ detail: { report }, turnPlaces }: SessionResultsView) {
  const turns = report.turns.map((turn, index) => {
    const place = turnPlaces[index];
    return turn.line !== null || !place ? turn : { ...turn, line: place.range.start.line + 1 };
  });
  return { ...report, turns };
}
