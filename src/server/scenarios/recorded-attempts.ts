import { resolve } from 'node:path';
import type { ResultsByMetric } from '../../core/report.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { expectationResults } from '../../report-model/expectation-results.ts';
import { type AttemptSession, summarizeScenario } from '../../report-model/session-attempts.ts';
import type { RunRecord } from '../../runs/run-store.ts';
import { attemptResult, type StoredScenarioResult } from './attempt-results.ts';

/** The result of a scenario as a run recorded it, which does not know its file. */
export type RecordedScenario = Omit<StoredScenarioResult, 'file'>;

/** What the record of a run says of the scenarios that were tried in it. What their code printed is not recorded. */
export async function recordedScenarios(record: RunRecord): Promise<RecordedScenario[]> {
  const { manifest } = record;
  const { id, project } = manifest;
  const rows = new Map((await record.rows()).map((row) => [row.id, row]));
  const attempts: { readonly row: RecordedSession; readonly session: AttemptSession }[] = [];
  for await (const outcome of record.sessions()) {
    const row = rows.get(outcome.id);
    if (row?.task) attempts.push({ row, session: toAttemptSession(outcome, row) });
  }
  const startedAt = startOf(id) ?? Date.parse(manifest.startedAt);
  const byScenario = Map.groupBy(attempts, ({ row }) => row.task?.id ?? '');
  return Array.from(byScenario, ([name, own]) => ({
    name,
    summary: summarizeScenario(own.map(({ session }) => session)),
    attempts: own.map(({ row, session }) => {
      const { task, turns, tokens, durationMs } = row;
      const known = { trial: Number(task?.trial) || 1, agent: task?.agent ?? '', turns, tokens };
      const facts = { ...known, durationMs: durationMs ?? 0, output: '', sessionFile: resolve(project, row.file) };
      return attemptResult({ ...facts, failure: null }, session.report, project);
    }),
    mockedTools: [],
    run: id,
    previousRun: null,
    startedAt,
    finishedAt: manifest.endedAt ?? manifest.startedAt,
  }));
}

/** When the run of an id began to make its attempts: `20261123T164852751Z-df1cf670`. */
function startOf(id: string): number | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-/.exec(id);
  if (!match) return null;
  const [year = 0, month = 1, ...rest] = match.slice(1).map(Number);
  const [day, hours, minutes, seconds, milliseconds] = rest;
  return Date.UTC(year, month - 1, day, hours, minutes, seconds, milliseconds);
}

/** As it was evaluated, with nothing but what it says of expectations. */
function toAttemptSession(outcome: SessionOutcome, row: RecordedSession): AttemptSession {
  const { id, source, goal, facts, turns, metrics, endingError } = outcome;
  const isByThreshold = row.outcome.status === 'unknown' && row.correct !== null;
  return {
    key: id,
    report: {
      id,
      source,
      task: row.task,
      verdict: row.verdict,
      outcome: { ...row.outcome, reason: '', disagrees: [] },
      headline: row.headline,
      ...(endingError === undefined ? {} : { undecided: [endingError] }),
      metrics: expectationsOf(metrics),
      turns: turns.map((turn) => ({ ...turn, metrics: expectationsOf(turn.metrics) })),
    },
    facts: { ...facts, ...(goal === undefined ? {} : { goal }) },
    gates: isByThreshold ? [{ metric: 'threshold' }] : [],
  };
}

function expectationsOf(metrics: ResultsByMetric): ResultsByMetric {
  const results = [...expectationResults([metrics], {}), ...expectationResults([], metrics)];
  return Object.fromEntries(results.map(({ metric, result }) => [metric, result]));
}
