import { useMemo } from 'react';
import { flushSync } from 'react-dom';
import { focusFile, reveal } from '../../src/protocol/panel.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { FILTER_ID } from '../components/filters.tsx';
import { FIND_ID } from '../components/find.tsx';
import { turnId } from '../element-ids.ts';
import type { Host } from '../host.ts';
import { useKeys } from './use-keys.ts';
import type { PagedRows } from './use-pages.ts';
import type { Selection } from './use-selection.ts';
import type { SavedView } from './use-view.ts';

interface ReportKeysOptions {
  readonly host: Host;
  readonly session: string;
  readonly header: ReportHeader;
  /** The turns that are shown, ascending. */
  readonly shown: readonly number[];
  readonly selection: Selection;
  readonly rows: PagedRows<TurnRow>;
  readonly change: SavedView['change'];
  /** Shows the filter. */
  readonly onFilter: () => void;
  readonly onHelp: () => void;
}

/** What single keys do, wherever the focus is. */
export function useReportKeys(parts: ReportKeysOptions): void {
  const { host, session, header, shown, selection, rows, change, onFilter, onHelp } = parts;
  const keys = useMemo(() => {
    const { strip, target } = header;
    const { turn, failure, select } = selection;
    const toTurn = (step: 1 | -1) => (): void => {
      const next =
        step === 1 ? shown.find((one) => one > (turn ?? -1)) : shown.findLast((one) => one < (turn ?? strip.turns));
      if (next === undefined) return;
      change({ tab: 'transcript' });
      select(next, 'focus');
    };
    const toFailure = (step: 1 | -1) => (): void => {
      const next = nextProblem({ shown, turn, failure, step, countOf: (one) => problemCount(rows, header, one) });
      if (!next) return;
      change({ tab: 'transcript' });
      select(next.turn, 'focus', next.failure);
    };
    return new Map([
      ['j', toTurn(1)],
      ['k', toTurn(-1)],
      ['n', toFailure(1)],
      ['p', toFailure(-1)],
      [
        'Enter',
        () => {
          const at = (turn === null ? undefined : rows.rowAt(turn)?.target) ?? target;
          void host.request(reveal, { target: at, focus: true }).catch(() => {});
        },
      ],
      ['f', () => focusField(FILTER_ID, onFilter)],
      ['/', () => focusField(FIND_ID, () => change({ tab: 'transcript' }))],
      ['?', onHelp],
      [
        'Escape',
        () => {
          if (!focusTurn(turn)) void host.request(focusFile, { session }).catch(() => {});
        },
      ],
    ]);
  }, [host, session, header, shown, selection, rows, change, onFilter, onHelp]);
  useKeys(keys);
}

/** How many failures of a turn one can go to: rows show some of very many. */
function problemCount(rows: PagedRows<TurnRow>, { strip }: ReportHeader, turn: number): number {
  return rows.rowAt(turn)?.failures.length ?? strip.failures[turn] ?? 0;
}

interface ProblemPosition {
  readonly shown: readonly number[];
  readonly turn: number | null;
  readonly failure: number | null;
  readonly step: 1 | -1;
  readonly countOf: (turn: number) => number;
}

/** The failure after another, or before it; null where there is none. */
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
  const found =
    step === 1
      ? shown.find((one) => one > (turn ?? -1) && countOf(one) > 0)
      : shown.findLast((one) => one < (turn ?? Number.POSITIVE_INFINITY) && countOf(one) > 0);
  return found === undefined ? null : { turn: found, failure: step === 1 ? 0 : countOf(found) - 1 };
}

/** @param show what makes it visible. */
function focusField(id: string, show: () => void): void {
  flushSync(show);
  const field = document.getElementById(id);
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}

/** From whatever is within it, or beside it, to the selected turn. @returns whether the focus was somewhere else. */
export function focusTurn(turn: number | null): boolean {
  const { activeElement } = document;
  const element = turn === null ? null : document.getElementById(turnId(turn));
  if (!element || element.getClientRects().length === 0) return false;
  if (activeElement === element || activeElement === document.body) return false;
  element.focus({ preventScroll: true });
  return true;
}
