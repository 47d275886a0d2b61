import { basename } from 'node:path';
import * as vscode from 'vscode';
import { sanitizeLine } from '../core/sanitize.ts';
import type { SessionRow } from '../protocol/messages.ts';
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

/** `risk 0.71` */
export function riskLabel({ risk }: Pick<SessionRow, 'risk'>): string[] {
  return risk === null ? [] : [vscode.l10n.t('risk {0}', risk.toFixed(2))];
}

/** `✗ 2 of 5 failed · 1 undecided · 1 unreadable`; null without results. */
export function verdictLabel({ failed, undecided, passed }: ResultsOutline['verdicts'], unreadable = 0): string | null {
  const total = failed + undecided + passed;
  const unread = unreadable === 0 ? [] : [vscode.l10n.t('{0} unreadable', unreadable)];
  if (total === 0) return unread[0] ?? null;
  const beside = failed > 0 && undecided > 0 ? [vscode.l10n.t('{0} undecided', undecided)] : [];
  return [worstVerdictLabel({ failed, undecided, total }), ...beside, ...unread].join(' · ');
}

function worstVerdictLabel({ failed, undecided, total }: { failed: number; undecided: number; total: number }): string {
  if (failed > 0) return vscode.l10n.t('✗ {0} of {1} failed', failed, total);
  if (undecided > 0) return vscode.l10n.t('? {0} of {1} undecided', undecided, total);
  return vscode.l10n.t('✓ {0} passed', total);
}

/** The judges of the results. */
export function judgeLabel(judges: ResultsOutline['judges']): string {
  return judges.length === 0 ? vscode.l10n.t('rules only') : judges.map(escapeLabel).join(', ');
}
