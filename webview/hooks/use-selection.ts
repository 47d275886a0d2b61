import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { turnSelected as selectedRequest } from '../../src/protocol/panel.ts';
import { problemId, turnId } from '../element-ids.ts';
import type { Host } from '../host.ts';

/**
 * `mark`: select only; `show`: also scroll to the turn; `focus`: also move the keyboard focus there; `open`: scroll only where
 * the turn is not on the first screen, so that the header stays in view.
 */
type SelectMode = 'mark' | 'show' | 'focus' | 'open';

interface Selected {
  readonly turn: number;
  /** Zero-based index of the problem of the turn that receives the focus. */
  readonly failure: number | null;
  readonly mode: SelectMode;
  /** Whether the editor made the selection, so that it need not be notified. */
  readonly isFromEditor: boolean;
}

export interface Selection {
  /** Zero-based index of the turn; null if none is selected. */
  readonly turn: number | null;
  readonly failure: number | null;
  readonly select: (turn: number, mode: SelectMode, failure?: number | null) => void;
  readonly clear: () => void;
}

interface SelectionOptions {
  readonly host: Host;
  readonly session: string;
  /** The number of turns. */
  readonly turns: number;
  /** The turn to open. */
  readonly initialTurn: number | null;
  /** The turn selected without one: that of the first problem. */
  readonly firstTurn: number | null;
}

/** Delay before the editor is notified of a selection, in milliseconds. */
const NOTIFY_DELAY_MS = 120;

/**
 * The selected turn. A turn whose row is not loaded yet is scrolled to again when it is, unless the user has scrolled in
 * the meantime.
 *
 * @param isLoaded whether the row of a turn is loaded.
 */
export function useSelection(options: SelectionOptions, isLoaded: (turn: number) => boolean): Selection {
  const { host, session, turns, initialTurn, firstTurn } = options;
  const [selected, setSelected] = useState<Selected | null>(() => {
    const first = initialTurn ?? firstTurn;
    const mode = initialTurn === null ? 'open' : 'show';
    return first === null ? null : { turn: first, failure: null, mode, isFromEditor: true };
  });
  const turn = selected === null || turns === 0 ? null : Math.min(selected.turn, turns - 1);
  const handled = useRef<Selected | null>(null);
  useCancelOnScroll(selected, handled);
  useKeepOnResize(turn, selected, handled);

  useLayoutEffect(() => {
    if (turn === null || selected === null || selected.mode === 'mark' || selected === handled.current) return;
    if (scrollToSelected(turn, selected) && isLoaded(turn)) handled.current = selected;
  });

  // An event that comes before this is in `initialTurn`: none must come between.
  useLayoutEffect(() => {
    const unsubscribe = host.onEvent((event) => {
      if (event.event !== 'select' || event.session !== session || event.turn === null) return;
      setSelected({ turn: event.turn, failure: null, mode: 'show', isFromEditor: true });
    });
    return unsubscribe;
  }, [host, session]);

  const isFromEditor = selected?.isFromEditor ?? true;
  useEffect(() => {
    if (turn === null || isFromEditor) return;
    const timer = setTimeout(
      () => void host.request(selectedRequest, { session, turn }).catch(() => {}),
      NOTIFY_DELAY_MS,
    );
    return () => clearTimeout(timer);
  }, [host, session, turn, isFromEditor]);

  const select = useCallback((next: number, mode: SelectMode, failure: number | null = null): void => {
    setSelected((known) =>
      mode === 'mark' && known?.turn === next ? known : { turn: next, failure, mode, isFromEditor: false },
    );
  }, []);
  const clear = useCallback(() => setSelected(null), []);
  return { turn, failure: selected?.failure ?? null, select, clear };
}

/** Scrolls to a turn, and to its problem. @returns whether both are rendered and visible. */
function scrollToSelected(turn: number, { mode, failure }: Selected): boolean {
  const element = document.getElementById(turnId(turn));
  // The element is in a hidden tab: try again when the tab is shown.
  if (!element || element.getClientRects().length === 0) return false;
  if (mode === 'open' && isOnFirstScreen(element)) {
    window.scrollTo(0, 0);
    return true;
  }
  const problem = failure === null ? null : document.getElementById(problemId(turn, failure));
  if (mode === 'focus') (problem ?? element).focus({ preventScroll: true });
  element.scrollIntoView({ block: 'start' });
  problem?.scrollIntoView({ block: 'nearest' });
  return failure === null || problem !== null;
}

/** Whether a page that is not scrolled shows all of an element, or its beginning with more than half of the screen to read on. */
function isOnFirstScreen(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const { innerHeight, scrollY } = window;
  return bottom + scrollY <= innerHeight || top + scrollY < innerHeight * 0.45;
}

/** A page that gets another size, and more or less of a header that stays, shows the selected turn, unless the user has gone elsewhere. */
function useKeepOnResize(turn: number | null, selected: Selected | null, handled: RefObject<Selected | null>): void {
  useEffect(() => {
    if (turn === null || selected === null || selected.mode === 'mark') return;
    const mode = selected.mode === 'open' ? 'open' : 'show';
    const onResize = (): void => {
      if (handled.current !== selected) return;
      // Rows are measured in the frame after the one in which they get their new width.
      requestAnimationFrame(() => requestAnimationFrame(() => scrollToSelected(turn, { ...selected, mode })));
    };
    const leave = (): void => window.removeEventListener('resize', onResize);
    const moves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
    window.addEventListener('resize', onResize);
    for (const event of moves) window.addEventListener(event, leave, { passive: true });
    return () => {
      leave();
      for (const event of moves) window.removeEventListener(event, leave);
    };
  }, [turn, selected, handled]);
}

/** Stops scrolling to the selection when the user scrolls. */
function useCancelOnScroll(selected: Selected | null, handled: RefObject<Selected | null>): void {
  useEffect(() => {
    const cancel = (): void => {
      handled.current = selected;
    };
    const events = ['wheel', 'touchmove'] as const;
    for (const event of events) window.addEventListener(event, cancel, { passive: true });
    return () => {
      for (const event of events) window.removeEventListener(event, cancel);
    };
  }, [selected, handled]);
}
