import * as z from 'zod/mini';
import { PanelAsker, type PanelState, panelState } from '../src/protocol/panel.ts';
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
  /** Key of the session that is reported on. */
  readonly session: string;
  /** Rejects with a sentence. */
  ask<Params, Result>(request: Request<Params, Result>, params: Params): Promise<Result>;
  /** Calls back when there are other results; returns what ends it. */
  onChanged(listener: () => void): () => void;
  /** The turn that was selected before the page was loaded again. */
  selectedTurn(): number | null;
  keepSelectedTurn(turn: number): void;
}

/** @param turn where to begin, unless a turn was selected before the page was loaded again. */
export function connect(session: string, turn: number | null): Host {
  const api = acquireVsCodeApi();
  const listeners = new Set<() => void>();
  const asker = new PanelAsker(
    (message) => api.postMessage(message),
    () => {
      for (const listener of listeners) listener();
    },
  );
  window.addEventListener('message', ({ data }) => asker.receive(data));
  const { success, data } = z.safeParse(panelState, api.getState());
  const selected = success && data.session === session ? data.turn : turn;
  // A panel that is restored is given its session by what is kept here.
  api.setState({ session, turn: selected });
  return {
    session,
    ask: (request, params) => ask(asker, request, params),
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    selectedTurn: () => selected,
    keepSelectedTurn: (turn) => api.setState({ session, turn }),
  };
}
