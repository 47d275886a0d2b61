import { padEnd, sanitizeLine, truncate } from '../text.ts';
import { meter, meterWidth, riskTone } from './figure.ts';
import { proofsOf } from './places.ts';
import { type Extent, nameOf, sessionLines } from './session.ts';
import { type LineLocator, plural, type Style, verdictMark, verdictTone } from './style.ts';
import { keyFigure, type SessionView } from './view.ts';

/** Up to so many sessions are shown one after the other, in input order; of more there is an overview first. */
const FEW = 20;
const ROWS = 40;
const EXPANDED = 5;
const ALONE: Extent = { turns: 60, complaints: 6, figures: Number.POSITIVE_INFINITY };
const ONE_OF_SEVERAL: Extent = { turns: 12, complaints: 3, figures: 3 };
/** A pipe gets more, since programs read it. */
const COMPLAINTS_IN_PIPE = 20;
const KEY_CELLS = 8;
const TURNS_WIDTH = 5;
const LABEL_WIDTH = 22;

export function* sessionsLines(views: readonly SessionView[], style: Style, locator?: LineLocator): Generator<string> {
  if (views.length <= FEW) {
    yield* expanded(views, views.length === 1 ? ALONE : ONE_OF_SEVERAL, style, locator);
    return;
  }
  const sorted = views.toSorted(worstFirst);
  yield '';
  yield* rows(sorted.slice(0, ROWS), style);
  if (sorted.length > ROWS) yield more(sorted.slice(ROWS), style);
  if (!style.terminal) return;
  const failing = sorted.filter(({ report }) => report.verdict === 'failed');
  yield* expanded(failing.slice(0, EXPANDED), ONE_OF_SEVERAL, style, locator);
  const left = failing.length - EXPANDED;
  if (left > 0) {
    yield '';
    yield style.paint(
      `and ${plural(left, 'more failed session')}; --session and an id show one, --format json all`,
      'quiet',
    );
  }
}

function* expanded(
  views: readonly SessionView[],
  extent: Extent,
  style: Style,
  locator: LineLocator | undefined,
): Generator<string> {
  const provenAt = proofsOf(
    views.filter(({ judged }) => judged).map(({ report }) => report),
    locator,
  );
  for (const view of views) {
    yield '';
    yield* sessionLines(view, provenAt, style.terminal ? extent : { ...extent, complaints: COMPLAINTS_IN_PIPE }, style);
  }
}

/** By risk; where that does not tell, failed before undecided before passed, then by failures. */
function worstFirst(a: SessionView, b: SessionView): number {
  const verdict = ORDER[a.report.verdict] - ORDER[b.report.verdict];
  const risk = (keyFigure(b.report)?.risk ?? 0) - (keyFigure(a.report)?.risk ?? 0);
  return risk || verdict || b.failures.length - a.failures.length;
}

const ORDER = { failed: 0, undecided: 1, passed: 2 } as const;

function* rows(views: readonly SessionView[], style: Style): Generator<string> {
  const figure = meterWidth(KEY_CELLS, style);
  const room = style.columns - 2 - TURNS_WIDTH - figure - LABEL_WIDTH - 6;
  const key = views.map(({ report }) => keyFigure(report)?.label).find((label) => label !== undefined) ?? '';
  yield style.paint(`${' '.repeat(room + 2)}  ${'turns'.padStart(TURNS_WIDTH)}  ${key}`.trimEnd(), 'quiet');
  for (const { report, failures } of views) {
    const mark = style.paint(
      verdictMark(report.verdict, failures.length),
      verdictTone(report.verdict, failures.length),
    );
    const turns = style.paint(String(report.turns.length).padStart(TURNS_WIDTH), 'quiet');
    const found = keyFigure(report);
    const label = truncate(sanitizeLine(failures[0]?.label ?? ''), LABEL_WIDTH);
    const shown = found
      ? meter(found.score, KEY_CELLS, riskTone(found.risk), style)
      : ' '.repeat(label === '' ? 0 : figure);
    yield `${mark} ${padEnd(nameOf(report, room), room)}  ${turns}  ${shown}${label === '' ? '' : `  ${label}`}`.trimEnd();
  }
}

function more(views: readonly SessionView[], style: Style): string {
  const failed = views.filter(({ report }) => report.verdict === 'failed').length;
  const text = `and ${plural(views.length, 'more session')}, ${failed} of them failed; --format json lists them`;
  return `  ${style.paint(text, 'quiet')}`;
}
