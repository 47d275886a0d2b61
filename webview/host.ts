import * as z from 'zod/mini';
import {
  PanelClient,
  type PanelEvent,
  type PanelState,
  panelState,
  sessionUri,
  toCancellationToken,
} from '../src/protocol/panel.ts';
import { type RequestType, sendRequest } from '../src/protocol/rpc.ts';

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
  readonly initialState: PanelState;
  /** Rejects with a sentence; with `Cancelled` when the signal says so. */
  request<Params, Result>(request: RequestType<Params, Result>, params: Params, signal?: AbortSignal): Promise<Result>;
  /** Calls back with what the editor tells; returns what ends it. */
  onEvent(listener: (event: PanelEvent) => void): () => void;
  /** Remembers over a reload of the page. */
  saveState(state: PanelState): void;
}

/** @param session the key of a session. @param turn zero-based, where a turn is asked for. */
export function connectHost(session: string, turn: number | null): Host {
  const api = acquireVsCodeApi();
  const listeners = new Set<(event: PanelEvent) => void>();
  const asker = new PanelClient(
    (message) => api.postMessage(message),
    (event) => {
      for (const listener of listeners) listener(event);
    },
  );
  window.addEventListener('message', ({ data }) => asker.receive(data));
  // A panel goes from session to session of one file.
  const { success, data } = z.safeParse(panelState, api.getState());
  const opened = success && sessionUri(data.session) === sessionUri(session) ? data : { session, turn };
  // A panel that is restored is given its session by what is kept here.
  api.setState(opened);
  return {
    initialState: opened,
    request: (request, params, signal) => sendRequest(asker, request, params, signal && toCancellationToken(signal)),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // The editor answers with the state, which nobody here wants: least of all an effect, which would take it for its
    // end.
    saveState(state) {
      api.setState(state);
    },
  };
}
