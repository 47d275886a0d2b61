import type { Result, Status } from '../../core/result.ts';
import { clamp } from '../../core/scale.ts';
import { formatScore } from '../../report-model/score-text.ts';
import { padEnd } from '../terminal-text.ts';
import type { TableStyle, TextTone } from './style.ts';

/** Marks of results without a score. */
const MARKS: Readonly<Record<Exclude<Status, 'scored' | 'vacuous'>, string>> = {
  needs_judge: '?',
  needs_embedder: '?',
  needs_reference: '?',
  not_applicable: '–',
  error: '!',
  cancelled: '×',
};

/** Explanations of the marks. */
export const LEGEND: readonly { readonly statuses: readonly Status[]; readonly text: string }[] = [
  {
    statuses: ['needs_judge', 'needs_embedder', 'needs_reference'],
    text: '? not scored',
  },
  { statuses: ['not_applicable'], text: '– not applicable' },
  { statuses: ['error'], text: '! error' },
  { statuses: ['cancelled'], text: '× cancelled' },
  { statuses: ['vacuous'], text: '(1.00) ▯▯ nothing to judge' },
];

export function bar(score: number, scale: Result['scale'], cells: number): string {
  const [min, max] = scale ?? [0, 1];
  const filled = Math.round(clamp((score - min) / ((max ?? min + 1) - min), 0, 1) * cells);
  return '▮'.repeat(filled) + '▯'.repeat(cells - filled);
}

/** Width of a score, with room for the parentheses of a vacuous one. */
const SCORE_WIDTH = 6;

/** A cell of a table: ` 0.31  ▮▮▮▯▯▯▯▯`, `(1.00) ▯▯▯▯▯▯▯▯` if there was nothing to judge, or a mark. */
export function cell(result: Result | undefined, columns: number, style: TableStyle): string {
  if (result && result.status !== 'scored') style.statusesShown.add(result.status);
  const [text, tone] = content(result, style.terminal ? columns - SCORE_WIDTH - 1 : 0);
  return style.paint(padEnd(text, columns), tone);
}

function content(result: Result | undefined, cells: number): [string, TextTone] {
  if (!result) return ['', 'normal'];
  if (result.status !== 'scored' && result.status !== 'vacuous') return [` ${MARKS[result.status]}`, 'quiet'];
  if (result.score === null) return [` ${result.label ?? ''}`, 'normal'];
  const text = formatScore(result.score, result.scale);
  if (result.status === 'vacuous') return [`(${text}) ${'▯'.repeat(cells)}`, 'quiet'];
  return [` ${text}  ${bar(result.score, result.scale, cells)}`, toneOf(result)];
}

/** Only scores below their threshold are highlighted. */
function toneOf({ passed }: Result): TextTone {
  return passed === false ? 'bad' : 'normal';
}

/** Thirds of the scale: good, doubtful, bad. */
export function riskTone(risk: number): TextTone {
  if (risk < 1 / 3) return 'good';
  return risk < 2 / 3 ? 'doubtful' : 'bad';
}

/** `0.71 ▮▮▮▮▮▮▮▯▯▯`; without its bar in a pipe. */
export function meter(score: number, cells: number, tone: TextTone, { paint, terminal }: TableStyle): string {
  return paint(`${score.toFixed(2)}${terminal ? ` ${bar(score, [0, 1], cells)}` : ''}`, tone);
}

/** Width of a meter in columns. */
export function meterWidth(cells: number, { terminal }: TableStyle): number {
  return terminal ? 5 + cells : 4;
}
