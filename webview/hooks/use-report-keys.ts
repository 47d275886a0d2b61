import { useMemo } from 'react';
import { flushSync } from 'react-dom';
import type { ReportHeader } from '../../src/protocol/report.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { FILTER_ID } from '../components/filters.tsx';
import { FIND_ID } from '../components/find.tsx';
import { turnId } from '../element-ids.ts';
import type { Actions } from './use-actions.ts';
import { useKeys } from './use-keys.ts';
import type { PagedRows } from './use-pages.ts';
import type { Selection } from './use-selection.ts';
import type { SavedView } from './use-view.ts';

interface ReportKeysOptions {
  readonly reveal: Actions['reveal'];
  readonly header: ReportHeader;
  /** Zero-based indices of the shown turns, ascending. */
  readonly shown: readonly number[];
  readonly selection: Selection;
  readonly rows: PagedRows<TurnRow>;
  readonly change: SavedView['change'];
  /** Opens the filter. */
  readonly onFilter: () => void;
  readonly onHelp: () => void;
}

/** Keyboard shortcuts of the report. */
export function useReportKeys(options: ReportKeysOptions): void {
  const { reveal, header, shown, selection, rows, change, onFilter, onHelp } = options;
  const keys = useMemo(() => {
    const { strip, target } = header;
    const { turn, failure, select } = selection;
    const toTurn = (step: 1 | -1) => (): void => {
      const next =
        step === 1
          ? shown.find((index) => index > (turn ?? -1))
          : shown.findLast((index) => index < (turn ?? strip.turns));
      if (next === undefined) return;
      change({ tab: 'transcript' });
      select(next, 'focus');
    };
    const toProblem = (step: 1 | -1) => (): void => {
      const next = nextProblem({ shown, turn, failure, step, countOf: (index) => problemCount(rows, header, index) });
      if (!next) return;
      change({ tab: 'transcript' });
      select(next.turn, 'focus', next.failure);
    };
    return new Map([
      ['j', toTurn(1)],
      ['k', toTurn(-1)],
      ['n', toProblem(1)],
      ['p', toProblem(-1)],
      [
        'Enter',
        () => {
          const at = (turn === null ? undefined : rows.rowAt(turn)?.target) ?? target;
          reveal(at, true);
        },
      ],
      ['f', () => focusField(FILTER_ID, onFilter)],
      ['/', () => focusField(FIND_ID, () => change({ tab: 'transcript' }))],
      ['?', onHelp],
      ['Escape', () => focusTurn(turn)],
    ]);
  }, [reveal, header, shown, selection, rows, change, onFilter, onHelp]);
  useKeys(keys);
}

/** The number of problems in a turn that can be focused; a loaded row may list fewer than the strip counts. */
function problemCount(rows: PagedRows<TurnRow>, { strip }: ReportHeader, turn: number): number {
  return rows.rowAt(turn)?.problems.length ?? strip.problems[turn] ?? 0;
}

interface ProblemPosition {
  readonly shown: readonly number[];
  readonly turn: number | null;
  readonly failure: number | null;
  readonly step: 1 | -1;
  readonly countOf: (turn: number) => number;
}

/** The next or previous problem; null if there is none. */
function nextProblem({
  shown,
  turn,
  failure,
  step,
  countOf,
}: ProblemPosition): { turn: number; failure: number } | null {
  if (turn !== null) {
    const next = failure === null ? (step === 1 ? 0 : -1) : failure + step;
    if (next >= 0 && next < countOf(turn)) return { turn, failure: next };
  }
  const nextTurn =
    step === 1
      ? shown.find((index) => index > (turn ?? -1) && countOf(index) > 0)
      : shown.findLast((index) => index < (turn ?? Number.POSITIVE_INFINITY) && countOf(index) > 0);
  return nextTurn === undefined ? null : { turn: nextTurn, failure: step === 1 ? 0 : countOf(nextTurn) - 1 };
}

/** Focuses a field. @param show makes the field visible. */
function focusField(id: string, show: () => void): void {
  flushSync(show);
  const field = document.getElementById(id);
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}

/** Moves the focus to the selected turn, if it is visible. */
export function focusTurn(turn: number | null): void {
  const element = turn === null ? null : document.getElementById(turnId(turn));
  if (element && element.getClientRects().length > 0) element.focus({ preventScroll: true });
}
