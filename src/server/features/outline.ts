import { fileURLToPath } from 'node:url';
import type { SessionRow } from '../../protocol/messages.ts';
import {
  type OutlineRow,
  type ResultsOutline,
  resultsOutline,
  sessionsIn,
  type VerdictCounts,
} from '../../protocol/results-outline.ts';
import { onRequest } from '../../protocol/rpc.ts';
import type { Feature } from '../context.ts';
import type { EvaluationResults, ListPage } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';

/** Answers requests for the list of all results. */
export const outlineRequests: Feature = ({ connection, results }) => {
  onRequest(connection, resultsOutline, ({ offset, limit }) => buildOutline(results, offset, limit));
  onRequest(connection, sessionsIn, ({ of, offset, limit }) => {
    return toPage(
      'file' in of ? sessionsStartingIn(of.file, results) : sessionsWithVerdict(of.verdict, results),
      offset,
      limit,
    );
  });
  return {};
};

export function buildOutline(results: EvaluationResults, offset: number, limit: number): ResultsOutline {
  const sessions = allRows(results).flatMap(({ key }) => results.session(key) ?? []);
  return {
    ...toPage(outlineRows(results), offset, limit),
    verdicts: countVerdicts(sessions),
    unreadable: new Set(results.problems.map(({ file }) => file)).size,
    judges: [...new Set(sessions.flatMap((session) => Array.from(results.model(session).judges(), modelName)))],
  };
}

/** `a/b` of `openai/a/b`. */
function modelName(judge: string): string {
  return judge.slice(judge.indexOf('/') + 1);
}

function outlineRows(results: EvaluationResults): OutlineRow[] {
  return results.files(0, Number.POSITIVE_INFINITY).rows.flatMap((file): OutlineRow[] => {
    if (file.sessions === 0) return isContinuation(file, results) ? [] : [{ file, session: null }];
    return [{ file, session: file.sessions === 1 ? (sessionsStartingIn(file.uri, results)[0] ?? null) : null }];
  });
}

/** Whether a file only continues sessions of other files. */
function isContinuation({ uri, problems }: OutlineRow['file'], results: EvaluationResults): boolean {
  return problems.length === 0 && results.sessionsIn(fileURLToPath(uri)).length > 0;
}

export function sessionsStartingIn(uri: string, results: EvaluationResults): SessionRow[] {
  const path = fileURLToPath(uri);
  const sessions = results.sessionsIn(path).filter(({ file }) => file === path);
  return sessions.map((session) => results.sessionRow(session));
}

export function sessionsWithVerdict(verdict: SessionRow['verdict'], results: EvaluationResults): SessionRow[] {
  return allRows(results).filter((row) => row.verdict === verdict);
}

function allRows(results: EvaluationResults): readonly SessionRow[] {
  return results.sessions(0, Number.POSITIVE_INFINITY).rows;
}

function countVerdicts(sessions: readonly SessionResultsView[]): VerdictCounts {
  const verdicts = { failed: 0, undecided: 0, passed: 0, pending: 0 };
  for (const session of sessions) verdicts[isPending(session) ? 'pending' : session.row.verdict] += 1;
  return verdicts;
}

/** Whether it is being evaluated for the first time. */
function isPending({ row, detail }: SessionResultsView): boolean {
  return row.turnsDone !== null && Object.keys(detail.report.metrics).length === 0;
}

function toPage<T>(rows: readonly T[], offset: number, limit: number): ListPage<T> {
  return { total: rows.length, rows: rows.slice(offset, offset + limit) };
}
