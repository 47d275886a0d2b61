import { fileURLToPath } from 'node:url';
import type { HeadlineCounts, SessionRow } from '../../protocol/messages.ts';
import {
  findTraces,
  lookalikes,
  type OutlineRow,
  type ResultsOutline,
  resultsOutline,
  type SortOrder,
  sessionsIn,
} from '../../protocol/results-outline.ts';
import { onRequest } from '../../protocol/rpc.ts';
import type { Feature } from '../context.ts';
import type { EvaluationResults, ListPage } from '../results/evaluation-results.ts';
import { countHeadlines, isProblematic, sessionOrder } from '../results/result-order.ts';

/** Answers requests for the list of all results. */
export const outlineRequests: Feature = ({ connection, results, traceSearch }) => {
  onRequest(connection, resultsOutline, (options) => buildOutline(results, options));
  onRequest(connection, sessionsIn, ({ of, offset, limit, ...options }) => {
    const rows = 'file' in of ? sessionsStartingIn(of.file, results) : sessionsWithHeadline(of.headline, results);
    return toPage(listSessions(rows, options), offset, limit);
  });
  onRequest(connection, lookalikes, ({ offset, limit }) => results.listLookalikes(offset, limit));
  onRequest(connection, findTraces, async () => {
    await traceSearch.run();
    return { total: results.lookalikes.length };
  });
  return {};
};

interface OutlineOptions {
  readonly offset: number;
  readonly limit: number;
  readonly sort?: SortOrder;
  readonly problemsOnly?: boolean;
}

export function buildOutline(results: EvaluationResults, options: OutlineOptions): ResultsOutline {
  const { offset, limit, sort = 'outcome', problemsOnly = false } = options;
  const sessions = allRows(results).flatMap(({ key }) => results.session(key) ?? []);
  const judges = sessions.map((session) => Array.from(results.model(session).judges(), modelName));
  const rows = outlineRows(results, sort).filter((row) => !problemsOnly || hasProblem(row));
  return {
    ...toPage(rows, offset, limit),
    headlines: countHeadlines(sessions),
    unreadable: new Set(results.problems.map(({ file }) => file)).size,
    lookalikes: problemsOnly ? 0 : results.lookalikes.length,
    judges: [...new Set(judges.flat())],
    judged: judges.filter((ofSession) => ofSession.length > 0).length,
  };
}

/** `a/b` of `openai/a/b`. */
function modelName(judge: string): string {
  return judge.slice(judge.indexOf('/') + 1);
}

function outlineRows(results: EvaluationResults, sort: SortOrder): OutlineRow[] {
  return results.files(0, Number.POSITIVE_INFINITY, sort).rows.flatMap((file): OutlineRow[] => {
    if (file.sessions === 0) return isContinuation(file, results) ? [] : [{ file, session: null }];
    return [{ file, session: file.sessions === 1 ? (sessionsStartingIn(file.uri, results)[0] ?? null) : null }];
  });
}

/** Whether a file only continues sessions of other files. */
function isContinuation({ uri, problems }: OutlineRow['file'], results: EvaluationResults): boolean {
  return problems.length === 0 && results.sessionsIn(fileURLToPath(uri)).length > 0;
}

function hasProblem({ file }: OutlineRow): boolean {
  return file.problems.length > 0 || isProblematic(file.headlines);
}

export function sessionsStartingIn(uri: string, results: EvaluationResults): SessionRow[] {
  const path = fileURLToPath(uri);
  const sessions = results.sessionsIn(path).filter(({ file }) => file === path);
  return sessions.map((session) => results.sessionRow(session));
}

/** Those that are evaluated for the first time are undecided until then. */
export function sessionsWithHeadline(kind: SessionRow['headline']['kind'], results: EvaluationResults): SessionRow[] {
  return allRows(results).filter(({ headline }) => headline.kind === kind);
}

/** In the given order. */
export function listSessions(
  rows: readonly SessionRow[],
  { sort = 'outcome', problemsOnly = false }: Pick<OutlineOptions, 'sort' | 'problemsOnly'>,
): readonly SessionRow[] {
  const listed = problemsOnly ? rows.filter(({ headline }) => PROBLEM_KINDS.has(headline.kind)) : rows;
  return listed.toSorted(sessionOrder(sort));
}

const PROBLEM_KINDS: ReadonlySet<keyof HeadlineCounts> = new Set(['failed', 'undecided', 'problems']);

function allRows(results: EvaluationResults): readonly SessionRow[] {
  return results.sessions(0, Number.POSITIVE_INFINITY).rows;
}

function toPage<T>(rows: readonly T[], offset: number, limit: number): ListPage<T> {
  return { total: rows.length, rows: rows.slice(offset, offset + limit) };
}
