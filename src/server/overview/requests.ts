import { dirname, relative } from 'node:path';
import { onRequest } from '../../protocol/rpc.ts';
import {
  MAX_FILTER_LENGTH,
  type OverviewChoice,
  type OverviewRow,
  type OverviewSummary,
  overviewRows,
  overviewSummary,
} from '../../protocol/sessions-overview.ts';
import { riskLevel } from '../../report-model/risk-level.ts';
import { countKinds, countNames, filledColumns } from '../../report-model/sessions-table.ts';
import type { Feature } from '../context.ts';
import { isInside, uriToPath } from '../disk/paths.ts';
import { finiteOrNull, limitName, limitSentence } from '../report/values.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { OverviewEntry } from './entries.ts';
import { SessionListing } from './session-listing.ts';

/** Labels and rules offered as filters. */
const MAX_CHOICES = 200;

/** Answers the requests of the sessions overview. */
export const overviewRequests: Feature = ({ connection, results, folders }) => {
  const listing = new SessionListing(results);
  onRequest(connection, overviewRows, ({ scope, sort, filter, offset, limit }) => {
    const path = scopePath(scope);
    const found = listing.find(path, { sort, filter });
    const roots = path === null ? [...folders] : [path];
    return {
      total: found.length,
      rows: found.slice(offset, offset + limit).map((entry) => overviewRow(entry, results, roots)),
    };
  });
  onRequest(connection, overviewSummary, ({ scope }) => summarizeOverview(listing.inScope(scopePath(scope))));
  return {};
};

function scopePath(scope: string | null): string | null {
  return scope === null ? null : uriToPath(scope);
}

/** @param roots the folders that the paths of files are relative to. */
function overviewRow(entry: OverviewEntry, results: EvaluationResults, roots: readonly string[]): OverviewRow {
  const { view, key, id, fileName, task, headline, worst, problems, turns, calls, tokens, durationMs, risk } = entry;
  return {
    key,
    id: limitName(id),
    file: limitName(fileName),
    folder: relativeFolder(view.file, roots),
    task: task && {
      name: limitName([task.dataset, task.id, task.agent].filter((part) => part !== null).join(' · ')),
      attempt: task.trial === null ? null : limitName(task.trial),
    },
    headline: { ...headline, text: limitSentence(headline.text) },
    worst: worst && { ...worst, label: limitName(worst.label) },
    problems,
    turns,
    calls,
    tokens: tokens === null ? null : finiteOrNull(tokens),
    durationMs: durationMs === null ? null : finiteOrNull(durationMs),
    risk,
    riskLevel: riskLevel(risk),
    state: results.sessionRow(view).state,
    isRunning: view.row.turnsDone !== null,
  };
}

function relativeFolder(file: string, roots: readonly string[]): string | null {
  const root = roots.filter((folder) => isInside(file, folder)).sort((a, b) => b.length - a.length)[0];
  const folder = root === undefined ? '' : relative(root, dirname(file));
  return folder === '' ? null : limitName(folder);
}

function summarizeOverview(entries: readonly OverviewEntry[]): OverviewSummary {
  return {
    sessions: entries.length,
    kinds: countKinds(entries),
    running: entries.filter(({ view }) => view.row.turnsDone !== null).length,
    labels: choices(entries, ({ labels }) => labels),
    rules: choices(entries, ({ rules }) => rules),
    columns: filledColumns(entries),
  };
}

function choices(
  entries: readonly OverviewEntry[],
  namesOf: (entry: OverviewEntry) => Iterable<string>,
): OverviewChoice[] {
  const all = countNames(entries, namesOf).filter(({ name }) => name.length <= MAX_FILTER_LENGTH);
  return all.slice(0, MAX_CHOICES);
}
