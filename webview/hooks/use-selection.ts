import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { turnSelected as selectedRequest } from '../../src/protocol/panel.ts';
import { problemId, turnId } from '../element-ids.ts';
import type { Host } from '../host.ts';

/** `mark`: it is in sight already; `show`: bring it into sight; `focus`: and let the keyboard go there. */
type How = 'mark' | 'show' | 'focus';

interface Selected {
  readonly turn: number;
  /** Zero-based, of those of the turn: the keyboard goes to this failure of it. */
  readonly failure: number | null;
  readonly how: How;
  /** The editor has asked for it, and knows. */
  readonly isTold: boolean;
}

export interface Selection {
  /** Zero-based index of the turn; null before anything was selected. */
  readonly turn: number | null;
  readonly failure: number | null;
  readonly select: (turn: number, how: How, failure?: number | null) => void;
  readonly clear: () => void;
}

interface Of {
  readonly host: Host;
  readonly session: string;
  /** How many there are. */
  readonly turns: number;
  /** The one to begin at. */
  readonly opened: number | null;
}

/** The editor hears of the selection when it has stayed for so long, in milliseconds. */
const STAYED = 120;

/**
 * The selected turn. One whose row is not here yet is brought into sight again when it is, unless the person has
 * scrolled away by then.
 *
 * @param isHere whether the row of a turn is here.
 */
export function useSelection(of: Of, isHere: (turn: number) => boolean): Selection {
  const { host, session, turns, opened } = of;
  const [selected, setSelected] = useState<Selected | null>(
    opened === null ? null : { turn: opened, failure: null, how: 'show', isTold: true },
  );
  const turn = selected === null || turns === 0 ? null : Math.min(selected.turn, turns - 1);
  const done = useRef<Selected | null>(null);
  useMovedBy(selected, done);

  useLayoutEffect(() => {
    if (turn === null || selected === null || selected.how === 'mark' || selected === done.current) return;
    if (bringIntoSight(turn, selected) && isHere(turn)) done.current = selected;
  });

  useEffect(() => {
    const unlisten = host.onEvent((event) => {
      if (event.event !== 'select' || event.session !== session || event.turn === null) return;
      setSelected({ turn: event.turn, failure: null, how: 'show', isTold: true });
    });
    return unlisten;
  }, [host, session]);

  const isTold = selected?.isTold ?? true;
  useEffect(() => {
    if (turn === null || isTold) return;
    const timer = setTimeout(() => void host.request(selectedRequest, { session, turn }).catch(() => {}), STAYED);
    return () => clearTimeout(timer);
  }, [host, session, turn, isTold]);

  const select = useCallback((next: number, how: How, failure: number | null = null): void => {
    setSelected((known) =>
      how === 'mark' && known?.turn === next ? known : { turn: next, failure, how, isTold: false },
    );
  }, []);
  const clear = useCallback(() => setSelected(null), []);
  return { turn, failure: selected?.failure ?? null, select, clear };
}

/** @returns whether it is drawn at all. */
function bringIntoSight(turn: number, { how, failure }: Selected): boolean {
  const element = document.getElementById(turnId(turn));
  // What is behind another tab is brought into sight when that is left.
  if (!element || element.getClientRects().length === 0) return false;
  const finding = failure === null ? null : document.getElementById(problemId(turn, failure));
  if (how === 'focus') (finding ?? element).focus({ preventScroll: true });
  element.scrollIntoView({ block: 'start' });
  finding?.scrollIntoView({ block: 'nearest' });
  return failure === null || finding !== null;
}

/** A user who scrolls meanwhile wants to be somewhere else. */
function useMovedBy(selected: Selected | null, done: RefObject<Selected | null>): void {
  useEffect(() => {
    const moved = (): void => {
      done.current = selected;
    };
    const events = ['wheel', 'touchmove'] as const;
    for (const event of events) window.addEventListener(event, moved, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, moved);
    };
  }, [selected, done]);
}
