import type { Result } from '../core/result.ts';
import { scoreText } from './inline-text.ts';
import { escaped, paragraph } from './markdown.ts';

/** The scores of a turn as a Markdown list: those below their threshold first. */
export function scoreLines(metrics: Readonly<Record<string, Result>>): string[] {
  const shown = Object.entries(metrics).filter(([, { status, implied }]) => isScore(status) && !implied);
  return shown.toSorted(([, a], [, b]) => rank(a) - rank(b)).map(([name, result]) => `- ${scoreLine(name, result)}`);
}

function scoreLine(name: string, result: Result): string {
  const { status, threshold, passed, band, reason } = result;
  const mark = passed === false ? '✗ ' : '';
  const bound = threshold === null ? '' : ` (threshold ${threshold})`;
  const about = [band ? escaped(band.name) : '', status === 'vacuous' ? 'nothing to judge' : ''].filter(Boolean);
  const words = [...about, ...(reason === null ? [] : [paragraph(reason)])].join(': ');
  return `${mark}${escaped(name)} **${escaped(scoreText(result))}**${bound}${words === '' ? '' : `: ${words}`}`;
}

/** How many metrics gave no score, and in which way; null where all did. */
export function unscoredLine(metrics: Readonly<Record<string, Result>>): string | null {
  const silent = Map.groupBy(
    Object.values(metrics).filter(({ status }) => WORDS.has(status)),
    ({ status }) => status,
  );
  if (silent.size === 0) return null;
  return `*${Array.from(silent, ([status, all]) => `${all.length} ${WORDS.get(status)}`).join(' · ')}*`;
}

/** `not_applicable` says nothing that is missing. */
const WORDS: ReadonlyMap<Result['status'], string> = new Map([
  ['needs_judge', 'need a judge'],
  ['needs_embedder', 'need an embedder'],
  ['needs_reference', 'need a reference'],
  ['error', 'failed to be asked'],
  ['cancelled', 'were cancelled'],
]);

function isScore(status: Result['status']): boolean {
  return status === 'scored' || status === 'vacuous';
}

function rank({ passed, status }: Result): number {
  if (passed === false) return 0;
  return status === 'scored' ? 1 : 2;
}
