import { isObject } from '../../core/json.ts';
import type { ResultsByMetric as Metrics } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { scoreText } from '../wording/inline-text.ts';
import { escaped } from '../wording/markdown.ts';

/** A file may carry any number of scores. */
const MOST = 40;
const LONGEST_NAME = 60;

export type Scored = readonly [metric: string, result: Result];

/** What is shown of a turn or a session: those below their threshold first. */
export function scoresOf(metrics: Metrics): readonly Scored[] {
  const scored = Object.entries(metrics).filter(([, { status, implied }]) => isScore(status) && !implied);
  return scored.toSorted(([, a], [, b]) => rank(a) - rank(b));
}

/**
 * Scores as a Markdown list.
 *
 * @param evidenceOf links to what a score rests on, as Markdown.
 */
export function scoreLines(scores: readonly Scored[], evidenceOf: (scored: Scored) => readonly string[]): string {
  const lines = scores.slice(0, MOST).map((scored) => `- ${scoreLine(scored)}${links(evidenceOf(scored))}`);
  const more = scores.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function links(evidence: readonly string[]): string {
  return evidence.length === 0 ? '' : ` (${evidence.join(', ')})`;
}

function scoreLine([name, result]: Scored): string {
  const { status, threshold, passed, band, reason, judge } = result;
  const about = [
    ...(threshold === null ? [] : [`threshold ${threshold}`]),
    ...(band ? [escaped(band.name)] : []),
    ...(status === 'vacuous' ? ['nothing to judge'] : []),
    ...capOf(result),
    ...(judge === undefined ? sourceOf(result) : [`judged by ${escaped(judge, LONGEST_NAME)}`]),
  ].join(', ');
  const head = `${passed === false ? '✗ ' : ''}${escaped(name, LONGEST_NAME)} **${escaped(scoreText(result))}**`;
  return `${head}${about === '' ? '' : ` (${about})`}${reason === null ? '' : `: ${escaped(reason)}`}`;
}

/** What is proven may leave less of a score than the judge gave. */
function capOf({ source, metadata: { cap } }: Result): string[] {
  if (source !== 'judge' || !isObject(cap) || typeof cap.judged !== 'number') return [];
  return [`capped: the judge gave ${cap.judged.toFixed(2)}`];
}

const SOURCES: ReadonlyMap<Result['source'], string> = new Map([
  ['rules', 'by rules'],
  ['judge', 'by a judge'],
  ['embedding', 'by embeddings'],
  ['reference', 'against the reference'],
  ['aggregate', 'over its turns'],
  ['imported', 'from the file'],
]);

function sourceOf({ source }: Result): string[] {
  const words = SOURCES.get(source);
  return words === undefined ? [] : [words];
}

/** How many metrics gave no score, in which way, and why the first of those that failed did; null where all gave one. */
export function unscoredLine(metrics: Metrics): string | null {
  const own = Object.values(metrics).filter(({ status, implied }) => WORDS.has(status) && !implied);
  if (own.length === 0) return null;
  const counts = Array.from(
    Map.groupBy(own, ({ status }) => status),
    ([status, all]) => `${all.length} ${WORDS.get(status)}`,
  );
  const reason = own.find(({ status }) => status === 'error')?.reason ?? null;
  return `*${counts.join(' · ')}*${reason === null ? '' : `: ${escaped(reason)}`}`;
}

/** `not_applicable` says nothing that is missing. */
const WORDS: ReadonlyMap<Result['status'], string> = new Map([
  ['error', 'failed to be asked'],
  ['cancelled', 'were cancelled'],
  ['needs_judge', 'need a judge'],
  ['needs_embedder', 'need an embedder'],
  ['needs_reference', 'need a reference'],
]);

function isScore(status: Result['status']): boolean {
  return status === 'scored' || status === 'vacuous';
}

function rank({ passed, status }: Result): number {
  if (passed === false) return 0;
  return status === 'scored' ? 1 : 2;
}
