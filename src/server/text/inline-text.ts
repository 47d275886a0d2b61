import * as l10n from '@vscode/l10n';
import type { Result } from '../../core/result.ts';
import { formatScoreWithScale } from '../../core/score-text.ts';
import type { RiskLevel } from '../../core/statuses.ts';
import { visibleText } from '../../panel/text/visible-text.ts';
import type { SessionRow, StaleCause } from '../../protocol/messages.ts';
import { inSentence } from '../../report-model/problem-titles.ts';
import type { TurnSummary } from '../../report-model/turn-summary.ts';

/** One-line texts of lenses and hints. Text of a trace in them is inert. */

const MARK = {
  failed: '✗',
  undecided: '?',
  problems: '!',
  'not-run': '–',
  clean: '○',
  succeeded: '✓',
} as const satisfies Record<SessionRow['headline']['kind'], string>;

const RISK_TEXT = {
  low: l10n.t('risk Low'),
  elevated: l10n.t('risk Elevated'),
  high: l10n.t('risk High'),
} as const satisfies Record<RiskLevel, string>;

/** Limit of a label or a name. */
const MAX_NAME_LENGTH = 60;
/** Limit of a headline; the results show all of it. */
const MAX_HEADLINE_LENGTH = 160;
/** Further labels are only counted. */
const MAX_LABELS = 4;

const STALE_TEXT = {
  file: l10n.t('outdated: file changed'),
  configuration: l10n.t('outdated: configuration changed'),
  sidecar: l10n.t('outdated: sidecar changed'),
  judge: l10n.t('outdated: judged scores'),
  unknown: l10n.t('outdated: file or configuration changed'),
} as const satisfies Record<NonNullable<StaleCause> | 'unknown', string>;

/** `✗ Failed: reward 0.0 in the trace · risk High` */
export function headlineText(row: SessionRow): string {
  const { headline, riskLevel, state, changed, turnsDone, turns, problems } = row;
  if (turnsDone !== null) {
    return [l10n.t('evaluating: {0} of {1}', turnsDone, countTurns(turns)), ...problemsSoFar(problems)].join(' · ');
  }
  return [
    `${MARK[headline.kind]} ${safeText(headline.text, MAX_HEADLINE_LENGTH)}`,
    ...(riskLevel === null ? [] : [RISK_TEXT[riskLevel]]),
    ...(state === 'stale' ? [STALE_TEXT[changed ?? 'unknown']] : []),
  ].join(' · ');
}

/** For an evaluation that goes on. */
export function problemsSoFar(count: number): string[] {
  if (count === 0) return [];
  return [count === 1 ? l10n.t('1 problem so far') : l10n.t('{0} problems so far', count)];
}

function countTurns(count: number): string {
  return count === 1 ? l10n.t('1 turn') : l10n.t('{0} turns', count);
}

/** Whether anything counts against a turn: a built-in threshold only marks a score as low. */
export function hasProblem({ failures, missed }: TurnSummary<unknown, unknown>): boolean {
  return failures.length > 0 || missed !== null;
}

/** `✗ failed call repeated unchanged: refund_order · tool_correctness 0.50 / 1`, of a turn with problems. */
export function turnTitle({ index, failures, ...scores }: TurnSummary<{ readonly title: string }, unknown>): string {
  const labels = joinLabels(failures.map(({ title }) => safeName(inSentence(title))));
  const worst = failures.length > 0 ? (scores.missed ?? scores.worst) : scores.missed;
  const score = worst ? `${safeName(worst.metric)} ${formatScore(worst.result)}` : null;
  // The problem of a lens that is still on screen may be gone.
  if (labels === null && score === null) return l10n.t('turn {0}: no problems', index + 1);
  return [`✗ ${labels ?? l10n.t('below its threshold')}`, ...(score === null ? [] : [score])].join(' · ');
}

function joinLabels(all: readonly string[]): string | null {
  const labels = [...new Set(all)];
  const more = labels.length - MAX_LABELS;
  return labels.length === 0
    ? null
    : [...labels.slice(0, MAX_LABELS), ...(more > 0 ? [l10n.t('{0} more', more)] : [])].join(', ');
}

/** A label or a metric's name; those of custom metrics and imported files are untrusted. */
export function safeName(name: string): string {
  return safeText(name, MAX_NAME_LENGTH);
}

/** Editors render `$(name)` as an icon. */
function safeText(text: string, longest: number): string {
  return visibleText(text, longest).replaceAll('$(', '$ (');
}

/** With the end of its scale: `0.40 / 1`. */
export function formatScore({ score, scale, label }: Pick<Result, 'score' | 'scale' | 'label'>): string {
  if (score !== null) return formatScoreWithScale(score, scale);
  return label === null ? '–' : safeName(label);
}
