import * as l10n from '@vscode/l10n';
import type { Result } from '../../core/result.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { SessionRow, StaleCause } from '../../protocol/messages.ts';
import type { TurnSummary } from '../../report-model/turn-summary.ts';
import { visibleText } from './visible-text.ts';

/** One-line texts of lenses and hints. Text of a trace in them is inert. */

const MARK = { passed: '✓', failed: '✗', undecided: '?' } as const satisfies Record<Verdict, string>;

const VERDICT_TEXT = {
  passed: l10n.t('passed'),
  failed: l10n.t('failed'),
  undecided: l10n.t('undecided'),
} as const satisfies Record<Verdict, string>;

/** Limit of a label or a name. */
const MAX_NAME_LENGTH = 60;
/** Limit of a reason; the results show all of it. */
const MAX_REASON_LENGTH = 120;
/** Further labels are only counted. */
const MAX_LABELS = 4;

const STALE_TEXT = {
  file: l10n.t('outdated: file changed'),
  configuration: l10n.t('outdated: configuration changed'),
  sidecar: l10n.t('outdated: sidecar changed'),
  unknown: l10n.t('outdated: file or configuration changed'),
} as const satisfies Record<NonNullable<StaleCause> | 'unknown', string>;

/** `✗ failed · risk 0.71 · 3 problems` */
export function sessionTitle({ verdict, risk, problems, state, changed, turnsDone, turns }: SessionRow): string {
  if (turnsDone !== null) return l10n.t('evaluating: {0} of {1}', turnsDone, countTurns(turns));
  // A check mark beside problems would look as if all were well.
  const mark = verdict === 'passed' && problems > 0 ? '!' : MARK[verdict];
  return [
    `${mark} ${VERDICT_TEXT[verdict]}`,
    ...(risk === null ? [] : [riskText(risk)]),
    ...(problems === 0 ? [] : [countProblems(problems)]),
    ...(state === 'stale' ? [STALE_TEXT[changed ?? 'unknown']] : []),
  ].join(' · ');
}

function riskText(risk: number): string {
  return l10n.t('risk {0}', risk.toFixed(2));
}

function countTurns(count: number): string {
  return count === 1 ? l10n.t('1 turn') : l10n.t('{0} turns', count);
}

function countProblems(count: number): string {
  return count === 1 ? l10n.t('1 problem') : l10n.t('{0} problems', count);
}

/** `: 2 questions got no answer`, after the title of an undecided session. */
export function undecidedSuffix({ verdict, why: [first], turnsDone }: SessionRow): string {
  if (verdict !== 'undecided' || turnsDone !== null || first === undefined) return '';
  return `: ${safeText(first, MAX_REASON_LENGTH)}`;
}

/** `✗ repeated tool call · tool_correctness 0.50`, or `turn 3 · risk 0.04` for a turn without problems. */
export function turnTitle({ index, risk, failures, worst }: TurnSummary<{ readonly label: string }, unknown>): string {
  const labels = joinLabels(failures.map(({ label }) => safeName(label)));
  const score = worst ? `${safeName(worst.metric)} ${formatScore(worst.result)}` : null;
  if (labels === null && score === null) {
    return [l10n.t('turn {0}', index + 1), ...(risk === null ? [] : [riskText(risk)])].join(' · ');
  }
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

export function formatScore({ score, label }: Pick<Result, 'score' | 'label'>): string {
  if (score !== null) return Number.isInteger(score) && score > 1 ? String(score) : score.toFixed(2);
  return label === null ? '–' : safeName(label);
}
