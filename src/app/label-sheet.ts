import Papa from 'papaparse';
import type { JudgeLabel, Label } from '../core/judge-labels.ts';
import { sanitizeText } from '../core/sanitize.ts';
import type { Session, Turn } from '../core/session.ts';
import { turnTexts } from '../report-model/transcript/turn-texts.ts';
import { type JudgedMetric, type JudgedResult, toLabel } from '../runs/calibration/judged-results.ts';

/** A result to label, beside what it is about. Nothing in it tells what the judge said. */
export interface SheetRow {
  readonly result: JudgedResult;
  /** What is asked about it. */
  readonly asks: string;
  /** Null where the session cannot be read any more. */
  readonly session: Session | null;
}

/** The columns of a sheet. Only `id`, `label` and `note` are read back. */
const COLUMNS = [
  'label',
  'note',
  'asks',
  'user',
  'agent',
  'steps',
  'metric',
  'file',
  'line',
  'session',
  'turn',
  'judge',
  'question',
  'id',
];

/** Spreadsheets cut longer cells. */
const MAX_CELL = 30_000;

/** What a spreadsheet would run as a formula, and the quote that keeps it from doing so. */
const ACTIVE = /^['=+\-@\t\r]/;
const QUOTED = /^'(?=['=+\-@\t\r])/;

/** A sheet to fill in, as CSV that spreadsheets open. */
export function labelSheet(rows: readonly SheetRow[]): string {
  const data = rows.map(({ result, asks, session }) => {
    const turns =
      session === null ? [] : result.turn === null ? session.turns : session.turns.slice(result.turn, result.turn + 1);
    const { metric, file, line, session: id, turn, judge, question } = result;
    return [
      '',
      '',
      asks,
      cell(turns.flatMap(({ input }) => input ?? [])),
      cell(turns.flatMap(({ output }) => output ?? [])),
      cell(turns.flatMap(stepTexts)),
      metric,
      file,
      line ?? '',
      id,
      turn === null ? '' : turn + 1,
      judge,
      question,
      result.id,
    ].map((value) => quoted(String(value)));
  });
  // The mark tells spreadsheets that the text is UTF-8.
  return `\uFEFF${Papa.unparse([COLUMNS, ...data], { newline: '\r\n' })}\r\n`;
}

function stepTexts(turn: Turn): string[] {
  return Array.from(turnTexts(turn)).flatMap(({ step, field, text }) => {
    const own = step === null ? undefined : turn.steps[step];
    if (!own) return [];
    return own.type === 'tool' ? [`${own.name} ${field}: ${text}`] : [`${field}: ${text}`];
  });
}

function cell(texts: readonly string[]): string {
  return sanitizeText(texts.join('\n\n'), MAX_CELL);
}

function quoted(value: string): string {
  return ACTIVE.test(value) ? `'${value}` : value;
}

function unquoted(value: string): string {
  return value.replace(QUOTED, '');
}

/** Something in a sheet that was not taken over: a sentence with its line. */
export interface SheetProblem {
  /** One-based. */
  readonly line: number;
  readonly message: string;
}

/** What was read from a sheet that somebody filled in. */
export interface ReadSheet {
  readonly labels: readonly JudgeLabel[];
  /** Rows without a label. */
  readonly empty: number;
  readonly problems: readonly SheetProblem[];
}

const YES = new Set(['pass', 'passed', 'p', 'yes', 'y', 'ja', 'j', 'true', '1', 'ok', 'good']);
const NO = new Set(['fail', 'failed', 'f', 'no', 'n', 'nein', 'false', '0', '2', 'bad']);

/**
 * Reads labels. Any delimiter that spreadsheets write is understood. A row whose id is of no result of the run is not taken over:
 * it is of another judge, another question, or a session that changed.
 *
 * @param at when, ISO 8601.
 */
export function readLabelSheet(text: string, metrics: readonly JudgedMetric[], at: string): ReadSheet {
  const known = new Map(metrics.flatMap(({ results }) => results.map((result) => [result.id, result] as const)));
  const lines = rowLines(text);
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: false });
  const [head = [], ...rows] = data;
  const column = new Map(head.map((name, index) => [unquoted(name).trim().toLowerCase(), index]));
  const problems: SheetProblem[] = errors
    .filter(({ code }) => code !== 'UndetectableDelimiter')
    .map(({ row = 0, message }) => ({ line: lines(row), message: `${message}.` }));
  for (const name of ['id', 'label']) {
    if (!column.has(name)) problems.push({ line: 1, message: `There is no column "${name}". Export a sheet again.` });
  }
  if (problems.length > 0) return { labels: [], empty: 0, problems };
  const labels = new Map<string, JudgeLabel>();
  let empty = 0;
  for (const [index, row] of rows.entries()) {
    const value = (name: string) => unquoted(row[column.get(name) ?? -1] ?? '').trim();
    if (row.every((one) => one.trim() === '')) continue;
    const line = lines(index + 1);
    const word = value('label').toLowerCase();
    if (word === '') {
      empty += 1;
      continue;
    }
    const label: Label | null = YES.has(word) ? 'pass' : NO.has(word) ? 'fail' : null;
    const result = known.get(value('id'));
    if (label === null) {
      problems.push({ line, message: `The label is "${value('label')}". Write pass or fail.` });
    } else if (!result) {
      problems.push({ line, message: foreignMessage(value('metric'), value('judge'), value('question'), metrics) });
    } else if ((labels.get(result.id)?.label ?? label) !== label) {
      problems.push({ line, message: `This result has another label above. Keep one of the rows.` });
    } else {
      labels.set(result.id, toLabel(result, label, value('note'), at));
    }
  }
  return { labels: [...labels.values()], empty, problems };
}

/** Why the run has no such result. */
function foreignMessage(metric: string, judge: string, question: string, metrics: readonly JudgedMetric[]): string {
  const own = metrics.find((one) => one.metric === metric);
  if (!own)
    return `The run has no judged results of ${metric || 'this metric'}. Name the run that the sheet was made of.`;
  if (judge !== '' && judge !== own.judge) {
    return `This label is about the judge ${judge}, and ${own.judge} answered in this run. Name the run that the sheet was made of.`;
  }
  if (question !== '' && question !== own.question) {
    return `This label is about another version of the question of ${metric}. Name the run that the sheet was made of.`;
  }
  return 'The run has no such result: the session is not in it, or it changed. Name the run that the sheet was made of.';
}

/** The line where a row begins: cells may have line breaks. */
function rowLines(text: string): (row: number) => number {
  const starts: number[] = [1];
  let line = 1;
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character !== '\n') continue;
    line += 1;
    if (!isQuoted) starts.push(line);
  }
  return (row) => starts[row] ?? line;
}
