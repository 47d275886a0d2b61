import { dirname, relative } from 'node:path';
import { overviewSession } from '../../panel/overview/entries.ts';
import { overviewScoresOf, summarizeOverview } from '../../panel/overview/summary.ts';
import { overviewRow } from '../../panel/overview/table.ts';
import { onRequest } from '../../protocol/rpc.ts';
import { overviewRows, overviewScores, overviewSummary } from '../../protocol/sessions-overview.ts';
import type { Feature } from '../context.ts';
import { isInside, uriToPath } from '../disk/paths.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import { type ListedSession, SessionListing } from './session-listing.ts';

/** Answers the requests of the sessions overview. */
export const overviewRequests: Feature = ({ connection, results, folders }) => {
  const listing = new SessionListing(results);
  onRequest(connection, overviewRows, ({ scope, offset, limit, ...query }) => {
    const path = scopePath(scope);
    const { matching, rows } = listing.table(path, query);
    const { bySession } = listing.tasks(path);
    const roots = path === null ? [...folders] : [path];
    return {
      total: rows.length,
      matching,
      rows: rows
        .slice(offset, offset + limit)
        .map((row) => overviewRow(row, bySession, (entry) => sessionRow(entry, results, roots))),
    };
  });
  onRequest(connection, overviewSummary, ({ scope }) => {
    const path = scopePath(scope);
    const entries = listing.inScope(path);
    return summarizeOverview(entries, entries.filter(isRunning).length, listing.tasks(path).tasks.length);
  });
  onRequest(connection, overviewScores, ({ scope }) => {
    const path = scopePath(scope);
    const views = listing.inScope(path).map(({ view }) => view);
    return overviewScoresOf(views, listing.tasks(path));
  });
  return {};
};

function scopePath(scope: string | null): string | null {
  return scope === null ? null : uriToPath(scope);
}

/** @param roots the folders that the paths of files are relative to. */
function sessionRow(
  entry: ListedSession,
  results: EvaluationResults,
  roots: readonly string[],
): ReturnType<typeof overviewSession> {
  const { view } = entry;
  return overviewSession(entry, {
    folder: relativeFolder(view.file, roots),
    riskLevel: view.row.riskLevel,
    state: results.sessionRow(view).state,
    isRunning: isRunning(entry),
  });
}

function isRunning({ view }: ListedSession): boolean {
  return view.row.turnsDone !== null;
}

function relativeFolder(file: string, roots: readonly string[]): string | null {
  const root = roots.filter((folder) => isInside(file, folder)).sort((a, b) => b.length - a.length)[0];
  return root === undefined ? null : relative(root, dirname(file));
}
