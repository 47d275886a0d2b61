import { basename } from 'node:path';
import { mostSevere } from '../../report-model/session-findings.ts';
import type { SessionEntry } from '../../report-model/sessions-table.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';

/** A session in the overview. */
export interface OverviewEntry extends SessionEntry {
  readonly view: SessionResultsView;
}

export function overviewEntry(view: SessionResultsView): OverviewEntry {
  const { row, file, failures, detail } = view;
  const worst = mostSevere(failures);
  const { calls = null, tokens = null, cost = null, durationMs = null } = detail.facts ?? {};
  return {
    view,
    key: row.key,
    id: row.id,
    fileName: basename(file),
    task: detail.report.task,
    headline: row.headline,
    worst: worst ? { severity: worst.severity, title: worst.title } : null,
    problems: row.problems,
    labels: new Set(failures.map(({ label }) => label)),
    rules: new Set(failures.flatMap(({ rule }) => rule ?? [])),
    turns: row.turns,
    calls,
    tokens,
    cost,
    durationMs,
    risk: row.risk,
  };
}
