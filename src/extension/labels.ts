import { basename } from 'node:path';
import * as vscode from 'vscode';
import { sanitizeLine } from '../core/sanitize.ts';
import type { RiskLevel } from '../core/statuses.ts';
import type { HeadlineCounts, SessionRow } from '../protocol/messages.ts';
import type { ResultsOutline } from '../protocol/results-outline.ts';

/** Labels that several views share. */

/** Text of a trace as a label: on one line, without icons or links. */
export function escapeLabel(text: string): string {
  return sanitizeLine(text).replaceAll('$(', '$ (').replaceAll('](', '] (');
}

/** The base name of a file, as a label. */
export function fileName(uri: string | vscode.Uri): string {
  return escapeLabel(basename((typeof uri === 'string' ? vscode.Uri.parse(uri) : uri).path));
}

const RISK_LABELS = {
  low: vscode.l10n.t('risk Low'),
  elevated: vscode.l10n.t('risk Elevated'),
  high: vscode.l10n.t('risk High'),
} as const satisfies Record<RiskLevel, string>;

/** `risk High`; nothing where it is unknown. */
export function riskLabel({ riskLevel }: Pick<SessionRow, 'riskLevel'>): string[] {
  return riskLevel === null ? [] : [RISK_LABELS[riskLevel]];
}

/** `2 failed · 1 undecided · 3 with problems · 1 unreadable`; null without results. */
export function headlinesLabel(counts: HeadlineCounts, unreadable = 0): string | null {
  const all = [
    ...labelCount(counts.failed, (count) => vscode.l10n.t('{0} failed', count)),
    ...labelCount(counts.undecided, (count) => vscode.l10n.t('{0} undecided', count)),
    ...labelCount(counts.problems, (count) => vscode.l10n.t('{0} with problems', count)),
    ...labelCount(counts['not-run'], (count) => vscode.l10n.t('{0} not run', count)),
    ...labelCount(counts.clean, (count) => vscode.l10n.t('{0} without problems', count)),
    ...labelCount(counts.succeeded, (count) => vscode.l10n.t('{0} succeeded', count)),
    ...labelCount(unreadable, (count) => vscode.l10n.t('{0} unreadable', count)),
  ];
  return all.length === 0 ? null : all.join(' · ');
}

function labelCount(count: number, label: (count: number) => string): string[] {
  return count === 0 ? [] : [label(count)];
}

export function countSessions(counts: HeadlineCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The judges of the results: `qwen3 (1 of 7), else rules only` where they judged some of the sessions. */
export function judgeLabel({
  judges,
  judged,
  headlines,
}: Pick<ResultsOutline, 'judges' | 'judged' | 'headlines'>): string {
  if (judges.length === 0) return vscode.l10n.t('rules only');
  const names = judges.map(escapeLabel).join(', ');
  const sessions = countSessions(headlines);
  return judged < sessions ? vscode.l10n.t('{0} ({1} of {2}), else rules only', names, judged, sessions) : names;
}
