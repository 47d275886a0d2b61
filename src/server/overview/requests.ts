import { dirname, relative } from 'node:path';
import { onRequest } from '../../protocol/rpc.ts';
import {
  MAX_FILTER_LENGTH,
  type OverviewChoice,
  type OverviewRow,
  type OverviewScores,
  type OverviewSessionRow,
  type OverviewSummary,
  type OverviewTaskRow,
  overviewRows,
  overviewScores,
  overviewSummary,
} from '../../protocol/sessions-overview.ts';
import { completionOf, scoreDistributions } from '../../report-model/score-distributions.ts';
import { countKinds, countNames, filledColumns, worstKind } from '../../report-model/sessions-table.ts';
import type { Feature } from '../context.ts';
import { isInside, uriToPath } from '../disk/paths.ts';
import { finiteOrNull, limitName, limitSentence } from '../report/values.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { OverviewEntry } from './entries.ts';
import { type OverviewTableRow, type OverviewTasks, SessionListing, taskKey } from './session-listing.ts';

/** Labels and rules offered as filters. */
const MAX_CHOICES = 200;
/** Changes that a tooltip names. */
const MAX_LIKELY = 5;

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
      rows: rows.slice(offset, offset + limit).map((row) => overviewRow(row, bySession, results, roots)),
    };
  });
  onRequest(connection, overviewSummary, ({ scope }) => {
    const path = scopePath(scope);
    return summarizeOverview(listing.inScope(path), listing.tasks(path));
  });
  onRequest(connection, overviewScores, ({ scope }) => {
    const path = scopePath(scope);
    return scoresOf(listing.tasks(path), listing.inScope(path));
  });
  return {};
};

function scopePath(scope: string | null): string | null {
  return scope === null ? null : uriToPath(scope);
}

/** @param roots the folders that the paths of files are relative to. */
function overviewRow(
  row: OverviewTableRow,
  bySession: OverviewTasks['bySession'],
  results: EvaluationResults,
  roots: readonly string[],
): OverviewRow {
  if (row.type === 'task') return taskRow(row);
  const { entry, isAttempt } = row;
  const standsOut = bySession.get(entry.key)?.agreement?.standOut.includes(entry.key) ?? false;
  return { ...sessionRow(entry, results, roots), isAttempt, standsOut };
}

function taskRow({ task, matching, isExpanded }: Extract<OverviewTableRow, { type: 'task' }>): OverviewTaskRow {
  const { name, sessions, succeeded, known, estimates, agreement, strategy } = task;
  return {
    type: 'task',
    key: taskKey(task),
    name: limitName(name),
    kind: worstKind(matching),
    attempts: sessions.length,
    matching: matching.length,
    succeeded,
    known,
    estimates,
    agreement: agreement && {
      attempts: agreement.attempts,
      agreeing: agreement.agreeing,
      standOut: agreement.standOut.length,
      likely: agreement.likely?.slice(0, MAX_LIKELY).map(limitSentence) ?? null,
    },
    strategy,
    isExpanded,
  };
}

function sessionRow(
  entry: OverviewEntry,
  results: EvaluationResults,
  roots: readonly string[],
): Omit<OverviewSessionRow, 'isAttempt' | 'standsOut'> {
  const { view, key, id, fileName, task, headline, worst, problems, turns, calls, tokens, cost, durationMs, risk } =
    entry;
  return {
    type: 'session',
    key,
    id: limitName(id),
    file: limitName(fileName),
    folder: relativeFolder(view.file, roots),
    task: task && {
      name: limitName([task.dataset, task.id, task.agent].filter((part) => part !== null).join(' · ')),
      attempt: task.trial === null ? null : limitName(task.trial),
    },
    headline: { ...headline, text: limitSentence(headline.text) },
    worst: worst && { ...worst, title: limitName(worst.title) },
    problems,
    turns,
    calls,
    tokens: tokens === null ? null : finiteOrNull(tokens),
    cost: cost === null ? null : finiteOrNull(cost),
    durationMs: durationMs === null ? null : finiteOrNull(durationMs),
    risk,
    riskLevel: view.row.riskLevel,
    state: results.sessionRow(view).state,
    isRunning: view.row.turnsDone !== null,
  };
}

function relativeFolder(file: string, roots: readonly string[]): string | null {
  const root = roots.filter((folder) => isInside(file, folder)).sort((a, b) => b.length - a.length)[0];
  const folder = root === undefined ? '' : relative(root, dirname(file));
  return folder === '' ? null : limitName(folder);
}

function summarizeOverview(entries: readonly OverviewEntry[], { tasks }: OverviewTasks): OverviewSummary {
  return {
    sessions: entries.length,
    kinds: countKinds(entries),
    running: entries.filter(({ view }) => view.row.turnsDone !== null).length,
    labels: choices(entries, ({ labels }) => labels),
    rules: choices(entries, ({ rules }) => rules),
    columns: filledColumns(entries),
    tasks: tasks.length,
  };
}

function choices(
  entries: readonly OverviewEntry[],
  namesOf: (entry: OverviewEntry) => Iterable<string>,
): OverviewChoice[] {
  const all = countNames(entries, namesOf).filter(({ name }) => name.length <= MAX_FILTER_LENGTH);
  return all.slice(0, MAX_CHOICES);
}

function scoresOf({ summary }: OverviewTasks, entries: readonly OverviewEntry[]): OverviewScores {
  const finished = entries.filter(({ view }) => view.row.turnsDone === null);
  const reports = finished.map(({ view }) => view.detail.report);
  const known = finished.flatMap(({ view: { detail } }) =>
    detail.facts ? [{ report: detail.report, facts: detail.facts }] : [],
  );
  return {
    distributions: scoreDistributions(reports).map((one) => ({ ...one, metric: limitName(one.metric) })),
    completion: completionOf(known),
    attempts: summary,
  };
}
