import * as l10n from '@vscode/l10n';
import type { ResultsByMetric as Metrics } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { isScore } from '../../core/statuses.ts';
import { escapeMarkdown } from '../../panel/text/markdown.ts';
import { type NamedResult, ownResults } from '../../report-model/metric-results.ts';
import { scoreCap } from '../../report-model/score-cap.ts';
import { formatScore } from '../text/inline-text.ts';

/** A file may contain any number of scores. */
const MAX_SCORES = 40;
const MAX_NAME_LENGTH = 60;

/** The scores of a turn or a session, those below their threshold first. */
export function rankScores(metrics: Metrics): readonly NamedResult[] {
  const scored = ownResults(metrics).filter(([, { status }]) => isScore(status));
  return scored.toSorted(([, a], [, b]) => scoreRank(a) - scoreRank(b));
}

/**
 * Scores as a Markdown list.
 *
 * @param evidenceOf links to a score's evidence, as Markdown.
 */
export function scoreLines(
  scores: readonly NamedResult[],
  evidenceOf: (scored: NamedResult) => readonly string[],
): string {
  const lines = scores
    .slice(0, MAX_SCORES)
    .map((scored) => `- ${scoreLine(scored)}${evidenceLinks(evidenceOf(scored))}`);
  const more = scores.length - lines.length;
  return [...lines, ...(more > 0 ? [`- ${l10n.t('and {0} more', more)}`] : [])].join('\n');
}

function evidenceLinks(evidence: readonly string[]): string {
  return evidence.length === 0 ? '' : ` (${evidence.join(', ')})`;
}

function scoreLine([name, result]: NamedResult): string {
  const { status, threshold, passed, band, reason, judge } = result;
  const about = [
    ...(threshold === null ? [] : [l10n.t('threshold {0}', threshold)]),
    ...(band ? [escapeMarkdown(band.name)] : []),
    ...(status === 'vacuous' ? [l10n.t('nothing to judge')] : []),
    ...capText(result),
    ...(judge === undefined ? sourceText(result) : [l10n.t('judged by {0}', escapeMarkdown(judge, MAX_NAME_LENGTH))]),
  ].join(', ');
  const head = `${passed === false ? '✗ ' : ''}${escapeMarkdown(name, MAX_NAME_LENGTH)} **${escapeMarkdown(formatScore(result))}**`;
  return `${head}${about === '' ? '' : ` (${about})`}${reason === null ? '' : `: ${escapeMarkdown(reason)}`}`;
}

/** A finding may have capped the judge's score. */
function capText(result: Result): string[] {
  const cap = result.source === 'judge' ? scoreCap(result) : null;
  return cap === null ? [] : [l10n.t('capped: the judge gave {0}', cap.judged.toFixed(2))];
}

const SOURCE_TEXT: ReadonlyMap<Result['source'], string> = new Map([
  ['rules', l10n.t('by rules')],
  ['judge', l10n.t('by a judge')],
  ['embedding', l10n.t('by embeddings')],
  ['reference', l10n.t('against the reference')],
  ['aggregate', l10n.t('over its turns')],
  ['imported', l10n.t('from the file')],
]);

function sourceText({ source }: Result): string[] {
  const words = SOURCE_TEXT.get(source);
  return words === undefined ? [] : [words];
}

/** How many metrics have no score, by status, and the first error; null where all have one. */
export function unscoredLine(metrics: Metrics): string | null {
  const own = Object.values(metrics).filter(({ status, implied }) => STATUS_TEXT.has(status) && !implied);
  if (own.length === 0) return null;
  const counts = Array.from(
    Map.groupBy(own, ({ status }) => status),
    ([status, all]) => `${all.length} ${STATUS_TEXT.get(status)}`,
  );
  const reason = own.find(({ status }) => status === 'error')?.reason ?? null;
  return `*${counts.join(' · ')}*${reason === null ? '' : `: ${escapeMarkdown(reason)}`}`;
}

/** `not_applicable` is left out: nothing is missing. */
const STATUS_TEXT: ReadonlyMap<Result['status'], string> = new Map([
  ['error', l10n.t('failed')],
  ['cancelled', l10n.t('cancelled')],
  ['needs_judge', l10n.t('need a judge')],
  ['needs_embedder', l10n.t('need an embedder')],
  ['needs_reference', l10n.t('need a reference')],
  ['needs_attempts', l10n.t('need other attempts')],
]);

function scoreRank({ passed, status }: Result): number {
  if (passed === false) return 0;
  return status === 'scored' ? 1 : 2;
}
