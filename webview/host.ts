import * as z from 'zod/mini';
import {
  PanelAsker,
  type PanelEvent,
  type PanelState,
  panelState,
  tokenOf,
  uriOfSession,
} from '../src/protocol/panel.ts';
import { ask, type Request } from '../src/protocol/request.ts';

/** What an editor gives its webviews, and the standalone page imitates. */
interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: PanelState): void;
}
declare function acquireVsCodeApi(): EditorApi;

/** The editor, as the app sees it. */
export interface Host {
  /** What was shown before the page was loaded again, or what it is opened for. */
  readonly opened: PanelState;
  /** Rejects with a sentence; with `Cancelled` when the signal says so. */
  ask<Params, Result>(request: Request<Params, Result>, params: Params, signal?: AbortSignal): Promise<Result>;
  /** Calls back with what the editor tells; returns what ends it. */
  onEvent(listener: (event: PanelEvent) => void): () => void;
  /** Remembers over a reload of the page. */
  keep(state: PanelState): void;
}

/** @param session the key of a session. @param turn zero-based, where a turn is asked for. */
export function connect(session: string, turn: number | null): Host {
  const api = acquireVsCodeApi();
  const listeners = new Set<(event: PanelEvent) => void>();
  const asker = new PanelAsker(
    (message) => api.postMessage(message),
    (event) => {
      for (const listener of listeners) listener(event);
    },
  );
  window.addEventListener('message', ({ data }) => asker.receive(data));
  // A panel goes from session to session of one file.
  const { success, data } = z.safeParse(panelState, api.getState());
  const opened = success && uriOfSession(data.session) === uriOfSession(session) ? data : { session, turn };
  // A panel that is restored is given its session by what is kept here.
  api.setState(opened);
  return {
    opened,
    ask: (request, params, signal) => ask(asker, request, params, signal && tokenOf(signal)),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // The editor answers with the state, which nobody here wants: least of all an effect, which would take it for its
    // end.
    keep(state) {
      api.setState(state);
    },
  };
}
