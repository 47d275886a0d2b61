import * as vscode from 'vscode';
import type { AttemptRow, RunningScenario } from '../../protocol/scenarios.ts';
import { escapeLabel } from '../labels.ts';

/** Slow to make. */
const COMPACT = new Intl.NumberFormat(vscode.env.language, { notation: 'compact', maximumFractionDigits: 1 });

/** `2/3 · pass^2 0.33 · 1.2K tokens · outdated`, or `1/2 · 1 pending · 0.8K tokens` */
export function describeScenario({ attempts, allPass, isStale, pending = 0 }: RunningScenario): string {
  const passed = attempts.filter(({ verdict }) => verdict === 'passed').length;
  return [
    `${passed}/${attempts.length}`,
    ...(pending > 0 ? [vscode.l10n.t('{0} pending', pending)] : []),
    ...(allPass && pending === 0 ? [`pass^${allPass.k} ${allPass.value.toFixed(2)}`] : []),
    ...describeTokens(attempts),
    ...(isStale ? [vscode.l10n.t('outdated')] : []),
  ].join(' · ');
}

/** `Failed: no call of refund_order · 4 turns · 1.2K tokens` */
export function describeAttempt(attempt: AttemptRow): string {
  const turns = attempt.turns === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{0} turns', attempt.turns);
  return [escapeLabel(attempt.headline.text), turns, ...describeTokens([attempt])].join(' · ');
}

/** @param isCompared whether several agents made the attempts of the scenario. */
export function attemptLabel({ trial, agent }: Pick<AttemptRow, 'trial' | 'agent'>, isCompared: boolean): string {
  const label = vscode.l10n.t('Attempt {0}', trial);
  return isCompared ? `${label} · ${escapeLabel(agent)}` : label;
}

/** Nothing where no attempt says how many it took. */
function describeTokens(attempts: readonly AttemptRow[]): string[] {
  if (attempts.every(({ tokens }) => tokens === null)) return [];
  const total = attempts.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
  return [vscode.l10n.t('{0} tokens', COMPACT.format(total))];
}
