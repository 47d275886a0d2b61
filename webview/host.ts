import * as z from 'zod/mini';
import {
  PanelClient,
  type PanelEvent,
  type PanelState,
  panelState,
  toCancellationToken,
} from '../src/protocol/panel.ts';
import { type RequestType, sendRequest } from '../src/protocol/rpc.ts';
import type { RunsPanelState } from '../src/protocol/runs.ts';
import type { OverviewState } from '../src/protocol/sessions-overview.ts';

type PageState = PanelState | OverviewState | RunsPanelState;

/** The API that VS Code provides to webviews; the standalone page imitates it. */
interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: PageState): void;
}
declare function acquireVsCodeApi(): EditorApi;

/** The app's connection to the editor. */
export interface EditorConnection {
  /** `page`: an HTML report. There is no editor, only what the report contains. */
  readonly surface: 'editor' | 'page';
  /** Rejects with a message to display, or with `RequestCancelled` when the signal aborts. */
  request<Params, Result>(request: RequestType<Params, Result>, params: Params, signal?: AbortSignal): Promise<Result>;
  /** Subscribes to events of the editor. @returns unsubscribes. */
  onEvent(listener: (event: PanelEvent) => void): () => void;
}

/** The connection of a page that keeps its state across reloads. */
interface PageHost<State> extends EditorConnection {
  /** The state saved before the page reloaded, or the state to open with. */
  readonly initialState: State;
  /** Keeps the state across reloads of the page. */
  saveState(state: State): void;
}

export interface Host extends PageHost<PanelState> {
  /** Whether the panel is kept open for its session. */
  isPinned(): boolean;
}
export type OverviewHost = PageHost<OverviewState>;
export type RunsHost = PageHost<RunsPanelState>;

/** @param session the key of a session. @param turn zero-based index of the turn to open, if any. */
export function connectHost(session: string, turn: number | null): Host {
  const host = connect<PanelState>((saved) => {
    // The panel may show another session by now than the one it was opened for.
    const { success, data } = z.safeParse(panelState, saved);
    return success ? data : { session, turn };
  });
  let state = host.initialState;
  let isPinned = state.isPinned ?? false;
  const saveState = (next: PanelState): void => {
    state = next;
    host.saveState({ ...next, ...(isPinned ? { isPinned } : {}) });
  };
  host.onEvent(({ event }) => {
    if (event !== 'pinned') return;
    isPinned = true;
    saveState(state);
  });
  return { ...host, isPinned: () => isPinned, saveState };
}

/** @param restore the state to open with, from the one that was saved before the page reloaded */
export function connect<State extends PageState>(restore: (saved: unknown) => State): PageHost<State> {
  const api = acquireVsCodeApi();
  const listeners = new Set<(event: PanelEvent) => void>();
  const client = new PanelClient(
    (message) => api.postMessage(message),
    (event) => {
      for (const listener of listeners) listener(event);
    },
  );
  window.addEventListener('message', ({ data }) => client.receive(data));
  const initialState = restore(api.getState());
  // VS Code passes this state to the extension when it restores the panel.
  api.setState(initialState);
  return {
    surface: 'editor',
    initialState,
    request: (request, params, signal) => sendRequest(client, request, params, signal && toCancellationToken(signal)),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // Returns nothing, unlike `setState`: React would take the result of an effect for its cleanup function.
    saveState(state) {
      api.setState(state);
    },
  };
}
