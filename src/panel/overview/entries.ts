import { basename } from 'node:path';
import type { Severity } from '../../core/severity.ts';
import type { OverviewSessionRow } from '../../protocol/sessions-overview.ts';
import { mostSevere } from '../../report-model/session-findings.ts';
import type { SessionEntry } from '../../report-model/sessions-table.ts';
import type { PanelSession } from '../panel-session.ts';
import { finiteOrNull, limitName, limitSentence } from '../values.ts';
import type { OverviewSession } from './table.ts';

/** A problem, as far as the overview shows it. */
interface OverviewProblem {
  readonly title: string;
  readonly severity: Severity;
  readonly label: string;
  readonly rule: string | null;
}

/** @param problems of the session. */
export function overviewEntry({ row, file, detail }: PanelSession, problems: readonly OverviewProblem[]): SessionEntry {
  const worst = mostSevere(problems);
  const { calls = null, tokens = null, cost = null, durationMs = null } = detail.facts ?? {};
  return {
    key: row.key,
    id: row.id,
    fileName: basename(file),
    task: detail.report.task,
    headline: row.headline,
    worst: worst ? { severity: worst.severity, title: worst.title } : null,
    problems: row.problems,
    labels: new Set(problems.map(({ label }) => label)),
    rules: new Set(problems.flatMap(({ rule }) => rule ?? [])),
    turns: row.turns,
    calls,
    tokens,
    cost,
    durationMs,
    risk: row.risk,
  };
}

/** @param folder of its file, relative to what is shown; null: the same. */
export function overviewSession(
  { key, id, fileName, task, headline, worst, problems, turns, calls, tokens, cost, durationMs, risk }: SessionEntry,
  {
    folder,
    ...state
  }: Pick<OverviewSessionRow, 'state' | 'isRunning' | 'riskLevel'> & { readonly folder: string | null },
): OverviewSession {
  return {
    type: 'session',
    key,
    id: limitName(id),
    file: limitName(fileName),
    folder: folder === null || folder === '' ? null : limitName(folder),
    task: task && {
      name: limitName(task.id),
      of: limitName([task.dataset, task.agent].filter((part) => part !== null).join(' · ')) || null,
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
    ...state,
  };
}
